/**
 * What changed about a token while its page was open. Every look records a snapshot at the service, so that each answer tells what changed
 * since the look before it; together they are a log.
 */
import type { Answer } from '@mirrorworthy/client';

export type Changes = Answer<'TokenChangesAnswer'>;
export type Change = Answer<'TokenChange'>;

/** One look at the token. `risk` is the risk verdict at its time, where it was asked for. */
export type Look = { at: Date; answer: Changes; risk: string | null };

/** One change, when it was found, and the look that it is compared with. */
export type Entry = { id: string; at: Date; since: string | null; change: Change; risk: string | null };

export type ChangeLog = {
  /** What the first look was compared with: null before it, and for a token that was never looked at before, which it is the baseline of. */
  begins: { at: Date; since: string | null; baseline: boolean } | null;
  looks: number;
  latest: Look | null;
  /** The newest look's first; within a look the most severe first, as the service gives them. */
  entries: Entry[];
};

export const emptyLog: ChangeLog = { begins: null, looks: 0, latest: null, entries: [] };

/** Adds a look to the log. */
export function added(log: ChangeLog, look: Look): ChangeLog {
  const { answer, at, risk } = look;
  const entries = answer.changes.map((change, i) => ({ id: `${log.looks}-${i}`, at, since: answer.previousAt, change, risk }));
  return {
    begins: log.begins ?? { at, since: answer.previousAt, baseline: answer.baseline },
    looks: log.looks + 1,
    latest: look,
    entries: [...entries, ...log.entries],
  };
}

/** Whether a change names a signal, which is never shown without the risk verdict. */
export function namesSignal(change: Change): boolean {
  return change.metric === 'signal' || /\b(BUY|ACCUMULATE)\b/.test(change.detail);
}
