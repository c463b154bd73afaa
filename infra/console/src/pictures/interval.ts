/** The arithmetic of pictures of intervals: the scale that they are drawn on, and what they say. */
import { notMeasured } from '../words';

/** An estimate with the range that it likely lies in, and what it is compared with. Null is what was not measured. */
export type Interval = {
  label: string;
  estimate: number | null;
  low: number | null;
  high: number | null;
  mark?: { at: number | null; label: string };
};

/** A scale from `from` to `to` with a line at each of `ticks`. */
export type Scale = { from: number; to: number; ticks: number[] };

/** The scale of rates of 0 to 1. */
export const rates: Scale = { from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1] };

/** A scale that holds zero and all that is to be drawn on it, with a few round ticks. With nothing to draw, zero is its middle. */
export function scaleOf(intervals: Interval[]): Scale {
  const values = intervals.flatMap((i) => [i.estimate, i.low, i.high, i.mark?.at ?? null]).filter((v) => v !== null);
  if (values.length === 0) {
    return { from: -1, to: 1, ticks: [0] };
  }
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const span = most - least || 1;
  const power = 10 ** Math.floor(Math.log10(span / 5));
  const step = [1, 2, 5, 10].map((n) => n * power).find((s) => span / s <= 5) ?? 10 * power;
  const first = Math.floor(least / step);
  const last = Math.max(Math.ceil(most / step), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  return { from: first * step, to: last * step, ticks };
}

/** Where a value lies on a scale: 0 at its beginning, 1 at its end; never beyond either. */
export function placeOn(scale: Scale, value: number): number {
  return Math.min(1, Math.max(0, (value - scale.from) / (scale.to - scale.from)));
}

/** An interval in words. */
export function intervalWords(interval: Interval, write: (value: number) => string): string {
  const { estimate, low, high, mark } = interval;
  const parts = [estimate === null ? notMeasured : write(estimate)];
  if (low !== null && high !== null) {
    parts.push(`likely ${write(low)} to ${write(high)}`);
  }
  if (mark) {
    parts.push(`${mark.label} ${mark.at === null ? notMeasured : write(mark.at)}`);
  }
  return `${interval.label}: ${parts.join(', ')}.`;
}
