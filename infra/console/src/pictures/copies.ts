/** The copies of a simulation put in order for drawing, and what they show in words. */
import type { Answer } from '@mirrorworthy/client';
import { count, minutesAgo, notMeasured, percent } from '../words';

export type Copy = Answer<'SimulatedTrade'>;

/** What becomes of a copy, as it is drawn: gains up and losses down from zero, and what has no result yet or never will. */
export type Fate = 'gained' | 'lost' | 'dead' | 'pending' | 'skipped';

export const fates: Record<Fate, string> = {
  gained: 'gained after costs',
  lost: 'did not gain',
  dead: 'dead: could not be sold at the horizon',
  pending: 'pending: not over yet',
  skipped: 'skipped: no known entry price',
};

/** What became of a copy. */
export function fateOf(copy: Copy): Fate {
  if (copy.status !== 'resolved') {
    return copy.status;
  }
  return copy.netPct !== null && copy.netPct > 0 ? 'gained' : 'lost';
}

/** The copies from the oldest entry to the newest. */
export function oldestFirst(copies: readonly Copy[]): Copy[] {
  return [...copies].sort((a, b) => b.entryMinsAgo - a.entryMinsAgo);
}

/** How many copies had each fate. */
export function tally(copies: readonly Copy[]): Record<Fate, number> {
  const counts: Record<Fate, number> = { gained: 0, lost: 0, dead: 0, pending: 0, skipped: 0 };
  for (const copy of copies) {
    counts[fateOf(copy)] += 1;
  }
  return counts;
}

/** Where each copy is drawn: the bar's end in percent, or zero for a mark of what has no result. */
export function heights(copies: readonly Copy[]): number[] {
  return copies.map((copy) => copy.netPct ?? (copy.status === 'dead' ? -100 : 0));
}

/** The picture in a sentence. */
export function copiesWords(copies: readonly Copy[]): string {
  const counts = tally(copies);
  const said = (Object.keys(fates) as Fate[]).filter((fate) => counts[fate] > 0).map((fate) => `${counts[fate]} ${fates[fate]}`);
  const results = copies.flatMap((copy) => (copy.netPct === null ? [] : [copy.netPct]));
  const range =
    results.length === 0
      ? ''
      : ` Results reach from ${percent(Math.min(...results), { sign: true })} to ${percent(Math.max(...results), { sign: true })}.`;
  return `${count(copies.length, 'simulated copy', 'simulated copies')} from the oldest to the newest: ${said.join(', ')}.${range}`;
}

/** The copies as rows of a table. */
export function copyRows(copies: readonly Copy[]): string[][] {
  return copies.map((copy, i) => [
    String(i + 1),
    copy.symbol,
    minutesAgo(copy.entryMinsAgo),
    copy.netPct === null ? notMeasured : percent(copy.netPct, { sign: true }),
    fates[fateOf(copy)],
  ]);
}

const steps = [20, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

/** The ticks of the scale of results, which is stretched around zero: few, and round. */
export function resultTicks(least: number, most: number): number[] {
  return [...(least <= -100 ? [-100] : []), ...(least <= -20 ? [-20] : []), 0, ...steps.filter((step) => step <= most)];
}
