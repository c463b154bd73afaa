import { describe, expect, it } from 'vitest';
import { decisionFormOf, decisionOf } from './decision';
import { leadersIn } from './overlap';
import { adviceOfDecision } from './size-perps';

const form = { ...decisionFormOf({ grade: 'B' }), leverage: '10', fundingRateHourly: '-0.0000125' };

describe('the question about a trade on perpetuals', () => {
  it('asks with what is needed, and leaves out what is not given', () => {
    expect(decisionOf(form).asked).toEqual({ side: 'long', leverage: 10, fundingRateHourly: -0.0000125, leaderGrade: 'B' });
  });

  it('takes all figures', () => {
    const asked = decisionOf({
      ...form,
      side: 'short',
      coin: ' xyz:CL ',
      leaderGrade: '',
      allocationUsd: '100.5',
      holdHours: '0.25',
      maxLeverage: '40',
    });
    expect(asked.asked).toEqual({
      side: 'short',
      leverage: 10,
      fundingRateHourly: -0.0000125,
      coin: 'xyz:CL',
      allocationUsd: 100.5,
      holdHours: 0.25,
      maxLeverage: 40,
    });
  });

  it.each([
    ['leverage', ['', '0', '200.1', 'x', '1e1']],
    ['fundingRateHourly', ['', '0.041', '-0.041', 'x']],
    ['allocationUsd', ['0', '-1']],
    ['holdHours', ['0.2', '721']],
    ['maintenanceMarginRate', ['0', '0.51']],
    ['maxLeverage', ['0.5', '201']],
    ['dailyVolPct', ['0.05', '301']],
  ] as const)('says what is wrong with %s', (name, texts) => {
    for (const text of texts) {
      expect(Object.keys(decisionOf({ ...form, [name]: text }).errors ?? {}), text).toEqual([name]);
    }
  });
});

describe('what a decision suggests', () => {
  const assumption = { value: 1, source: 'default' };
  const decision = {
    copy: true,
    maxLeverage: 40,
    sizeFactor: 0.15,
    liqDistancePct: null,
    fundingCostDaily: null,
    touchProbability: null,
    allocationUsd: null,
    flags: ['funding-heavy'],
    assumptions: { maxLeverage: assumption, maintenanceMarginRate: assumption, dailyVolPct: assumption, holdHours: assumption },
    reasons: [],
  };

  it('is the size factor in percent and a leverage that agents take', () => {
    expect(adviceOfDecision(decision)).toMatchObject({
      copy: true,
      lines: ['funding-heavy'],
      suggested: { copyPercent: '15', maxLeverage: '20' },
    });
  });

  it('is nothing against the copy', () => {
    const { copy, suggested } = adviceOfDecision({ ...decision, copy: false, maxLeverage: 0, sizeFactor: 0 });
    expect(copy).toBe(false);
    expect(suggested).not.toHaveProperty('copyPercent');
    expect(suggested).not.toHaveProperty('maxLeverage');
  });
});

describe('leaders to compare with', () => {
  const address = (digit: string) => `0x${digit.repeat(40)}`;

  it('are addresses, at most 25, or none', () => {
    expect(leadersIn('').leaders).toEqual([]);
    expect(leadersIn(`${address('a')}, ${address('b')}`).leaders).toEqual([address('a'), address('b')]);
    expect(leadersIn('0x12').error).toContain('0x12');
    expect(leadersIn(Array(25).fill(address('a')).join(' ')).leaders).toHaveLength(25);
    expect(leadersIn(Array(26).fill(address('a')).join(' ')).error).toContain('26');
  });
});
