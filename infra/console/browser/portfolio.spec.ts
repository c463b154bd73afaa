/** The portfolio screen: weight against risk, what to do about exposure, and the states that are unknown. */

import type { Answer } from '@mirrorworthy/client';
import type { Page } from '@playwright/test';
import { type Console, expect, test } from './fixtures';

type Overview = Answer<'PortfolioOverview'>;
type Risk = Answer<'PortfolioRiskAnswer'>;
type Sample = { address: string; chain: string; kind: string };

const overview = '/v1/portfolio-overview';

/** A wallet of a kind in the sample market. */
async function walletOf(console: Console, kind: string): Promise<Sample> {
  const market = (await (await fetch(`${console.service}/sample`)).json()) as { wallets: Sample[] };
  const wallet = market.wallets.find((each) => each.kind === kind);
  if (wallet === undefined) {
    throw new Error(`the sample market has no wallet of the kind ${kind}`);
  }
  return wallet;
}

const pageOf = (wallet: Sample) => `#/portfolio/${wallet.chain}/${wallet.address}`;
const card = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });

const held: Risk = {
  grade: 'watch',
  weightedRisk: 48.2,
  concentration: 'concentrated',
  riskyPositions: [
    { symbol: 'FROG', risk: 'critical', weightPct: 40, reason: 'Selling failed in a test trade; you may not be able to exit.' },
  ],
  positions: [
    { symbol: 'FROG', weightPct: 40, kind: 'token', risk: 'critical', riskScore: 98 },
    { symbol: 'ETH', weightPct: 30, kind: 'own-coin', risk: null, riskScore: 10 },
    { symbol: 'USDC', weightPct: 20, kind: 'stablecoin', risk: null, riskScore: 5 },
    { symbol: 'NEW', weightPct: 10, kind: 'token', risk: 'unknown', riskScore: null },
  ],
  worstOffender: 'FROG',
  summary: 'Watch: weighted by value the risk is 48.2 of 100.',
  effectivePositions: 2.4,
  cashSharePct: 20,
  coverage: { holdings: 9, assessed: 3, unassessed: 1, dust: 2, beyondDepth: 0, spam: 2, unpriced: 1, assessedSharePct: 90 },
  reasons: ['40% of the value assessed is in 1 token rated high or critical.', 'FROG contributes most.'],
};

/** Opens a wallet of eth whose portfolio is altered. */
async function openAltered(console: Console, change: (given: Overview) => object): Promise<void> {
  await console.answer<Overview>(overview, (json) => ({ ...json, ...change(json) }));
  await console.open(pageOf({ ...(await walletOf(console, 'tourist')), chain: 'eth' }));
}

test('asks for a wallet, and offers those of the sample market', async ({ console, page }) => {
  await console.open('#/portfolio');
  await page.getByLabel('Wallet', { exact: true }).fill('nobody');
  await page.getByRole('button', { name: 'Look' }).click();
  await expect(page.getByRole('alert')).toHaveText('An address is 0x and 40 hexadecimal digits.');
  const wallet = await walletOf(console, 'degen');
  await page.getByRole('link', { name: new RegExp(`^Degen on ${wallet.chain}`) }).click();
  await expect(card(page, 'Portfolio risk')).toBeVisible();
  expect(new URL(page.url()).hash).toBe(pageOf(wallet));
  await expect(page.getByRole('link', { name: 'How this wallet trades' })).toHaveAttribute(
    'href',
    `#/trader/${wallet.chain}/${wallet.address}`,
  );
});

test('shows what the service says of a real portfolio, word for word', async ({ console, page }) => {
  let given: Overview | undefined;
  await console.answer<Overview>(overview, (json) => {
    given = json;
  });
  await console.open(pageOf(await walletOf(console, 'degen')));
  const risk = card(page, 'Portfolio risk');
  await expect(risk).toBeVisible();
  if (
    given === undefined ||
    !('summary' in given.portfolioRisk) ||
    !('health' in given.walletHealth) ||
    !('posture' in given.walletNetflow)
  ) {
    throw new Error('the sample portfolio failed');
  }
  await expect(risk.getByText(given.portfolioRisk.summary, { exact: true })).toBeVisible();
  for (const reason of given.portfolioRisk.reasons) {
    await expect(risk.getByText(reason, { exact: true })).toBeVisible();
  }
  for (const position of given.portfolioRisk.riskyPositions) {
    await expect(risk.getByRole('list', { name: 'Risky positions' })).toContainText(position.reason);
  }
  for (const position of given.portfolioRisk.positions) {
    await expect(risk.getByRole('table')).toContainText(position.symbol);
  }
  for (const sentence of [...given.walletHealth.recommendedActions, ...given.walletHealth.reasons]) {
    await expect(card(page, 'Wallet health').getByText(sentence, { exact: true })).toBeVisible();
  }
  for (const reason of given.walletNetflow.reasons) {
    await expect(card(page, 'Netflow').getByText(reason, { exact: true })).toBeVisible();
  }
});

