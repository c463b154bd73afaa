/** Every screen with something on it: where it is, and what it asks. */

import type { Page } from '@playwright/test';
import { type Console, expect } from './fixtures';

export type Screen = {
  name: string;
  /** The fragment of its address. */
  hash: (console: Console) => Promise<string> | string;
  /** The path that it asks, and what the API document calls the answer. */
  asks: { path: string; answer: string };
  /** The slots of the answer, where it is a bundle. */
  slots?: readonly string[];
};

const of = (list: Parameters<Console['sample']>[0], kind: string) => async (console: Console) => (await console.sample(list, kind)).hash;

export const screens: readonly Screen[] = [
  { name: 'traders', hash: () => '#/leaderboard/traders', asks: { path: '/v1/trader-board', answer: 'BoardOfTraderBoardRow' } },
  {
    name: 'spot leaders',
    hash: () => '#/leaderboard/spot-leaders',
    asks: { path: '/v1/copy/spot-leaders', answer: 'BoardOfSpotLeaderRow' },
  },
  { name: 'strategies', hash: () => '#/leaderboard/strategies', asks: { path: '/v1/copy/strategies', answer: 'BoardOfStrategyRow' } },
  { name: 'top traders', hash: () => '#/leaderboard/top-traders', asks: { path: '/v1/copy/top-traders', answer: 'BoardOfTopTraderRow' } },
  {
    name: 'track record',
    hash: () => '#/leaderboard/track-record',
    asks: { path: '/v1/traders/track-record', answer: 'TrackRecordOfEntry' },
  },
  {
    name: 'trader',
    hash: of('wallets', 'skilled-swing'),
    asks: { path: '/v1/wallet-overview', answer: 'WalletOverview' },
    slots: [
      'traderScore',
      'copySimulate',
      'traderEdge',
      'walletPnlQuality',
      'walletArchetype',
      'traderStyle',
      'walletHealth',
      'walletNetflow',
      'walletTrades',
    ],
  },
  {
    name: 'perpetuals trader',
    hash: async (console) => (await console.samples('perps'))[0]?.hash ?? '',
    asks: { path: '/v1/perp-wallet', answer: 'PerpWalletAnswer' },
  },
  {
    name: 'prediction trader',
    hash: async (console) => (await console.samples('predictions'))[0]?.hash ?? '',
    asks: { path: '/v1/prediction-wallet', answer: 'WalletAnswer' },
  },
  {
    name: 'token',
    hash: of('tokens', 'major'),
    asks: { path: '/v1/token-overview', answer: 'TokenOverview' },
    slots: [
      'tokenIntel',
      'tokenSignal',
      'smartMoneyFlow',
      'exitRisk',
      'tokenInflection',
      'tokenHoldersInsight',
      'tokenValuation',
      'tokenNarrative',
      'tokenChanges',
      'tokenPriceAction',
    ],
  },
  {
    name: 'portfolio',
    hash: async (console) => (await console.sample('wallets', 'holder')).hash.replace('#/trader/', '#/portfolio/'),
    asks: { path: '/v1/portfolio-overview', answer: 'PortfolioOverview' },
    slots: ['portfolioRisk', 'walletHealth', 'walletNetflow'],
  },
  { name: 'copy', hash: () => '#/copy', asks: { path: '/v1/copy/leaders', answer: 'BoardOfCopyLeaderRow' } },
];

/** Waits until nothing on the page is still being asked for or loaded. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.waitForLoadState('networkidle');
  await expect(page.locator('main .waiting')).toHaveCount(0);
}
