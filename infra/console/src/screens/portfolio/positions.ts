/**
 * The layout of weight against risk: every position is a bar as wide as its weight and as high as its risk, so that its area is what it adds
 * to the weighted risk.
 */
import type { Answer } from '@mirrorworthy/client';
import { count, number, percent } from '../../words';

export type Position = Answer<'PortfolioPosition'>;

/** What a position is: a token that is rated, one that is not, or what is rated by its kind: cash (a stablecoin), one off its peg, the own coin. */
export type Kind = 'low' | 'medium' | 'high' | 'critical' | 'unknown' | 'cash' | 'off-peg' | 'own-coin';

/** The risk that a position of unknown risk counts with. */
const unknownScore = 50;

export const kindNames: Record<Kind, string> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  critical: 'critical',
  unknown: 'unknown',
  cash: 'cash',
  'off-peg': 'stablecoin off its peg',
  'own-coin': 'own coin',
};

/** What a position is, as the service says. */
export function kindOf({ kind, risk }: Position): Kind {
  switch (kind) {
    case 'stablecoin':
      return 'cash';
    case 'off-peg':
    case 'own-coin':
      return kind;
    default:
      return risk ?? 'unknown';
  }
}

/** A bar: its place in the list, from 1, and from where, how wide and how high it is, in percent of the picture. */
export type Bar = { place: number; position: Position; kind: Kind; left: number; width: number; height: number };

/** Lays the positions out from left to right. One whose weight was not measured has no bar. */
export function barsOf(positions: readonly Position[]): Bar[] {
  const whole = Math.max(
    100,
    positions.reduce((sum, position) => sum + (position.weightPct ?? 0), 0),
  );
  const bars: Bar[] = [];
  let left = 0;
  for (const [i, position] of positions.entries()) {
    if (position.weightPct === null) {
      continue;
    }
    const width = (100 * position.weightPct) / whole;
    bars.push({ place: i + 1, position, kind: kindOf(position), left, width, height: position.riskScore ?? unknownScore });
    left += width;
  }
  return bars;
}

const kinds: Kind[] = ['critical', 'high', 'medium', 'low', 'unknown', 'off-peg', 'own-coin', 'cash'];

/** The kinds that there are, riskiest first, with how many positions and how much weight each has. */
export function sharesOf(positions: readonly Position[]): { kind: Kind; positions: number; weightPct: number | null }[] {
  return kinds
    .map((kind) => {
      const those = positions.filter((position) => kindOf(position) === kind);
      // Of weights of which one is missing there is no sum.
      const weightPct = those.reduce<number | null>(
        (sum, each) => (sum === null || each.weightPct === null ? null : sum + each.weightPct),
        0,
      );
      return { kind, positions: those.length, weightPct };
    })
    .filter((share) => share.positions > 0);
}

const sharePhrases: Record<Kind, string> = {
  critical: 'of critical risk',
  high: 'of high risk',
  medium: 'of medium risk',
  low: 'of low risk',
  unknown: 'of unknown risk',
  cash: 'of cash',
  'off-peg': 'of stablecoins off their peg',
  'own-coin': "of the chain's own coin",
};

/** The picture in a sentence. Weighted risk is 0 to 100. */
export function saysOf(positions: readonly Position[], weightedRisk: number | null): string {
  const shares = sharesOf(positions).map(
    (share) => `${percent(share.weightPct)} in ${count(share.positions, 'position')} ${sharePhrases[share.kind]}`,
  );
  const risk = weightedRisk === null ? 'The weighted risk is not measured.' : `The weighted risk is ${number(weightedRisk)} of 100.`;
  return `${count(positions.length, 'position')} by weight: ${shares.join(', ')}. ${risk}`;
}

/** What is rated by its kind. */
const byKind: Partial<Record<Kind, string>> = {
  cash: 'Cash, counts by its kind',
  'off-peg': 'A stablecoin off its peg, counts by its kind',
  'own-coin': "The chain's own coin, counts by its kind",
};

/** The numbers behind the picture. */
export function rowsOf(positions: readonly Position[]): string[][] {
  return positions.map((position, i) => {
    const kind = kindOf(position);
    const risk = byKind[kind] ?? kindNames[kind];
    const score = position.riskScore === null ? `unknown, counts as ${unknownScore}` : number(position.riskScore);
    return [`${i + 1} ${position.symbol}`, percent(position.weightPct), risk, score];
  });
}

/** What became of a wallet's holdings, in sentences. */
export function coverageWords(coverage: Answer<'PortfolioCoverage'>): string[] {
  const { holdings } = coverage;
  const parts = [
    `${number(coverage.assessed, 0)} assessed`,
    `${number(coverage.unassessed, 0)} of unknown risk, counted as ${unknownScore}`,
    `${number(coverage.dust, 0)} too small to count`,
    `${number(coverage.beyondDepth, 0)} beyond the depth`,
    `${number(coverage.spam, 0)} spam`,
    `${number(coverage.unpriced, 0)} without a price that can be believed`,
  ];
  return [
    holdings === 0 ? 'The wallet holds nothing.' : `Of ${count(holdings, 'holding')}: ${parts.join('; ')}.`,
    coverage.assessedSharePct === null
      ? 'What part of the value was assessed is not measured.'
      : `What was assessed is ${percent(coverage.assessedSharePct)} of all value found.`,
  ];
}

/** How many holdings the service assesses at most. */
export const deepest = 50;

/** Reads a depth; null for what is not a whole number of 1 to 50. */
export function depthOf(text: string): number | null {
  const depth = /^\d{1,2}$/.test(text.trim()) ? Number(text) : 0;
  return depth >= 1 && depth <= deepest ? depth : null;
}
