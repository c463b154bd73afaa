import { describe, expect, it } from 'vitest';
import { credentialsAt } from './credentials';
import { latencyOf, priceOf } from './history';

const now = Date.parse('2026-01-10T00:00:00Z');

describe('credentials', () => {
  it.each([
    [null, { state: 'none', secondsLeft: null }],
    ['2026-01-13T00:00:01Z', { state: 'held', secondsLeft: 259_201 }],
    ['2026-01-13T00:00:00Z', { state: 'near', secondsLeft: 259_200 }],
    ['2026-01-10T00:00:01Z', { state: 'near', secondsLeft: 1 }],
    ['2026-01-10T00:00:00Z', { state: 'past', secondsLeft: 0 }],
    ['2026-01-09T00:00:00Z', { state: 'past', secondsLeft: 0 }],
  ])('that end at %s', (expireAt, want) => {
    expect(credentialsAt(expireAt, now)).toEqual(want);
  });
});

describe('figures of an execution', () => {
  it('are said not to be measured rather than to be zero', () => {
    expect(priceOf(null)).toBe('not measured');
    expect(latencyOf(null)).toBe('not measured');
    expect(latencyOf(0)).toBe('0 ms');
  });

  it('have as many digits as they need', () => {
    expect(priceOf(0.00551574321)).toBe('0.00551574 USD');
    expect(priceOf(98_765.4321)).toBe('98,765.4 USD');
    expect(latencyOf(1500)).toBe('1.5 seconds');
    expect(latencyOf(60 * 60_000)).toBe('60 minutes');
  });
});
