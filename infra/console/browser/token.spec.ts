/** The token screen: the signal beside its risk, slots that fail alone, the picture of the price, and the log of changes. */

import type { Answer } from '@mirrorworthy/client';
import type { Page } from '@playwright/test';
import { type Console, expect, test } from './fixtures';

type Overview = Answer<'TokenOverview'>;
type Changes = Answer<'TokenChangesAnswer'>;
type Sample = { address: string; chain: string; kind: string };

const overview = '/v1/token-overview';
const changes = '/v1/token-changes';

/** A token of a kind in the sample market, by its page. */
async function tokenOf(console: Console, kind: string): Promise<string> {
  const market = (await (await fetch(`${console.service}/sample`)).json()) as { tokens: Sample[] };
  const token = market.tokens.find((each) => each.kind === kind);
  if (token === undefined) {
    throw new Error(`the sample market has no token of the kind ${kind}`);
  }
  return `#/token/${token.chain}/${token.address}`;
}

const card = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });
const pair = (page: Page) => page.getByRole('group', { name: 'Signal and risk verdict' });

/** Counts the calls of paths from now on. */
function counting(page: Page): Map<string, number> {
  const calls = new Map<string, number>();
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    calls.set(path, (calls.get(path) ?? 0) + 1);
  });
  return calls;
}

/** Answers of token-changes one after the other; the last one stays. */
async function answerChanges(console: Console, answers: Partial<Changes>[]): Promise<void> {
  let next = 0;
  await console.answer<Changes>(changes, () => {
    const answer = answers[Math.min(next++, answers.length - 1)];
    return { baseline: false, changes: [], previousAt: '2026-01-02T03:04:00Z', reasons: ['Nothing moved.'], ...answer };
  });
}

/** Lets a minute pass for a page whose clock is installed. */
async function minute(page: Page): Promise<void> {
  await page.clock.fastForward(60_000);
}

test('asks for a token, tells what is no address, and offers those of the sample market', async ({ console, page }) => {
  await console.open('#/token');
  await page.getByLabel('Token contract').fill('0x123');
  await page.getByRole('button', { name: 'Look' }).click();
  await expect(page.getByRole('alert')).toHaveText('An address is 0x and 40 hexadecimal digits.');
  await page.getByRole('link', { name: /^Major on eth/ }).click();
  await expect(pair(page)).toBeVisible();
  expect(new URL(page.url()).hash).toBe(await tokenOf(console, 'major'));
});

