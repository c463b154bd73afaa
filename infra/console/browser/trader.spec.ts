/** A trader's page in each of its kinds, with every state in which little or nothing is known. */
import type { Answer } from '@mirrorworthy/client';
import { expect, test } from './fixtures';

type Overview = Answer<'WalletOverview'>;
type Perp = Answer<'PerpWalletAnswer'>;
type Prediction = Answer<'WalletAnswer'>;
type Copies = Answer<'CopySimulateAnswer'>;

const wallet = `0x${'4'.repeat(40)}`;
const spot = `#/trader/eth/${wallet}`;

/** A simulation with one copy of every fate, latest first as the service gives them. */
const simulation: Copies = {
  simulated: true,
  reason: null,
  rated: true,
  winRate: 0.4,
  medianReturnPct: -5.3,
  compoundedReturnPct: 5.7,
  baseWinRate: 0.36,
  best: { symbol: 'UP', netPct: 381 },
  worst: { symbol: 'GONE', netPct: -100 },
  form: 'steady',
  closedPositions: 5,
  simulatedTrades: 3,
  pendingTrades: 1,
  skippedTrades: 1,
  perTrade: [
    { symbol: 'SOON', entryMinsAgo: 60, netPct: null, status: 'pending' },
    { symbol: 'UP', entryMinsAgo: 15_000, netPct: 381, status: 'resolved' },
    { symbol: 'NONE', entryMinsAgo: 20_000, netPct: null, status: 'skipped' },
    { symbol: 'GONE', entryMinsAgo: 25_000, netPct: -100, status: 'dead' },
    { symbol: 'DOWN', entryMinsAgo: 30_000, netPct: -5.3, status: 'resolved' },
  ],
  terms: { entry: 'close of the hour of the first buy', horizonDays: 7, roundTripHaircutPct: 4, stakePct: 10 },
  reasons: ['Won some.', 'Lost some.'],
  note: 'Simulated, not traded, and said exactly so.',
};

