/** A list of executions that grows at its beginning: what a look at its first page adds to what is shown. */
import type { Execution, Executions } from '@mirrorworthy/client';
import { count, word } from '../../words';

/** What is shown, the newest first, with where it continues; null at the end. */
export type Shown = { rows: readonly Execution[]; nextCursor: string | null };

/** What a look found: the list after it, and what was not there before or has changed its status. */
export type Looked = { shown: Shown; fresh: readonly Execution[] };

/**
 * Puts the first page before what is shown. Where the two do not meet, more came in between than a page holds: then the page alone is
 * shown, and the older ones are asked for again.
 */
export function lookedAt(shown: Shown | null, page: Executions): Looked {
  const first: Shown = { rows: page.executions, nextCursor: page.nextCursor };
  if (shown === null) {
    return { shown: first, fresh: [] };
  }
  const before = new Map(shown.rows.map((row) => [row.executionId, row.status]));
  const fresh = page.executions.filter((row) => before.get(row.executionId) !== row.status);
  const paged = new Set(page.executions.map((row) => row.executionId));
  const last = page.executions.at(-1);
  const meets = shown.rows.length === 0 ? page.nextCursor === null : page.executions.some((row) => before.has(row.executionId));
  if (!meets || last === undefined) {
    return { shown: first, fresh };
  }
  // Rows that the page no longer has on its length are behind it; those that it should have and has not are gone.
  const behind = shown.rows.findIndex((row) => row.executionId === last.executionId);
  const older = behind === -1 ? shown.rows.filter((row) => !paged.has(row.executionId)) : shown.rows.slice(behind + 1);
  if (older.length === 0) {
    return { shown: first, fresh };
  }
  return { shown: { rows: [...page.executions, ...older], nextCursor: shown.nextCursor }, fresh };
}

/** Puts a page of older ones behind what is shown. */
export function continued(shown: Shown, page: Executions): Shown {
  const had = new Set(shown.rows.map((row) => row.executionId));
  return { rows: [...shown.rows, ...page.executions.filter((row) => !had.has(row.executionId))], nextCursor: page.nextCursor };
}

/** What is said of new ones: how many, and how they went. */
export function announcementOf(fresh: readonly Execution[]): string {
  if (fresh.length === 0) {
    return '';
  }
  const counts = new Map<string, number>();
  for (const { status } of fresh) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const parts = [...counts].map(([status, n]) => `${n} ${word(status).toLowerCase()}`);
  return `${count(fresh.length, 'new execution')}: ${parts.join(', ')}.`;
}
