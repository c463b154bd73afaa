import { describe, expect, test } from 'vitest';
import { type Interval, intervalWords, placeOn, rates, scaleOf } from './interval';

function interval(estimate: number | null, low: number | null, high: number | null, at?: number | null): Interval {
  return { label: 'Edge', estimate, low, high, ...(at === undefined ? {} : { mark: { at, label: 'base' } }) };
}

describe('a scale', () => {
  test.each([
    [[interval(11.81, 6.69, 16.92), interval(10.77, 5.66, 15.89)], { from: 0, to: 20, ticks: [0, 5, 10, 15, 20] }],
    [[interval(-3, -8, 2)], { from: -8, to: 2, ticks: [-8, -6, -4, -2, 0, 2] }],
    [[interval(0.02, -0.01, 0.05)], { from: -0.02, to: 0.06, ticks: [-0.02, 0, 0.02, 0.04, 0.06] }],
    [[interval(120, null, null)], { from: 0, to: 150, ticks: [0, 50, 100, 150] }],
    [[interval(0, 0, 0)], { from: 0, to: 0.2, ticks: [0, 0.2] }],
    [[interval(null, null, null)], { from: -1, to: 1, ticks: [0] }],
    [[], { from: -1, to: 1, ticks: [0] }],
  ])('holds all that is drawn, zero, and a few round ticks', (intervals, scale) => {
    expect(scaleOf(intervals)).toEqual(scale);
  });

  test('holds the marks too', () => {
    const scale = scaleOf([interval(1, 0.5, 2, 9)]);
    expect(scale.to).toBeGreaterThanOrEqual(9);
  });

  test('holds whatever it is made for, with zero on it and at most seven ticks', () => {
    for (let power = -4; power <= 6; power += 1) {
      for (const [low, high] of [
        [1, 1.7],
        [-3.3, 9.1],
        [-9.9, -0.1],
        [-1, 1],
      ] as const) {
        const [from, to] = [low * 10 ** power, high * 10 ** power];
        const scale = scaleOf([interval((from + to) / 2, from, to)]);
        expect(scale.from).toBeLessThanOrEqual(Math.min(0, from));
        expect(scale.to).toBeGreaterThanOrEqual(Math.max(0, to));
        expect(scale.ticks).toContain(0);
        expect(scale.ticks.length).toBeGreaterThanOrEqual(2);
        expect(scale.ticks.length).toBeLessThanOrEqual(7);
      }
    }
  });

  test('gives every value a place, and none beyond its ends', () => {
    expect(placeOn(rates, 0.25)).toBe(0.25);
    expect(placeOn({ from: -10, to: 30, ticks: [] }, 0)).toBe(0.25);
    expect(placeOn(rates, 1.5)).toBe(1);
    expect(placeOn(rates, -1)).toBe(0);
  });
});

describe('an interval in words', () => {
  const write = (value: number) => `${value} %`;
  test('names the estimate, its range and what it is compared with', () => {
    expect(intervalWords(interval(62, 50, 73, 44), write)).toBe('Edge: 62 %, likely 50 % to 73 %, base 44 %.');
  });
  test('says what was not measured', () => {
    expect(intervalWords(interval(null, null, null, null), write)).toBe('Edge: not measured, base not measured.');
    expect(intervalWords(interval(0, null, null), write)).toBe('Edge: 0 %.');
  });
});
