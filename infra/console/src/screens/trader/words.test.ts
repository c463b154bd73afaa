import { expect, test } from 'vitest';
import { againstWords } from './copy-simulation';
import { nearness, nearnessWords } from './nearness';

test('the nearer the liquidation, the more dangerous, and unknown is neither', () => {
  expect(nearness(4.9).tone).toBe('bad');
  expect(nearness(5).tone).toBe('caution');
  expect(nearness(14.9).tone).toBe('caution');
  expect(nearness(15).tone).toBe('good');
  expect(nearness(null)).toEqual({ word: 'not measured', tone: 'unknown' });
  expect(nearness(0).tone).toBe('bad');
  expect(nearnessWords(4.2)).toBe('4.2 % away, very near');
  expect(nearnessWords(null)).toBe('not measured');
});

test('the win rate is said beside the base rate', () => {
  expect(againstWords(0.403, 0.362)).toBe(
    'Copies won 40 % of the time, 4 percentage points more than random entries in the same tokens, which won 36 %.',
  );
  expect(againstWords(0.3, 0.31)).toMatch(/1 percentage point less than random/);
  expect(againstWords(0.5, 0.5)).toMatch(/the same as random/);
  expect(againstWords(0.5, null)).toMatch(/random entries in the same tokens won is not measured/);
  expect(againstWords(null, 0.5)).toMatch(/not measured: too few results/);
});
