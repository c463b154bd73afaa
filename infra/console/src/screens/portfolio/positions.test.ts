import { describe, expect, it } from 'vitest';
import { barsOf, coverageWords, depthOf, kindOf, type Position, rowsOf, saysOf, sharesOf } from './positions';

const position = (
  symbol: string,
  weightPct: number | null,
  risk: Position['risk'],
  riskScore: number | null,
  kind: Position['kind'] = 'token',
): Position => ({
  symbol,
  weightPct,
  kind,
  risk,
  riskScore,
});
const held = [
  position('FROG', 40, 'critical', 98),
  position('ETH', 30, null, 10, 'own-coin'),
  position('USDC', 20, null, 5, 'stablecoin'),
  position('NEW', 10, 'unknown', null),
];

describe('positions by weight and risk', () => {
  it('knows cash and the own coin by having no verdict, and never by a symbol alone', () => {
    expect(held.map((each) => kindOf(each))).toEqual(['critical', 'own-coin', 'cash', 'unknown']);
    expect(kindOf(position('ETH', 1, 'high', 60))).toBe('high');
    expect(kindOf(position('USDC', 1, 'unknown', null))).toBe('unknown');
    expect(kindOf(position('stETH', 1, null, 10, 'own-coin'))).toBe('own-coin');
    expect(kindOf(position('USDX', 1, null, 50, 'off-peg'))).toBe('off-peg');
    expect(kindOf(position('ETH', 1, 'unknown', null))).toBe('unknown');
  });

  it('makes bars whose area is the weighted risk', () => {
    const bars = barsOf(held);
    expect(bars.map(({ left, width, height }) => [left, width, height])).toEqual([
      [0, 40, 98],
      [40, 30, 10],
      [70, 20, 5],
      [90, 10, 50],
    ]);
    const area = bars.reduce((sum, bar) => sum + (bar.width * bar.height) / 100, 0);
    expect(area).toBeCloseTo(39.2 + 3 + 1 + 5);
  });

  it('draws nothing of a weight that was not measured, and stays within the picture where rounded weights add up to more', () => {
    const bars = barsOf([position('A', 60.01, 'low', 2), position('B', null, 'low', 2), position('C', 40, 'low', 2)]);
    expect(bars.map((bar) => [bar.place, bar.position.symbol])).toEqual([
      [1, 'A'],
      [3, 'C'],
    ]);
    const last = bars.at(-1);
    expect((last?.left ?? 0) + (last?.width ?? 0)).toBeCloseTo(100, 6);
  });

  it('leaves room where weights are missing', () => {
    expect(barsOf([position('A', 60, 'low', 2), position('B', null, 'low', 2)]).map((bar) => bar.width)).toEqual([60]);
  });

  it('adds up what there is of each kind, riskiest first', () => {
    expect(sharesOf([...held, position('TOAD', 5, 'critical', 90)])).toEqual([
      { kind: 'critical', positions: 2, weightPct: 45 },
      { kind: 'unknown', positions: 1, weightPct: 10 },
      { kind: 'own-coin', positions: 1, weightPct: 30 },
      { kind: 'cash', positions: 1, weightPct: 20 },
    ]);
  });

  it('has no sum of weights of which one was not measured', () => {
    expect(sharesOf([...held, position('TOAD', null, 'critical', 90)])[0]).toEqual({ kind: 'critical', positions: 2, weightPct: null });
  });

  it('says itself in a sentence', () => {
    expect(saysOf(held, 48.2)).toBe(
      "4 positions by weight: 40 % in 1 position of critical risk, 10 % in 1 position of unknown risk, 30 % in 1 position of the chain's own coin, 20 % in 1 position of cash. The weighted risk is 48.2 of 100.",
    );
    expect(saysOf(held, null)).toContain('The weighted risk is not measured.');
  });

  it('lists unknown as unknown, and a missing weight as not measured', () => {
    expect(rowsOf([held[3] ?? position('', 0, null, 0), position('B', null, 'low', 2)])).toEqual([
      ['1 NEW', '10 %', 'unknown', 'unknown, counts as 50'],
      ['2 B', 'not measured', 'low', '2'],
    ]);
  });

  it('tells what became of the holdings', () => {
    const coverage = { holdings: 31, assessed: 10, unassessed: 1, dust: 3, beyondDepth: 6, spam: 2, unpriced: 9, assessedSharePct: 89.43 };
    expect(coverageWords(coverage)).toEqual([
      'Of 31 holdings: 10 assessed; 1 of unknown risk, counted as 50; 3 too small to count; 6 beyond the depth; 2 spam; 9 without a price that can be believed.',
      'What was assessed is 89 % of all value found.',
    ]);
    expect(coverageWords({ ...coverage, holdings: 0, assessedSharePct: null })).toEqual([
      'The wallet holds nothing.',
      'What part of the value was assessed is not measured.',
    ]);
  });

  it('takes whole depths of 1 to 50', () => {
    expect(['1', '50', ' 7 '].map(depthOf)).toEqual([1, 50, 7]);
    expect(['', '0', '51', '2.5', '-3', '1e1', 'ten'].map(depthOf)).toEqual([null, null, null, null, null, null, null]);
  });
});
