/** When a request that failed is asked again, and how long to wait before. */
import { ApiError, ConnectionError } from './errors.js';
import { type Random, randomFraction } from './random.js';

/** How often and how patiently requests are repeated. */
export interface Patience {
  /** How often a request is repeated. */
  retries: number;
  /** The longest wait before a repetition, in milliseconds. */
  maximumWaitMs: number;
  /** What repetitions are spread by. */
  random: Random;
}

const firstBackoffMs = 250;
const longestBackoffMs = 8000;

/**
 * Tells how long to wait, in milliseconds, before an attempt is repeated; undefined where it is not. What failed for a while is: too many
 * requests, a service or a connection that broke down, and a conflict that says when it is over.
 * @param attempt counts from 0
 */
export function waitBeforeNext(error: unknown, attempt: number, { retries, maximumWaitMs, random }: Patience): number | undefined {
  if (attempt >= retries || !passes(error)) {
    return undefined;
  }
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  if (asked > maximumWaitMs) {
    return undefined;
  }
  const backoff = Math.min(firstBackoffMs * 2 ** attempt, longestBackoffMs);
  // What was asked for is the least: to it comes what keeps many from coming back at once.
  return Math.min(asked + backoff * (0.5 + randomFraction(random) / 2), maximumWaitMs);
}

/** Tells whether what went wrong may be over in a while. */
function passes(error: unknown): boolean {
  if (!(error instanceof ApiError)) {
    return error instanceof ConnectionError;
  }
  switch (error.status) {
    case 429:
    case 502:
    case 503:
    case 504:
      return true;
    case 409:
      return error.retryAfterSeconds !== undefined;
  }
  return false;
}

const imfDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads the header Retry-After (RFC 9110, section 10.2.3), seconds or a date.
 * @param now in milliseconds
 * @returns seconds; undefined for anything else, and for a time that has passed
 */
export function retryAfterSeconds(text: string | null, now: number): number | undefined {
  let seconds = Number.NaN;
  if (text !== null && /^\d{1,7}$/.test(text)) {
    seconds = Number(text);
  } else if (text !== null && imfDate.test(text)) {
    seconds = (Date.parse(text) - now) / 1000;
  }
  return seconds > 0 ? seconds : undefined;
}

/** Waits so many milliseconds, or until the signal's reason is thrown. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Waits for a promise, or until the signal's reason is thrown. What the promise is about goes on. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) {
    return promise;
  }
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) {
      stop();
    }
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
