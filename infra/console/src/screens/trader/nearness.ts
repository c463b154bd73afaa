/** How near a position is to its liquidation, in words and tone: the nearer, the more dangerous. */
import { notMeasured, percent } from '../../words';

type Nearness = { word: string; tone: 'good' | 'caution' | 'bad' | 'unknown' };

/** An ordinary day moves prices of coins by about five percent, and a bad one by about fifteen. */
const day = 5;
const badDay = 15;

/** What a distance in percent means. Null is unknown. */
export function nearness(distancePct: number | null): Nearness {
  if (distancePct === null) {
    return { word: notMeasured, tone: 'unknown' };
  }
  if (distancePct < day) {
    return { word: 'very near', tone: 'bad' };
  }
  return distancePct < badDay ? { word: 'near', tone: 'caution' } : { word: 'far', tone: 'good' };
}

/** A distance in percent and what it means. */
export function nearnessWords(distancePct: number | null): string {
  return distancePct === null ? notMeasured : `${percent(distancePct)} away, ${nearness(distancePct).word}`;
}
