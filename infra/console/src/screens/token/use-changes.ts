/** Looks for changes of a token: each minute while the page is seen, unless paused, and when asked to. */
import type { Client } from '@mirrorworthy/client';
import { useCallback, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf, usePolling } from '../../answer';
import type { Chain } from '../../route';
import { useSession } from '../../session';
import { added, type ChangeLog, emptyLog, type Look, namesSignal } from './change-log';

/** How often is looked, in milliseconds. */
export const every = 60_000;

export type Watch = {
  log: ChangeLog;
  /** Why the latest look failed; null when it did not. */
  problem: Problem | null;
  asking: boolean;
  paused: boolean;
  setPaused: (paused: boolean) => void;
  /** Looks now. */
  look: () => void;
  /** Adds a look that was taken elsewhere: by the bundle. */
  add: (look: Look) => void;
};

/** Watches a token; with `on` false it only keeps the log. */
export function useChanges(token: string, chain: Chain, on: boolean): Watch {
  const { client, refuse } = useSession();
  const [log, add] = useReducer(added, emptyLog);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asking, setAsking] = useState(false);
  const [paused, setPaused] = useState(false);
  const underWay = useRef<AbortController | null>(null);
  const look = useCallback(() => {
    if (client === null || underWay.current !== null) {
      return;
    }
    const given = new AbortController();
    underWay.current = given;
    setAsking(true);
    lookOf(client, { token, chain }, given.signal)
      .then(
        (seen) => {
          if (!given.signal.aborted) {
            add(seen);
            setProblem(null);
          }
        },
        (error: unknown) => {
          if (given.signal.aborted) {
            return;
          }
          const found = problemOf(error);
          if (found.code === 'unauthorized') {
            refuse(found.message);
          }
          setProblem(found);
        },
      )
      .finally(() => {
        if (underWay.current === given) {
          underWay.current = null;
          setAsking(false);
        }
      });
  }, [client, token, chain]);
  useEffect(
    () => () => {
      underWay.current?.abort();
      underWay.current = null;
    },
    [look],
  );
  usePolling(every, look, on && !paused);
  return { log, problem, asking, paused, setPaused, look, add };
}

/** Asks what changed. Where that names a signal it asks for the risk verdict of now too: one is not shown without the other. */
async function lookOf(client: Client, of: { token: string; chain: Chain }, signal: AbortSignal): Promise<Look> {
  const answer = await client.post('/token-changes', of, { signal });
  const at = new Date();
  if (!answer.changes.some(namesSignal)) {
    return { at, answer, risk: null };
  }
  try {
    return { at, answer, risk: (await client.post('/token-risk', of, { signal })).verdict };
  } catch {
    // The look is recorded at the service and its changes come only once: they are shown with a risk verdict that is not measured.
    return { at, answer, risk: null };
  }
}
