/** What is asked about a leader's trade on perpetuals, as a person types it and as the service takes it. */
import type { Body } from '@mirrorworthy/client';
import type { GradeLetter } from '../../parts/grade';

type Asked = Body<'/perp-copy-decision'>;

/** The numbers of the form: their names, labels and ranges. Where `above` is true the least itself is not in the range. */
export const numbers = [
  { name: 'leverage', label: 'Leverage of the leader', least: 0, above: true, most: 200, needed: true },
  { name: 'fundingRateHourly', label: 'Funding rate of an hour', least: -0.04, above: false, most: 0.04, needed: true },
  { name: 'allocationUsd', label: 'Your margin for a full copy, USD', least: 0, above: true, most: 1e9, needed: false },
  { name: 'holdHours', label: 'Hours to hold', least: 0.25, above: false, most: 720, needed: false },
  { name: 'entryPrice', label: 'The leader’s entry price', least: 0, above: true, most: 1e9, needed: false },
  { name: 'markPrice', label: 'Mark price', least: 0, above: true, most: 1e9, needed: false },
  { name: 'liquidationPrice', label: 'The leader’s liquidation price', least: 0, above: true, most: 1e9, needed: false },
  { name: 'maintenanceMarginRate', label: 'Maintenance margin (fraction)', least: 0, above: true, most: 0.5, needed: false },
  { name: 'maxLeverage', label: 'The venue’s highest leverage', least: 1, above: false, most: 200, needed: false },
  { name: 'dailyVolPct', label: 'Daily volatility, %', least: 0.1, above: false, most: 300, needed: false },
] as const;

export type NumberName = (typeof numbers)[number]['name'];

export type DecisionForm = { side: 'long' | 'short'; coin: string; leaderGrade: GradeLetter | '' } & Record<NumberName, string>;

export type DecisionErrors = Partial<Record<NumberName | 'coin', string>>;

export function decisionFormOf(given: { grade: GradeLetter | null }): DecisionForm {
  return {
    side: 'long',
    coin: '',
    leaderGrade: given.grade ?? '',
    leverage: '',
    fundingRateHourly: '',
    allocationUsd: '',
    holdHours: '',
    entryPrice: '',
    markPrice: '',
    liquidationPrice: '',
    maintenanceMarginRate: '',
    maxLeverage: '',
    dailyVolPct: '',
  };
}

/** Reads the form, or says field by field what is wrong. */
export function decisionOf(form: DecisionForm): { asked: Asked; errors: null } | { asked: null; errors: DecisionErrors } {
  const errors: DecisionErrors = {};
  const read: Partial<Record<NumberName, number>> = {};
  for (const { name, least, above, most, needed } of numbers) {
    const text = form[name].trim();
    if (text === '' && !needed) {
      continue;
    }
    const value = /^-?[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value <= most && (above ? value > least : value >= least))) {
      errors[name] = `A number ${above ? `above ${least}` : `from ${least}`} to ${most}${needed ? '' : ', or nothing'}.`;
      continue;
    }
    read[name] = value;
  }
  const coin = form.coin.trim();
  if (coin.length > 40) {
    errors.coin = 'At most 40 characters.';
  }
  const { leverage, fundingRateHourly, ...rest } = read;
  if (leverage === undefined || fundingRateHourly === undefined || Object.keys(errors).length > 0) {
    return { asked: null, errors };
  }
  return {
    asked: {
      side: form.side,
      leverage,
      fundingRateHourly,
      ...rest,
      ...(coin === '' ? {} : { coin }),
      ...(form.leaderGrade === '' ? {} : { leaderGrade: form.leaderGrade }),
    },
    errors: null,
  };
}