test('draws every position as wide as its weight and as high as its risk', async ({ console, page }) => {
  await openAltered(console, () => ({ portfolioRisk: held }));
  const figure = page.getByRole('figure');
  await expect(figure.getByRole('img')).toHaveAccessibleName(
    "4 positions by weight: 40 % in 1 position of critical risk, 10 % in 1 position of unknown risk, 30 % in 1 position of the chain's own coin, 20 % in 1 position of cash. The weighted risk is 48.2 of 100.",
  );
  const drawn = await figure.locator('.weights-bars').evaluate((plot) => {
    const whole = plot.getBoundingClientRect();
    return [...plot.querySelectorAll('.weights-bar')].map((bar) => {
      const box = bar.getBoundingClientRect();
      return [box.width / whole.width, box.height / whole.height].map((part) => Math.round(part * 100));
    });
  });
  for (const [i, [width, height]] of [
    [40, 98],
    [30, 10],
    [20, 5],
    [10, 50],
  ].entries()) {
    expect(Math.abs((drawn[i]?.[0] ?? 0) - (width ?? 0))).toBeLessThanOrEqual(1);
    expect(Math.abs((drawn[i]?.[1] ?? 0) - (height ?? 0))).toBeLessThanOrEqual(1);
  }
  await expect(figure.getByText('weighted risk 48.2')).toBeVisible();
  await expect(figure.getByRole('row', { name: '1 FROG 40 % critical 98' })).toBeVisible();
  await expect(figure.getByRole('row', { name: "2 ETH 30 % The chain's own coin, counts by its kind 10" })).toBeVisible();
  await expect(figure.getByRole('row', { name: '3 USDC 20 % Cash, counts by its kind 5' })).toBeVisible();
});

test('marks what is unknown as unknown, hatched and without a verdict', async ({ console, page }) => {
  await openAltered(console, () => ({ portfolioRisk: held }));
  const figure = page.getByRole('figure');
  await expect(figure.getByRole('row', { name: '4 NEW 10 % unknown unknown, counts as 50' })).toBeVisible();
  await expect(figure.getByText('unknown 10 %')).toBeVisible();
  const bar = figure.locator('.weights-bar').nth(3);
  await expect(bar).toHaveCSS('background-image', /repeating-linear-gradient/);
  await expect(bar).not.toHaveClass(/kind-(high|critical)/);
  await expect(figure.locator('.weights-label').nth(3)).toContainText('unknown');
});

test('tells what was looked at, and what was not measured', async ({ console, page }) => {
  await openAltered(console, () => ({
    portfolioRisk: {
      ...held,
      weightedRisk: null,
      effectivePositions: null,
      cashSharePct: null,
      coverage: { ...held.coverage, assessedSharePct: null },
    },
  }));
  const risk = card(page, 'Portfolio risk');
  await expect(risk).toContainText(
    'Of 9 holdings: 3 assessed; 1 of unknown risk, counted as 50; 2 too small to count; 0 beyond the depth; 2 spam; 1 without a price that can be believed.',
  );
  await expect(risk).toContainText('What part of the value was assessed is not measured.');
  await expect(risk.getByRole('img', { name: 'Weighted risk: not measured' })).toBeVisible();
  await expect(risk).toContainText('Spread likenot measured');
  await expect(risk).toContainText('Cashnot measured');
});