test('opens the token of the form', async ({ console, page }) => {
  const hash = await tokenOf(console, 'grower');
  const [, , chain = '', token = ''] = hash.split('/');
  await console.open('#/token');
  await page.getByLabel('Chain').selectOption(chain);
  await page.getByLabel('Token contract').fill(token);
  await page.getByRole('button', { name: 'Look' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Token on ${chain}`);
  expect(new URL(page.url()).hash).toBe(hash);
});

test('shows all ten slots and the risk, with the reasons of each', async ({ console, page }) => {
  let given: Overview | undefined;
  await console.answer<Overview>(overview, (json) => {
    given = json;
  });
  await console.open(await tokenOf(console, 'major'));
  const titles = {
    tokenSignal: 'Signal',
    tokenIntel: 'Profile',
    smartMoneyFlow: 'Smart money',
    exitRisk: 'Exit risk',
    tokenInflection: 'Inflection',
    tokenHoldersInsight: 'Holders',
    tokenValuation: 'Valuation',
    tokenNarrative: 'Narrative',
    tokenChanges: 'Changes',
    tokenPriceAction: 'Price structure',
  } as const;
  for (const [slot, title] of Object.entries(titles)) {
    await expect(card(page, title)).toBeVisible();
    const answer = given?.[slot as keyof typeof titles];
    expect(answer).toHaveProperty('reasons');
    for (const reason of answer && 'reasons' in answer ? answer.reasons : []) {
      await expect(card(page, title).getByRole('listitem').filter({ hasText: reason }).first()).toBeVisible();
    }
  }
  await expect(card(page, 'Risk')).toContainText(/Risk: \w+/);
});

for (const width of [1280, 360, 320]) {
  test(`shows a BUY with its risk verdict right beside it, ${width} pixels wide`, async ({ console, page }) => {
    await page.setViewportSize({ width, height: 740 });
    await console.answer<Overview>(overview, (json) => ({
      ...json,
      tokenSignal: { ...json.tokenSignal, signal: 'ACCUMULATE', riskVerdict: 'unknown', conviction: 70 },
    }));
    await console.open(await tokenOf(console, 'major'));
    const signal = await pair(page).getByText('ACCUMULATE', { exact: true }).boundingBox();
    const risk = await pair(page).getByText('Risk: unknown', { exact: true }).boundingBox();
    expect(signal && risk && Math.abs(signal.y - risk.y)).toBeLessThan(2);
    expect((risk?.x ?? 0) - ((signal?.x ?? 0) + (signal?.width ?? 0))).toBeLessThan(20);
    expect((risk?.x ?? 0) + (risk?.width ?? width)).toBeLessThanOrEqual(width);
    await expect(pair(page).getByText('Risk: unknown')).toHaveClass(/tone-unknown/);
  });
}

test('shows no signal that comes without a risk verdict', async ({ console, page }) => {
  await console.answer<Overview>(overview, (json) => ({
    ...json,
    tokenSignal: { ...json.tokenSignal, signal: 'BUY', rationale: 'It is a BUY.', riskVerdict: null },
  }));
  await console.open(await tokenOf(console, 'major'));
  await expect(card(page, 'Signal')).toContainText('The signal is not shown, because it came without a risk verdict.');
  await expect(page.getByText(/\bBUY\b/)).toHaveCount(0);
});

test('says of what was not measured that it was not', async ({ console, page }) => {
  await console.answer<Overview>(overview, (json) => ({
    ...json,
    tokenSignal: { ...json.tokenSignal, conviction: null },
    tokenInflection: { state: 'insufficient-data', moveProbability: null, baseRate: null, reasons: ['Too few bars.'] },
    smartMoneyFlow: { smartMoneyBuying: null, mirrorWorthyBuyers: 0, buyersAnalyzed: 2, netFlow: null, reasons: ['Too few buyers.'] },
    exitRisk: { exitRisk: 'unknown', direction: 'unknown', score: null, sellableBand: null, reasons: ['No pool is known.'] },
  }));
  await console.open(await tokenOf(console, 'major'));
  await expect(page.getByRole('img', { name: 'Conviction: not measured' })).toBeVisible();
  for (const name of ['A large move: not measured', 'All tokens: not measured']) {
    await expect(card(page, 'Inflection').getByRole('img', { name })).toBeVisible();
  }
  await expect(card(page, 'Smart money')).toContainText('Too few buyers could be graded');
  await expect(card(page, 'Smart money')).toContainText('Buyers really graded2');
  await expect(card(page, 'Smart money')).toContainText('Their net flownot measured');
  await expect(card(page, 'Exit risk').getByText('Unknown').first()).toHaveClass(/tone-unknown/);
  await expect(card(page, 'Exit risk')).toContainText('Can be soldnot measured');
});

test('keeps the page when a slot fails, and asks again', async ({ console, page }) => {
  let failing = true;
  await console.answer<Overview>(overview, (json) =>
    failing
      ? { ...json, exitRisk: { error: 'provider_unavailable', message: 'A provider did not answer.' }, partial: true, failed: ['exitRisk'] }
      : json,
  );
  await console.open(await tokenOf(console, 'major'));
  const exit = card(page, 'Exit risk');
  await expect(exit.getByRole('alert')).toContainText('A provider did not answer.');
  await expect(exit).toContainText('provider_unavailable');
  await expect(pair(page)).toBeVisible();
  failing = false;
  await exit.getByRole('button', { name: 'Ask again' }).click();
  await expect(exit.getByText('of 100')).toBeVisible();
});

test('keeps the page when the risk fails, and takes the flags of the profile', async ({ console, page }) => {
  await console.fail('/v1/token-risk', 400, { error: 'invalid_param', message: 'Not today.', requestId: 'r-1' });
  await console.answer<Overview>(overview, (json) => ({
    ...json,
    tokenIntel:
      'risk' in json.tokenIntel
        ? { ...json.tokenIntel, risk: { ...json.tokenIntel.risk, flags: ['The owner can mint.'] } }
        : json.tokenIntel,
  }));
  await console.open(await tokenOf(console, 'major'));
  await expect(card(page, 'Risk').getByRole('alert')).toContainText('Not today.');
  await expect(card(page, 'Signal')).toContainText('The owner can mint.');
  await expect(pair(page)).toBeVisible();
});

test('says why the whole could not be answered, and asks again', async ({ console, page }) => {
  await console.fail(overview, 400, { error: 'invalid_param', message: 'This cannot be answered.', requestId: 'request-7' });
  await console.open(await tokenOf(console, 'major'));
  const alert = page.getByRole('alert').filter({ hasText: 'This cannot be answered.' });
  await expect(alert).toContainText('invalid_param');
  await expect(alert).toContainText('request-7');
  await page.unrouteAll();
  await alert.getByRole('button', { name: 'Ask again' }).click();
  await expect(pair(page)).toBeVisible();
});

test('is calm about an address that is no token, and does not watch it', async ({ console, page }) => {
  console.expectFailure('/v1/token-risk');
  await page.clock.install();
  await console.open(await tokenOf(console, 'not-a-token'));
  for (const title of ['Signal', 'Profile', 'Risk']) {
    await expect(card(page, title).getByRole('status')).toContainText(/address|contract/);
  }
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Check now' })).toHaveCount(0);
  const calls = counting(page);
  await minute(page);
  await expect(card(page, 'Changes')).toBeVisible();
  expect(calls.get(changes)).toBeUndefined();
});

test('is calm when the whole answer is that it is no token', async ({ console, page }) => {
  const body = { error: 'not_a_token', message: 'This is a wallet.', requestId: 'r' };
  await console.fail(overview, 404, body);
  await console.fail('/v1/token-risk', 404, body);
  await console.open(await tokenOf(console, 'not-a-token'));
  await expect(page.getByRole('heading', { name: 'Not a token' })).toBeVisible();
  await expect(page.getByText('This is a wallet.')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('draws the structure of the price, and says it in words and numbers', async ({ console, page }) => {
  const price: Answer<'TokenPriceActionAnswer'> = {
    available: true,
    trend: 'up',
    structure: 'breaking-out',
    breakout: 'up',
    volatility: null,
    distanceFromHighPct: -2,
    hoursSinceHigh: 11,
    swings: [
      { kind: 'high', hoursAgo: 90, fromHighPct: -40 },
      { kind: 'low', hoursAgo: 80, fromHighPct: -50 },
      { kind: 'high', hoursAgo: 70, fromHighPct: -30 },
      { kind: 'low', hoursAgo: null, fromHighPct: -45 },
    ],
    range: { topFromHighPct: -4, bottomFromHighPct: -36 },
    barMinutes: 240,
    reasons: ['Closed above its range.'],
  };
  await console.answer<Overview>(overview, (json) => ({ ...json, tokenPriceAction: price }));
  await console.open(await tokenOf(console, 'major'));
  const figure = card(page, 'Price structure').getByRole('figure');
  await expect(figure.locator('canvas')).toBeVisible();
  await expect(figure.getByRole('img')).toHaveAccessibleName(
    "The price's turning points in percent from its highest close, oldest first: high −40 %, low −50 %, higher high −30 %. Now −2 %, above the last turn, provisionally. The range is from −36 % to −4 %. Structure: Breaking out. Breakout: Up.",
  );
  await expect(figure.locator('figcaption')).toContainText('HH higher high');
  await expect(figure.locator('figcaption')).toContainText('The dashed leg to now is provisional');
  await figure.getByText('The numbers').click();
  await expect(figure.getByRole('row', { name: 'Higher high 70 hours ago −30 %' })).toBeVisible();
  await expect(figure.getByRole('row', { name: 'Low not measured −45 %' })).toBeVisible();
  await expect(figure.getByRole('row', { name: 'Range, top' })).toContainText('−4 %');
  await expect(card(page, 'Price structure')).toContainText('Volatilitynot measured');
});

test('draws nothing of a price that cannot be charted, and says why', async ({ console, page }) => {
  await console.answer<Overview>(overview, (json) => ({
    ...json,
    tokenPriceAction: {
      available: false,
      trend: null,
      structure: null,
      breakout: null,
      volatility: null,
      distanceFromHighPct: null,
      hoursSinceHigh: null,
      swings: [],
      range: null,
      barMinutes: null,
      reasons: ['The token has traded for less than 24 hours; that is too new to chart.'],
    },
  }));
  await console.open(await tokenOf(console, 'major'));
  await expect(card(page, 'Price structure')).toContainText('that is too new to chart');
  await expect(page.getByRole('figure')).toHaveCount(0);
});

test('asks with the chosen sample of buyers, once it is told to look again', async ({ console, page }) => {
  await console.open(await tokenOf(console, 'major'));
  await expect(pair(page)).toBeVisible();
  const calls = counting(page);
  await page.getByLabel('Buyers to grade').selectOption('20');
  expect(calls.get(overview)).toBeUndefined();
  const asked = page.waitForRequest((request) => request.url().endsWith(overview));
  await page.getByRole('button', { name: 'Look again' }).click();
  expect((await asked).postDataJSON()).toMatchObject({ sample: 20 });
  await expect(pair(page)).toBeVisible();
});

test('logs changes each minute, newest first, and asks for nothing else', async ({ console, page }) => {
  await page.clock.install({ time: new Date('2026-01-02T03:04:00Z') });
  await console.answer<Overview>(overview, (json) => ({
    ...json,
    tokenChanges: { baseline: true, changes: [], previousAt: null, reasons: ['This is your first scan of the token.'] },
  }));
  await answerChanges(console, [
    {
      changes: [{ metric: 'liquidity', direction: 'down', severity: 'high', detail: 'Liquidity fell by 40%.' }],
      reasons: ['One metric moved.'],
    },
    { changes: [{ metric: 'riskVerdict', direction: 'changed', severity: 'critical', detail: 'The risk is critical, it was low.' }] },
    {},
  ]);
  await console.open(await tokenOf(console, 'major'));
  const log = card(page, 'Changes');
  await expect(log).toContainText('Baseline taken at Jan 2, 2026, 3:04 AM UTC');
  await expect(log).toContainText('This is your first scan of the token.');
  const calls = counting(page);
  await minute(page);
  await expect(log).toContainText('Liquidity fell by 40%.');
  await expect(log).toContainText('One metric moved.');
  await minute(page);
  await expect(log).toContainText('The risk is critical, it was low.');
  const entries = log.getByRole('list').first().getByRole('listitem');
  await expect(entries).toHaveText([
    /^Critical.*Risk verdict.*changed.*The risk is critical, it was low\..*3:06 AM UTC/,
    /^High.*Liquidity.*down.*3:05 AM UTC/,
  ]);
  await minute(page);
  await expect(log).toContainText('4 looks since you opened this page, the latest at Jan 2, 2026, 3:07 AM UTC: nothing changed.');
  await expect(entries).toHaveCount(2);
  expect(Object.fromEntries(calls)).toEqual({ [changes]: 3 });
});

test('does not look while it is paused or not seen', async ({ console, page }) => {
  await page.clock.install();
  await answerChanges(console, [{}]);
  await console.open(await tokenOf(console, 'major'));
  const log = card(page, 'Changes');
  await log.getByRole('button', { name: 'Pause' }).click();
  const calls = counting(page);
  await minute(page);
  await minute(page);
  await expect(log).toContainText('Paused.');
  await expect(log).toContainText('1 look since');
  await log.getByRole('button', { name: 'Resume' }).click();
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }));
  await minute(page);
  await expect(log).toContainText('1 look since');
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect(log).toContainText('2 looks since');
  expect(calls.get(changes)).toBe(1);
});

test('shows a signal that changed with the risk verdict of that moment', async ({ console, page }) => {
  await answerChanges(console, [
    { changes: [{ metric: 'signal', direction: 'up', severity: 'info', detail: 'The signal is BUY, it was HOLD.' }] },
  ]);
  let verdict = 'low';
  await console.answer('/v1/token-risk', (json) => ({ ...json, verdict }));
  await console.open(await tokenOf(console, 'major'));
  await expect(card(page, 'Risk')).toContainText('Risk: low');
  verdict = 'medium';
  await card(page, 'Changes').getByRole('button', { name: 'Check now' }).click();
  const entry = card(page, 'Changes').getByRole('listitem').filter({ hasText: 'The signal is BUY' });
  await expect(entry.locator('.verdict-pair')).toContainText('Risk: medium');
});

test('goes on after a look that failed', async ({ console, page }) => {
  await console.open(await tokenOf(console, 'major'));
  const log = card(page, 'Changes');
  await expect(log.getByRole('button', { name: 'Check now' })).toBeVisible();
  await console.fail(changes, 400, { error: 'invalid_param', message: 'Not now.', requestId: 'r-2' });
  await log.getByRole('button', { name: 'Check now' }).click();
  await expect(log.getByRole('alert')).toContainText('Not now.');
  await page.unrouteAll();
  await log.getByRole('button', { name: 'Check now' }).click();
  await expect(log.getByRole('alert')).toHaveCount(0);
  await expect(log).toContainText('2 looks since');
});

test('fits a phone', async ({ console, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await console.open(await tokenOf(console, 'grower'));
  await expect(card(page, 'Valuation')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});
