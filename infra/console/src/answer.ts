/**
 * Asking the service from a component: one question at a time, given up when it is no longer needed, with what was answered last still
 * there while it is asked again.
 */
import { ApiError, type Client, ConnectionError } from '@mirrorworthy/client';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useSession } from './session';

/** What went wrong, for people. */
export type Problem = { message: string; code: string; requestId: string | null; retryAfterSeconds: number | null };

export type Asked<T> = {
  /** The latest answer; undefined before the first. */
  answer: T | undefined;
  /** What went wrong the last time; null when nothing did. */
  problem: Problem | null;
  asking: boolean;
  /** When the latest answer came. */
  at: Date | null;
  /** Asks again. */
  again: () => void;
};

/** Tells people what an error means. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) {
    return {
      message: error.message,
      code: error.code,
      requestId: error.requestId ?? null,
      retryAfterSeconds: error.retryAfterSeconds ?? null,
    };
  }
  if (error instanceof ConnectionError) {
    return {
      message: 'The service could not be reached. Check your connection.',
      code: 'unreachable',
      requestId: null,
      retryAfterSeconds: null,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { message, code: 'failed', requestId: null, retryAfterSeconds: null };
}

type State<T> = { question: string; answer: T | undefined; problem: Problem | null; asking: boolean; at: Date | null };

/**
 * Asks when it is first shown, and whenever the question changes. `question` names all that the answer depends on; null asks nothing.
 */
export function useAnswer<T>(question: string | null, ask: (client: Client, signal: AbortSignal) => Promise<T>): Asked<T> {
  const { client, refuse } = useSession();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<State<T>>({ question: '', answer: undefined, problem: null, asking: false, at: null });
  useEffect(() => {
    if (client === null || question === null) {
      return;
    }
    const given = new AbortController();
    setState((before) =>
      before.question === question ? { ...before, asking: true } : { question, answer: undefined, problem: null, asking: true, at: null },
    );
    ask(client, given.signal).then(
      (answer) => {
        if (!given.signal.aborted) {
          setState({ question, answer, problem: null, asking: false, at: new Date() });
        }
      },
      (error: unknown) => {
        if (given.signal.aborted) {
          return;
        }
        const problem = problemOf(error);
        if (problem.code === 'unauthorized') {
          refuse(problem.message);
        }
        setState((before) => ({ ...before, problem, asking: false }));
      },
    );
    return () => given.abort();
  }, [client, question, round]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  const current = state.question === question ? state : { answer: undefined, problem: null, asking: question !== null, at: null };
  return { answer: current.answer, problem: current.problem, asking: current.asking, at: current.at, again };
}

/** Calls at an interval while the page is looked at, and once when it is looked at again. */
export function usePolling(every: number, call: () => void, on = true): void {
  useEffect(() => {
    if (!on) {
      return;
    }
    const tick = () => {
      if (!document.hidden) {
        call();
      }
    };
    const timer = window.setInterval(tick, every);
    document.addEventListener('visibilitychange', tick);
    return () => {
      window.clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [every, call, on]);
}
