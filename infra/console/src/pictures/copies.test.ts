import { describe, expect, test } from 'vitest';
import { type Copy, copiesWords, copyRows, fateOf, heights, oldestFirst, resultTicks, tally } from './copies';

const gain: Copy = { symbol: 'UP', entryMinsAgo: 3000, netPct: 381.35, status: 'resolved' };
const loss: Copy = { symbol: 'DOWN', entryMinsAgo: 9000, netPct: -5.2, status: 'resolved' };
const even: Copy = { symbol: 'EVEN', entryMinsAgo: 8000, netPct: 0, status: 'resolved' };
const dead: Copy = { symbol: 'GONE', entryMinsAgo: 5000, netPct: -100, status: 'dead' };
const pending: Copy = { symbol: 'SOON', entryMinsAgo: 60, netPct: null, status: 'pending' };
const skipped: Copy = { symbol: 'NONE', entryMinsAgo: 7000, netPct: null, status: 'skipped' };
const latestFirst = [pending, gain, dead, skipped, even, loss];

describe('copies', () => {
  test('stand from the oldest to the newest, and the given list stays as it is', () => {
    expect(oldestFirst(latestFirst).map((copy) => copy.symbol)).toEqual(['DOWN', 'EVEN', 'NONE', 'GONE', 'UP', 'SOON']);
    expect(latestFirst[0]).toBe(pending);
  });

  test('have gained only above zero after costs', () => {
    expect(latestFirst.map(fateOf)).toEqual(['pending', 'gained', 'dead', 'skipped', 'lost', 'lost']);
    expect(tally(latestFirst)).toEqual({ gained: 1, lost: 2, dead: 1, pending: 1, skipped: 1 });
  });

  test('without a result are marks at zero, and the dead reach down to a total loss', () => {
    expect(heights([gain, pending, skipped, dead])).toEqual([381.35, 0, 0, -100]);
    expect(heights([{ ...dead, netPct: null }])).toEqual([-100]);
  });

  test('are told in a sentence', () => {
    expect(copiesWords(latestFirst)).toBe(
      '6 simulated copies from the oldest to the newest: 1 gained after costs, 2 did not gain, 1 dead: could not be sold at the horizon, ' +
        '1 pending: not over yet, 1 skipped: no known entry price. Results reach from −100 % to +381 %.',
    );
    expect(copiesWords([pending])).toBe('1 simulated copy from the oldest to the newest: 1 pending: not over yet.');
  });

  test('without a result are not measured in the table, never zero', () => {
    expect(copyRows([pending, skipped, even])).toEqual([
      ['1', 'SOON', '60 minutes ago', 'not measured', 'pending: not over yet'],
      ['2', 'NONE', '5 days ago', 'not measured', 'skipped: no known entry price'],
      ['3', 'EVEN', '6 days ago', '0 %', 'did not gain'],
    ]);
  });
});

describe('the ticks of results', () => {
  test('reach as far as the results', () => {
    expect(resultTicks(-100, 381)).toEqual([-100, -20, 0, 20, 100, 300]);
    expect(resultTicks(-20, 20)).toEqual([-20, 0, 20]);
    expect(resultTicks(-5, 4)).toEqual([0]);
  });
});
