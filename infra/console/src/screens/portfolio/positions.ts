/**
 * The layout of weight against risk: every position is a bar as wide as its weight and as high as its risk, so that its area is what it adds
 * to the weighted risk.
 */
import type { Answer } from '@mirrorworthy/client';
import type { Chain } from '../../route';
import { count, number, percent } from '../../words';

export type Position = Answer<'PortfolioPosition'>;

/** What a position is: a token that is rated, one that is not, cash (a stablecoin), or the chain's own coin. The last two count by kind. */
export type Kind = 'low' | 'medium' | 'high' | 'critical' | 'unknown' | 'cash' | 'own-coin';

/** The risk that a position of unknown risk counts with. */
const unknownScore = 50;

const ownCoins: Record<Chain, string> = { eth: 'ETH', base: 'ETH', bsc: 'BNB', arbitrum: 'ETH', polygon: 'POL', optimism: 'ETH' };

export const kindNames: Record<Kind, string> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  critical: 'critical',
  unknown: 'unknown',
  cash: 'cash',
  'own-coin': 'own coin',
};

/** What a position is. Only stablecoins and the chain's own coin have no verdict at all, so that a symbol cannot pretend to be one. */
export function kindOf(position: Position, chain: Chain): Kind {
  if (position.risk !== null) {
    return position.risk;
  }
  return position.symbol === ownCoins[chain] ? 'own-coin' : 'cash';
}

/** A bar: its place in the list, from 1, and from where, how wide and how high it is, in percent of the picture. */
export type Bar = { place: number; position: Position; kind: Kind; left: number; width: number; height: number };

/** Lays the positions out from left to right. One whose weight was not measured has no bar. */
export function barsOf(positions: readonly Position[], chain: Chain): Bar[] {
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
    bars.push({ place: i + 1, position, kind: kindOf(position, chain), left, width, height: position.riskScore ?? unknownScore });
    left += width;
  }
  return bars;
}

const kinds: Kind[] = ['critical', 'high', 'medium', 'low', 'unknown', 'own-coin', 'cash'];

/** The kinds that there are, riskiest first, with how many positions and how much weight each has. */
export function sharesOf(positions: readonly Position[], chain: Chain): { kind: Kind; positions: number; weightPct: number }[] {
  return kinds
    .map((kind) => {
      const those = positions.filter((position) => kindOf(position, chain) === kind);
      return { kind, positions: those.length, weightPct: those.reduce((sum, position) => sum + (position.weightPct ?? 0), 0) };
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
  'own-coin': "of the chain's own coin",
};

/** The picture in a sentence. Weighted risk is 0 to 100. */
export function saysOf(positions: readonly Position[], chain: Chain, weightedRisk: number | null): string {
  const shares = sharesOf(positions, chain).map(
    (share) => `${percent(share.weightPct)} in ${count(share.positions, 'position')} ${sharePhrases[share.kind]}`,
  );
  const risk = weightedRisk === null ? 'The weighted risk is not measured.' : `The weighted risk is ${number(weightedRisk)} of 100.`;
  return `${count(positions.length, 'position')} by weight: ${shares.join(', ')}. ${risk}`;
}

/** The numbers behind the picture. */
export function rowsOf(positions: readonly Position[], chain: Chain): string[][] {
  return positions.map((position, i) => {
    const kind = kindOf(position, chain);
    const risk =
      kind === 'cash' ? 'Cash, counts by its kind' : kind === 'own-coin' ? "The chain's own coin, counts by its kind" : kindNames[kind];
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
