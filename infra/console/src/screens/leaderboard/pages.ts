/** Reading a board page by page: what is there stays while the next page comes, and an empty board is asked again until rows come. */
import type { Client } from '@mirrorworthy/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Asked, type Problem, problemOf, useAnswer, usePolling } from '../../answer';
import { useSession } from '../../session';

/** What every board answers. */
export type Page = { rows: unknown[]; nextCursor: string | null };

/** A row of a board's pages. */
export type RowOf<Of extends Page> = Of['rows'][number];

export type Pages<Of extends Page> = {
  /** The first page, with what holds for the whole board. */
  first: Asked<Of>;
  /** The rows of all pages read so far, in the board's order. */
  rows: RowOf<Of>[];
  /** Reads the next page; null behind the last one. */
  more: (() => void) | null;
  asking: boolean;
  /** Why the next page could not be read; null when it could. */
  problem: Problem | null;
  /** Tries again after a problem: the same page, or the first where the edition that was being read is gone. */
  again: () => void;
};

/** An empty board is asked again after so many milliseconds. */
const patience = 15_000;

type Read<Of> = { first: Of | undefined; pages: Of[]; asking: boolean; problem: Problem | null };

/** The rows of pages in their order. */
export function rowsOf<Of extends Page>(pages: Of[]): RowOf<Of>[] {
  return pages.flatMap((page) => page.rows);
}

/**
 * Reads a board. `question` names all that the answer depends on but the cursor; `ask` reads the page behind a cursor, the first for null.
 */
export function usePages<Of extends Page>(
  question: string,
  ask: (client: Client, cursor: string | null, signal: AbortSignal) => Promise<Of>,
): Pages<Of> {
  const { client, refuse } = useSession();
  const first = useAnswer(question, (asked, signal) => ask(asked, null, signal));
  const start = first.answer;
  const [read, setRead] = useState<Read<Of>>({ first: undefined, pages: [], asking: false, problem: null });
  const given = useRef(new AbortController());
  // Further pages belong to the first page that they continue, so they go with it.
  useEffect(() => {
    given.current = new AbortController();
    return () => given.current.abort();
  }, [start]);
  usePolling(patience, first.again, start !== undefined && start.rows.length === 0);
  const current: Read<Of> = read.first === start ? read : { first: start, pages: [], asking: false, problem: null };
  const pages = start === undefined ? [] : [start, ...current.pages];
  const cursor = pages.at(-1)?.nextCursor ?? null;
  const more = () => {
    if (client === null || start === undefined || cursor === null || current.asking) {
      return;
    }
    const { signal } = given.current;
    setRead({ ...current, asking: true, problem: null });
    ask(client, cursor, signal).then(
      (page) => {
        if (!signal.aborted) {
          setRead({ first: start, pages: [...current.pages, page], asking: false, problem: null });
        }
      },
      (error: unknown) => {
        if (signal.aborted) {
          return;
        }
        const problem = problemOf(error);
        if (problem.code === 'unauthorized') {
          refuse(problem.message);
        }
        setRead({ ...current, asking: false, problem });
      },
    );
  };
  const again = current.problem?.code === 'invalid_param' ? first.again : more;
  return { first, rows: rowsOf(pages), more: cursor === null ? null : more, asking: current.asking, problem: current.problem, again };
}
