/** The limits of an agent as a person types them, and as the service takes them. Amounts of money stay decimal text all the way. */
import type { CreateAgentRequest } from '@mirrorworthy/client';
import type { Suggested } from './flow';

type RiskConfig = CreateAgentRequest['riskConfig'];

/** What is in the fields. */
export type RiskForm = {
  maxUsd: string;
  copyPercent: string;
  maxLeverage: string;
  maxSlippageBps: string;
  dailyLossUsd: string;
  perPositionCapPct: string;
  excludeTokens: string;
  copyExisting: boolean;
};

export type RiskErrors = Partial<Record<keyof RiskForm, string>>;

/** A form with what the service suggests, and the whole of the leader's proportions where it suggests nothing. */
export function riskFormOf(suggested: Suggested): RiskForm {
  return {
    maxUsd: suggested.maxUsd ?? '',
    copyPercent: suggested.copyPercent ?? '100',
    maxLeverage: suggested.maxLeverage ?? '',
    maxSlippageBps: '',
    dailyLossUsd: '',
    perPositionCapPct: suggested.perPositionCapPct ?? '',
    excludeTokens: (suggested.excludeTokens ?? []).join('\n'),
    copyExisting: false,
  };
}

const amount = /^[0-9]{1,12}(\.[0-9]{1,6})?$/;
const decimal = /^[0-9]+(\.[0-9]+)?$/;

/** Whether a text is an amount of money above zero: up to 12 digits before the point and 6 after it. */
export function isAmount(text: string): boolean {
  return amount.test(text) && /[1-9]/.test(text);
}

/** Reads a number that is typed in decimals; null for any other text, so that 1e3, 0x10 or a comma is none. */
export function decimalOf(text: string): number | null {
  return decimal.test(text) ? Number(text) : null;
}

/** Reads names that are separated by spaces, commas or lines. */
export function namesOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((name) => name !== '');
}

/** Reads a form, or says field by field what is wrong. `perps` is whether leverage is taken. */
export function riskConfigOf(form: RiskForm, perps: boolean): { risk: RiskConfig; errors: null } | { risk: null; errors: RiskErrors } {
  const errors: RiskErrors = {};
  const typed = (name: 'copyPercent' | 'maxLeverage' | 'maxSlippageBps' | 'perPositionCapPct') => {
    const text = form[name].trim();
    return text === '' ? undefined : (decimalOf(text) ?? Number.NaN);
  };
  const maxUsd = form.maxUsd.trim();
  if (!isAmount(maxUsd)) {
    errors.maxUsd = 'An amount above 0, like 250 or 250.5: up to 12 digits before the point and 6 after it.';
  }
  const copyPercent = typed('copyPercent');
  if (copyPercent === undefined || !(copyPercent > 0 && copyPercent <= 100)) {
    errors.copyPercent = 'A percentage above 0, at most 100.';
  }
  const maxLeverage = perps ? typed('maxLeverage') : undefined;
  if (maxLeverage !== undefined && !(maxLeverage >= 1 && maxLeverage <= 20)) {
    errors.maxLeverage = 'From 1 to 20, or nothing for the usual 3.';
  }
  const maxSlippageBps = typed('maxSlippageBps');
  if (maxSlippageBps !== undefined && !(Number.isInteger(maxSlippageBps) && maxSlippageBps >= 1 && maxSlippageBps <= 5000)) {
    errors.maxSlippageBps = 'A whole number of hundredths of a percent, from 1 to 5000, or nothing.';
  }
  const dailyLossUsd = form.dailyLossUsd.trim();
  if (dailyLossUsd !== '' && !isAmount(dailyLossUsd)) {
    errors.dailyLossUsd = 'An amount above 0, like 50, or nothing.';
  }
  const perPositionCapPct = typed('perPositionCapPct');
  if (perPositionCapPct !== undefined && !(perPositionCapPct > 0 && perPositionCapPct <= 100)) {
    errors.perPositionCapPct = 'A percentage above 0, at most 100, or nothing.';
  }
  const excludeTokens = namesOf(form.excludeTokens);
  if (excludeTokens.some((name) => !/^[!-~]+$/.test(name))) {
    errors.excludeTokens = 'Token addresses or the venue’s names, in plain letters and digits.';
  }
  if (Object.keys(errors).length > 0 || copyPercent === undefined) {
    return { risk: null, errors };
  }
  const risk: RiskConfig = {
    maxUsd,
    copyPercent,
    ...(maxLeverage === undefined ? {} : { maxLeverage }),
    ...(maxSlippageBps === undefined ? {} : { maxSlippageBps }),
    ...(dailyLossUsd === '' ? {} : { dailyLossUsd }),
    ...(perPositionCapPct === undefined ? {} : { perPositionCapPct }),
    ...(excludeTokens.length === 0 ? {} : { excludeTokens }),
    ...(form.copyExisting ? { copyExisting: true } : {}),
  };
  return { risk, errors: null };
}
