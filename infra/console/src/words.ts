/**
 * How numbers, times and words of the service are written for people. A null is something that was not measured, and is said to be so:
 * it is never shown as zero, as a dash, or left out.
 */

/** What stands for null everywhere. */
export const notMeasured = 'not measured';

type Maybe = number | null | undefined;

function format(value: number, digits: number, sign = false): string {
  const text = new Intl.NumberFormat('en', {
    maximumFractionDigits: digits,
    signDisplay: sign ? 'exceptZero' : 'negative',
  }).format(value);
  return text.replace('-', '−');
}

/** A number with at most so many decimals. */
export function number(value: Maybe, digits = 1): string {
  return value === null || value === undefined ? notMeasured : format(value, digits);
}

/** A value in percent, as it comes in a field that ends in Pct. Signed ones are changes. */
export function percent(value: Maybe, options: { sign?: boolean; digits?: number } = {}): string {
  if (value === null || value === undefined) {
    return notMeasured;
  }
  const digits = options.digits ?? (Math.abs(value) < 10 ? 1 : 0);
  return `${format(value, digits, options.sign ?? false)} %`;
}

/** A share of 0 to 1, as a percentage. */
export function share(value: Maybe, digits = 0): string {
  return value === null || value === undefined ? notMeasured : percent(value * 100, { digits });
}

/** A count with its noun. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${format(n, 0)} ${n === 1 ? noun : plural}`;
}

/** The words of the service that are written with their hyphen. */
const hyphenated = new Set(['all-in', 'at-risk', 'bot-driven', 'in-line', 'mirror-worthy', 'over-extended', 'under-extended']);

/** A word of the service for people: not-a-word becomes Not a word. Words of upper-case letters stay. */
export function word(text: string | null | undefined): string {
  if (text === null || text === undefined) {
    return notMeasured;
  }
  const spaced = hyphenated.has(text) ? text : text.replace(/[-_]/g, ' ');
  return spaced === spaced.toUpperCase() ? spaced : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The names of the venues. */
const venues: Record<string, string> = {
  'dexvenue-spot': 'Spot',
  'perpvenue-perps': 'Perpetuals',
  'predictvenue-markets': 'Prediction markets',
};

export function venueName(venue: string): string {
  return venues[venue] ?? word(venue);
}

/** An address shortened for reading. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** How long ago so many minutes are. */
export function minutesAgo(minutes: number): string {
  if (minutes < 1) {
    return 'just now';
  }
  return `${duration(minutes * 60)} ago`;
}

/** A length of time in its largest fitting unit, of a number of seconds. */
export function duration(seconds: number): string {
  const steps: [number, string][] = [
    [86400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ];
  for (const [length, noun] of steps) {
    if (seconds >= 2 * length || (noun === 'minute' && seconds >= 60)) {
      return count(Math.round(seconds / length), noun);
    }
  }
  return count(Math.round(seconds), 'second');
}

const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** An instant in UTC. */
export function instant(at: string | null | undefined): string {
  return at === null || at === undefined ? notMeasured : `${times.format(new Date(at))} UTC`;
}