test.describe('a spot trader', () => {
  test('is shown in nine parts, each with all its reasons', async ({ console, page }) => {
    let overview: Overview | undefined;
    await console.answer<Overview>('/v1/wallet-overview', (json) => {
      overview = json;
    });
    const board = await page.request.get(`${console.service}/v1/trader-board?limit=1`, {
      headers: { Authorization: `Bearer ${console.key}` },
    });
    const [leader] = ((await board.json()) as Answer<'BoardOfTraderBoardRow'>).rows;
    await console.open(`#/trader/${leader?.chain}/${leader?.wallet}`);
    const titles = [
      ['Trader score', 'traderScore'],
      ['Trader edge', 'traderEdge'],
      ['Copied with a delay', 'copySimulate'],
      ['Skill or luck', 'walletPnlQuality'],
      ['Archetype', 'walletArchetype'],
      ['Style', 'traderStyle'],
      ['Wallet health', 'walletHealth'],
      ['Buying or selling', 'walletNetflow'],
      ['Latest trades', 'walletTrades'],
    ] as const;
    for (const [title, slot] of titles) {
      const card = page.getByRole('region', { name: title, exact: true });
      await expect(card).toBeVisible();
      const given = overview?.[slot];
      expect(given && 'reasons' in given ? given.reasons.length : 0).toBeGreaterThan(0);
      await expect(card.getByRole('list', { name: 'Reasons' }).getByRole('listitem')).toHaveText(
        given && 'reasons' in given ? given.reasons : [],
      );
    }
    await expect(page.getByRole('img', { name: /^Grade [A-F]/ })).toHaveCount(1);
    await expect(page.getByRole('link', { name: 'Copy this trader' })).toHaveAttribute(
      'href',
      `#/copy?leader=${leader?.wallet}&venue=dexvenue-spot&chain=${leader?.chain}`,
    );
    await expect(page.getByRole('link', { name: 'Its portfolio' })).toHaveAttribute(
      'href',
      `#/portfolio/${leader?.chain}/${leader?.wallet}`,
    );
  });

  test('of whom one part failed keeps the others', async ({ console, page }) => {
    await console.answer<Overview>('/v1/wallet-overview', (json) => ({
      ...json,
      traderScore: { error: 'provider_unavailable', message: 'The source of trades does not answer.' },
      partial: true,
      failed: ['traderScore'],
    }));
    await console.open(spot);
    const card = page.getByRole('region', { name: 'Trader score' });
    await expect(card.getByRole('alert')).toContainText('The source of trades does not answer.');
    await expect(card.getByRole('alert')).toContainText('provider_unavailable');
    await expect(page.getByText('1 of nine parts could not be answered')).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(1);
    await expect(page.getByRole('region', { name: 'Trader edge' }).getByRole('list', { name: 'Reasons' })).toBeVisible();
    await expect(page.getByRole('img', { name: /^(Grade|Unrated)/ })).toHaveCount(0);
    await expect(page.getByText(wallet)).toBeVisible();
    const asked = page.waitForRequest('**/v1/wallet-overview');
    await card.getByRole('button', { name: 'Ask again' }).click();
    await asked;
  });

  test('without history is unrated, not bad', async ({ console, page }) => {
    await console.answer<Overview>('/v1/wallet-overview', (json) => {
      const nothing = {
        winRate: null,
        medianReturnPct: null,
        compoundedReturnPct: null,
        baseWinRate: null,
        best: null,
        worst: null,
        form: null,
      };
      return {
        ...json,
        traderScore: {
          grade: null,
          verdict: 'unrated',
          score: null,
          subscores: null,
          confidence: 0.06,
          sampleSize: 1,
          reasons: ['1 closed position; 2 more are needed.'],
        },
        copySimulate: { ...simulation, ...nothing, rated: false, simulatedTrades: 1, perTrade: simulation.perTrade.slice(1, 2) },
        traderEdge: { edge: 'insufficient-data', holdStyle: 'insufficient-data', bestAt: [], reasons: ['Too few positions.'] },
        walletPnlQuality: {
          verdict: 'unrated',
          effectiveTrades: 1,
          topTradeSharePct: null,
          withoutBestPct: null,
          timingP: null,
          reasons: ['Too few positions.'],
        },
        walletArchetype: { archetype: 'unclassified', traits: [], automated: 'unlikely', reasons: ['Too few trades.'] },
        traderStyle: {
          style: 'insufficient-data',
          tempo: 'dormant',
          medianHoldHours: null,
          entriesPerActiveWeek: null,
          burstiness: null,
          automated: 'unlikely',
          reasons: ['Too few positions.'],
        },
        walletNetflow: { posture: 'inactive', buyShare: null, windowDays: 90, trades: 0, reasons: ['No trades.'] },
      };
    });
    await console.open(spot);
    await expect(page.getByRole('img', { name: 'Unrated' })).toHaveText('?');
    const copies = page.getByRole('region', { name: 'Copied with a delay' });
    await expect(copies.getByRole('img', { name: 'Copies won: not measured' })).toBeVisible();
    await expect(copies).toContainText('Middle resultnot measured');
    await expect(copies).toContainText('All compoundednot measured');
    await expect(copies).toContainText('Best copynot measured');
    await expect(copies).toContainText('Formnot measured');
    await expect(copies.getByRole('img', { name: '1 simulated copy from the oldest to the newest: 1 gained after costs. ' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Buying or selling' }).getByRole('img', { name: /^Bought: not measured/ })).toBeVisible();
    for (const title of [
      'Trader score',
      'Trader edge',
      'Skill or luck',
      'Archetype',
      'Style',
      'Buying or selling',
      'Copied with a delay',
    ]) {
      await expect(page.getByRole('region', { name: title, exact: true }).locator('.tone-bad, .tone-caution')).toHaveCount(0);
    }
    await expect(page.getByText('Insufficient data', { exact: true }).first()).toHaveClass(/tone-unknown/);
  });

  test('has every simulated copy drawn and listed, the note and the terms beside', async ({ console, page }) => {
    await console.answer<Overview>('/v1/wallet-overview', (json) => ({ ...json, copySimulate: simulation }));
    await console.open(spot);
    const copies = page.getByRole('region', { name: 'Copied with a delay' });
    await expect(copies.getByRole('note')).toHaveText('Simulated, not traded, and said exactly so.');
    await expect(copies).toContainText('enters at the close of the hour of the first buy, is held for 7 days, pays 4 % for');
    await expect(copies).toContainText(
      'Copies won 40 % of the time, 4 percentage points more than random entries in the same tokens, which won 36 %.',
    );
    await expect(copies.getByRole('img', { name: 'Copies won: 40 %; random entries 36 %' })).toBeVisible();
    await expect(copies.getByRole('img', { name: 'Random entries: 36 %' })).toBeVisible();
    await expect(copies.getByRole('img', { name: /^5 simulated copies from the oldest to the newest/ }).locator('canvas')).toBeVisible();
    await copies.getByText('The numbers').click();
    await expect(copies.getByRole('row')).toHaveText([
      /^Copy/,
      /^1DOWN.*−5\.3 %did not gain$/,
      /^2GONE.*−100 %dead: could not be sold at the horizon$/,
      /^3NONE.*not measuredskipped: no known entry price$/,
      /^4UP.*\+381 %gained after costs$/,
      /^5SOON.*not measuredpending: not over yet$/,
    ]);
  });

  test('that could not be simulated says why', async ({ console, page }) => {
    await console.answer<Overview>('/v1/wallet-overview', (json) => ({
      ...json,
      copySimulate: {
        ...simulation,
        simulated: false,
        rated: false,
        reason: 'No entry of this wallet has a known price.',
        winRate: null,
        baseWinRate: null,
        perTrade: [],
      },
    }));
    await console.open(spot);
    const copies = page.getByRole('region', { name: 'Copied with a delay' });
    await expect(copies).toContainText('Nothing could be simulated: No entry of this wallet has a known price.');
    await expect(copies.getByRole('figure')).toHaveCount(0);
  });

  test('has recommended actions word for word', async ({ console, page }) => {
    const actions = ['Revoke the approval of 0x12…34 first.', 'Then undo the delegation.'];
    await console.answer<Overview>('/v1/wallet-overview', (json) => {
      Object.assign(json.walletHealth, { health: 'exposed', healthScore: null, recommendedActions: actions });
    });
    await console.open(spot);
    const health = page.getByRole('region', { name: 'Wallet health' });
    await expect(health.locator('.actions').getByRole('listitem')).toHaveText(actions);
    await expect(health).toContainText('Health score, 0 to 100not measured');
  });

  test('has more trades asked for without asking for the rest again', async ({ console, page }) => {
    let overviews = 0;
    page.on('request', (request) => {
      overviews += request.url().endsWith('/v1/wallet-overview') ? 1 : 0;
    });
    await console.answer<Answer<'WalletTradesAnswer'>>('/v1/wallet-trades', (json) => ({
      ...json,
      trades: [
        { action: 'swap', symbol: 'NEW', fromSymbol: 'OLD', sizeBand: null, minsAgo: 120 },
        { action: 'buy', symbol: 'MORE', fromSymbol: null, sizeBand: 'small', minsAgo: 240 },
      ],
    }));
    await console.open(spot);
    const trades = page.getByRole('region', { name: 'Latest trades' });
    const asked = page.waitForRequest('**/v1/wallet-trades');
    await trades.getByLabel('List at most').selectOption('50');
    expect((await asked).postDataJSON()).toEqual({ wallet, chain: 'eth', tradesLimit: 50 });
    await expect(trades.getByRole('row', { name: 'Swap OLD for NEW not measured 2 hours ago' })).toBeVisible();
    await expect(trades.getByRole('row', { name: 'Buy MORE small 4 hours ago' })).toBeVisible();
    expect(overviews).toBe(1);
  });

  test('that cannot be answered at all says why', async ({ console, page }) => {
    await console.fail('/v1/wallet-overview', 400, { error: 'invalid_address', message: 'That is no address.', requestId: 'request-9' });
    await console.open(spot);
    await expect(page.getByRole('alert')).toContainText('That is no address.');
    await expect(page.getByRole('alert')).toContainText('request-9');
    await expect(page.getByRole('button', { name: 'Ask again' })).toBeVisible();
  });
});

test.describe('a perpetuals account', () => {
  const reasons = ['no-venue-history', 'open-positions-only', 'account-too-new', 'below-min-closed-trades'] as const;
  for (const reason of reasons) {
    test(`of ${reason} is unknown, with the note word for word`, async ({ console, page }) => {
      const note = `Exactly what the service says of ${reason}.`;
      await console.answer<Perp>('/v1/perp-wallet', (json) => ({
        ...json,
        accountBand: null,
        effectiveLeverage: null,
        winRate: null,
        winRateInterval: null,
        profitFactor: null,
        fundingPaidPct: null,
        nearestLiquidation: null,
        stressMovePct: null,
        coverage: { reason, note },
        reasons: ['Too little is known.'],
      }));
      await console.open(`#/trader/perp/${wallet}`);
      await expect(page.getByRole('note').filter({ hasText: note })).toHaveText(note);
      await expect(page.getByRole('img', { name: 'Win rate: not measured.' })).toBeVisible();
      await expect(page.getByText('Account not measured')).toBeVisible();
      const closed = page.getByRole('region', { name: 'Closed trades' });
      await expect(closed).toContainText('Gained for every 1 lostnot measured');
      await expect(closed).toContainText('Funding paid in 30 daysnot measured');
      await expect(page.getByRole('region', { name: 'Open positions' })).toContainText('Nearest liquidationnot measured');
      await expect(page.getByText('Too little is known.')).toBeVisible();
      await expect(page.locator('main .tone-bad, main .tone-caution')).toHaveCount(0);
    });
  }

  test('has its positions by how near they are to liquidation', async ({ console, page }) => {
    const common = { leverageType: 'cross', sizeBand: 'large', weightPct: 30 } as const;
    await console.answer<Perp>('/v1/perp-wallet', (json) => ({
      ...json,
      winRate: 0.78,
      winRateInterval: { low: 0.67, high: 0.86 },
      coverage: { reason: 'ok', note: 'Based on 92 trades.' },
      nearestLiquidation: { coin: 'ETH', distancePct: 3.2 },
      stressMovePct: -4.1,
      positions: [
        { ...common, coin: 'ETH', side: 'long', leverage: 20, pnlDirection: 'down', returnOnEquityPct: -12, liquidationDistancePct: 3.2 },
        { ...common, coin: 'BTC', side: 'short', leverage: 5, pnlDirection: 'up', returnOnEquityPct: 8, liquidationDistancePct: 25 },
        {
          ...common,
          coin: 'SOL',
          side: 'long',
          leverage: null,
          weightPct: null,
          pnlDirection: null,
          returnOnEquityPct: null,
          liquidationDistancePct: null,
        },
      ],
    }));
    await console.open(`#/trader/perp/${wallet}`);
    await expect(page.getByRole('img', { name: 'Win rate: 78 %, likely 67 % to 86 %.' })).toBeVisible();
    const position = (coin: string) => page.getByRole('listitem').filter({ hasText: coin });
    const [near, far, unknown] = [position('ETH'), position('BTC'), position('SOL')];
    await expect(near.getByRole('img', { name: 'To liquidation: 3.2 % away, very near' })).toBeVisible();
    await expect(near.getByText('Liquidated first')).toBeVisible();
    await expect(far.getByRole('img', { name: 'To liquidation: 25 % away, far' })).toBeVisible();
    await expect(unknown.getByRole('img', { name: 'To liquidation: not measured' })).toBeVisible();
    await expect(unknown.locator('.tone-bad, .tone-caution, .meter-bar')).toHaveCount(0);
    await expect(unknown).toContainText('leverage not measured');
    const [short, long] = await Promise.all([near, far].map((item) => item.locator('.meter-bar').boundingBox()));
    expect(short?.width).toBeLessThan(long?.width ?? 0);
    const open = page.getByRole('region', { name: 'Open positions' });
    await expect(open).toContainText('Nearest liquidationETH, 3.2 % away');
    await expect(open).toContainText('All prices together liquidate at−4.1 %');
    await expect(page.getByRole('link', { name: 'Copy this trader' })).toHaveAttribute(
      'href',
      `#/copy?leader=${wallet}&venue=perpvenue-perps`,
    );
  });
});

test.describe('a prediction wallet', () => {
  test('that is not active has no grade, and that is not bad', async ({ console, page }) => {
    await console.answer<Prediction>('/v1/prediction-wallet', () => ({
      active: false,
      windowDays: 90,
      mirrorable: false,
      verdict: 'unrated',
      score: null,
      confidence: null,
      sampleSize: 0,
      execution: null,
      entries: null,
      consistency: null,
      diversification: null,
      cadence: null,
      activity: null,
      winRate: null,
      edgeCents: null,
      copiedEdgeCents: null,
      chanceProbability: null,
      truncated: false,
      reasons: ['No trade of this wallet in the last 90 days.'],
    }));
    await console.open(`#/trader/prediction/${wallet}`);
    await expect(page.getByText('Not active: no trade in the last 90 days.')).toBeVisible();
    await expect(page.getByText('No trade of this wallet in the last 90 days.')).toBeVisible();
    await expect(page.getByRole('img', { name: 'Unrated' })).toBeVisible();
    const signals = page.getByRole('region', { name: 'Six signals' });
    await expect(signals.getByText('not measured', { exact: true })).toHaveCount(6);
    await expect(page.getByRole('img', { name: 'The wallet: not measured. A follower a minute later: not measured.' })).toBeVisible();
    await expect(page.locator('main .tone-bad, main .tone-caution')).toHaveCount(0);
  });

  test('has its edge beside what a follower would have kept', async ({ console, page }) => {
    await console.answer<Prediction>('/v1/prediction-wallet', (json) => ({
      ...json,
      active: true,
      mirrorable: false,
      grade: 'C',
      verdict: 'watch',
      confidence: 0.9,
      sampleSize: 227,
      execution: 'maker',
      entries: 'value',
      consistency: 'steady',
      diversification: 'broad',
      cadence: 'regular',
      activity: 'slowing',
      edgeCents: { mean: 11.81, low: 6.69, high: 16.92 },
      copiedEdgeCents: { mean: -2, low: -4.5, high: 0.5 },
    }));
    await console.open(`#/trader/prediction/${wallet}`);
    const picture = page.getByRole('img', {
      name: 'The wallet: +11.8 ¢, likely +6.7 ¢ to +16.9 ¢. A follower a minute later: −2 ¢, likely −4.5 ¢ to +0.5 ¢.',
    });
    await expect(picture).toBeVisible();
    const [dots, zeros] = await Promise.all([
      Promise.all([0, 1].map((i) => picture.locator('.interval-dot').nth(i).boundingBox())),
      Promise.all([0, 1].map((i) => picture.locator('.interval-tick.zero').nth(i).boundingBox())),
    ]);
    expect(dots[0]?.x).toBeGreaterThan(zeros[0]?.x ?? Number.POSITIVE_INFINITY);
    expect(dots[1]?.x).toBeLessThan(zeros[1]?.x ?? 0);
    const signals = page.getByRole('region', { name: 'Six signals' });
    for (const value of ['Maker', 'Value', 'Steady', 'Broad', 'Regular', 'Slowing']) {
      await expect(signals.getByText(value, { exact: true })).toBeVisible();
    }
    await expect(signals).toContainText('Maker fills cannot be reproduced by a follower.');
    await expect(page.getByText('Not mirrorable')).toHaveClass(/tone-caution/);
    await expect(page.getByRole('link', { name: 'Copy this trader' })).toHaveAttribute(
      'href',
      `#/copy?leader=${wallet}&venue=predictvenue-markets`,
    );
  });
});

for (const place of ['eth', 'perp', 'prediction']) {
  test(`the page of a wallet at ${place} fits a phone`, async ({ console, page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await console.answer<Overview>('/v1/wallet-overview', (json) => ({ ...json, copySimulate: simulation }));
    await console.open(`#/trader/${place}/${wallet}`);
    await expect(page.getByRole('list', { name: 'Reasons' }).first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await expect(page.getByRole('link', { name: 'Copy this trader' })).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Where the wallet trades' }).locator('[aria-current]')).toBeInViewport({
      ratio: 0.9,
    });
  });
}
