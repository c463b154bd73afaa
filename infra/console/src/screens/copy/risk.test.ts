import { describe, expect, it } from 'vitest';
import { isAmount, namesOf, riskConfigOf, riskFormOf } from './risk';

const form = { ...riskFormOf({}), maxUsd: '250' };

describe('the limits of an agent', () => {
  it('keeps amounts as they were typed', () => {
    const { risk } = riskConfigOf({ ...form, maxUsd: ' 250.10 ', dailyLossUsd: '0.000001' }, true);
    expect(risk).toEqual({ maxUsd: '250.10', copyPercent: 100, dailyLossUsd: '0.000001' });
  });

  it('takes every limit', () => {
    const all = {
      maxUsd: '999999999999.999999',
      copyPercent: '12.5',
      maxLeverage: '2.5',
      maxSlippageBps: '150',
      dailyLossUsd: '50',
      perPositionCapPct: '33.09',
      excludeTokens: '0xabc, kPEPE\nxyz:CL',
      copyExisting: true,
    };
    expect(riskConfigOf(all, true).risk).toEqual({
      maxUsd: '999999999999.999999',
      copyPercent: 12.5,
      maxLeverage: 2.5,
      maxSlippageBps: 150,
      dailyLossUsd: '50',
      perPositionCapPct: 33.09,
      excludeTokens: ['0xabc', 'kPEPE', 'xyz:CL'],
      copyExisting: true,
    });
  });

  it('sends no leverage where none is traded', () => {
    expect(riskConfigOf({ ...form, maxLeverage: '3' }, false).risk).toEqual({ maxUsd: '250', copyPercent: 100 });
    expect(riskConfigOf({ ...form, maxLeverage: 'nonsense' }, false).errors).toBeNull();
  });

  it.each([
    '',
    '0',
    '0.0',
    '-1',
    '1e3',
    '1,5',
    '250.',
    '.5',
    '1.1234567',
    '1234567890123',
    '٢٥',
    '0x10',
    ' ',
  ])('takes no %j for an amount', (text) => {
    expect(riskConfigOf({ ...form, maxUsd: text }, true).errors?.maxUsd).toBeDefined();
  });

  it.each([
    ['copyPercent', ['', '0', '100.1', '-5', '1e1', 'x']],
    ['maxLeverage', ['0.9', '20.1', 'x', '1e1']],
    ['maxSlippageBps', ['0', '5001', '1.5', 'x']],
    ['dailyLossUsd', ['0', 'x', '-1']],
    ['perPositionCapPct', ['0', '100.5', 'x']],
    ['excludeTokens', ['tökén']],
  ] as const)('says what is wrong with %s', (name, texts) => {
    for (const text of texts) {
      const { risk, errors } = riskConfigOf({ ...form, [name]: text }, true);
      expect(risk, text).toBeNull();
      expect(Object.keys(errors ?? {}), text).toEqual([name]);
    }
  });

  it('fills in what the service suggests', () => {
    expect(riskFormOf({ maxUsd: '200', perPositionCapPct: '33.09', excludeTokens: ['0xa', '0xb'] })).toMatchObject({
      maxUsd: '200',
      copyPercent: '100',
      perPositionCapPct: '33.09',
      excludeTokens: '0xa\n0xb',
      copyExisting: false,
    });
  });

  it('knows amounts and names', () => {
    expect(isAmount('0.000001')).toBe(true);
    expect(isAmount('0.0000001')).toBe(false);
    expect(namesOf(' a,b;c\n\nd ')).toEqual(['a', 'b', 'c', 'd']);
  });
});