test('shows what to do about exposure, word for word and in order', async ({ console, page }) => {
  const actions = ['Revoke the unlimited approval of USDC to 0x4711..6a7a (on a public scam list).', 'Then remove the delegation.'];
  await openAltered(console, () => ({
    walletHealth: {
      health: 'exposed',
      healthScore: null,
      recommendedActions: actions,
      exposedSharePct: null,
      openApprovals: 7,
      unlimitedApprovals: 3,
      riskyApprovals: 2,
      delegated: true,
      reasons: ['It may still take tokens.'],
    },
    walletNetflow: { posture: 'inactive', buyShare: null, windowDays: 90, trades: 0, reasons: ['0 priced trades in 90 days.'] },
  }));
  const health = card(page, 'Wallet health');
  await expect(health.getByRole('list', { name: 'Recommended actions' }).getByRole('listitem')).toHaveText(actions);
  await expect(health).toContainText('Risky spenders could takenot measured');
  await expect(health).toContainText('Open approvals7');
  await expect(health).toContainText('Without a limit3');
  await expect(health).toContainText('To risky spenders2');
  await expect(health).toContainText('DelegatedYes');
  await expect(health.getByRole('img', { name: 'Health: not measured' })).toBeVisible();
  await expect(card(page, 'Netflow').getByText('Inactive')).toHaveClass(/tone-unknown/);
  await expect(card(page, 'Netflow').getByRole('img', { name: 'Bought, by value: not measured; half' })).toBeVisible();
});

test('is calm about a wallet without holdings', async ({ console, page }) => {
  await console.open('#/portfolio/eth/0x1212121212121212121212121212121212121212');
  const risk = card(page, 'Portfolio risk');
  await expect(risk.getByText('No holdings', { exact: true })).toHaveClass(/tone-unknown/);
  await expect(risk).toContainText('Nothing is held here whose value could be assessed');
  await expect(risk).toContainText('The wallet holds nothing.');
  await expect(page.getByRole('figure')).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('keeps the page when a slot fails, and asks again', async ({ console, page }) => {
  let failing = true;
  await openAltered(console, (given) =>
    failing
      ? {
          portfolioRisk: { error: 'provider_unavailable', message: 'A provider did not answer.' },
          partial: true,
          failed: ['portfolioRisk'],
        }
      : { portfolioRisk: given.portfolioRisk },
  );
  const risk = card(page, 'Portfolio risk');
  await expect(risk.getByRole('alert')).toContainText('A provider did not answer.');
  await expect(card(page, 'Wallet health').getByText('of 100')).toBeVisible();
  failing = false;
  await risk.getByRole('button', { name: 'Ask again' }).click();
  await expect(risk.getByRole('figure')).toBeVisible();
});

test('says why the whole could not be answered, and asks again', async ({ console, page }) => {
  await console.fail(overview, 400, { error: 'invalid_param', message: 'This cannot be answered.', requestId: 'request-7' });
  await console.open(pageOf(await walletOf(console, 'tourist')));
  const alert = page.getByRole('alert').filter({ hasText: 'This cannot be answered.' });
  await expect(alert).toContainText('invalid_param');
  await expect(alert).toContainText('request-7');
  await page.unrouteAll();
  await alert.getByRole('button', { name: 'Ask again' }).click();
  await expect(card(page, 'Portfolio risk')).toBeVisible();
});

test('asks as deep as it is told, and for no depth that there is not', async ({ console, page }) => {
  await console.open(pageOf(await walletOf(console, 'degen')));
  await expect(card(page, 'Portfolio risk')).toBeVisible();
  const depths: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(overview)) {
      depths.push((request.postDataJSON() as { depth?: unknown }).depth);
    }
  });
  const field = page.getByLabel('Largest holdings to assess');
  for (const wrong of ['0', '51', '2.5', '']) {
    await field.fill(wrong);
    await page.getByRole('button', { name: 'Look again' }).click();
    await expect(page.getByRole('alert')).toHaveText('A whole number from 1 to 50.');
  }
  await field.fill('3');
  await page.getByRole('button', { name: 'Look again' }).click();
  await expect(page.getByRole('figure').getByRole('row')).toHaveCount(4);
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(depths).toEqual([3]);
});

test('fits a phone with fifty positions', async ({ console, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const many = Array.from({ length: 50 }, (_, i) => ({
    symbol: `LONGSYMBOL${i}`,
    weightPct: 2,
    risk: 'unknown' as const,
    riskScore: null,
  }));
  await openAltered(console, () => ({ portfolioRisk: { ...held, positions: many } }));
  await expect(page.getByRole('figure').getByRole('row')).toHaveCount(51);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  for (const track of await page.locator('.meter-track').all()) {
    expect((await track.boundingBox())?.width).toBeGreaterThan(24);
  }
});
