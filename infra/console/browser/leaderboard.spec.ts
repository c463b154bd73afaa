/** The boards: who is worth mirroring, with every reason, and what is unknown said to be so. */
import type { Answer } from '@mirrorworthy/client';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';

type TraderBoard = Answer<'BoardOfTraderBoardRow'>;
type SpotLeaders = Answer<'BoardOfSpotLeaderRow'>;
type Strategies = Answer<'BoardOfStrategyRow'>;
type TopTraders = Answer<'BoardOfTopTraderRow'>;
type TrackRecord = Answer<'TrackRecordOfEntry'>;
type Comparison = Answer<'TraderLeaderboard'>;

function rowOf(page: Page, wallet: string): Locator {
  return page.getByRole('listitem').filter({ has: page.locator(`code[title="${wallet}"]`) });
}

function first<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) {
    throw new Error('the board has no rows');
  }
  return row;
}

test.describe('the board of traders', () => {
  test('shows every row with its grade and all its reasons', async ({ console, page }) => {
    let board: TraderBoard | undefined;
    await console.answer<TraderBoard>('/v1/trader-board', (json) => {
      board = json;
    });
    await console.open('#/leaderboard/traders');
    await expect(page.getByText(/wallets examined, \d+ (is|are) mirror-worthy/)).toBeVisible();
    expect(board?.rows.length).toBeGreaterThan(0);
    for (const row of board?.rows ?? []) {
      const item = rowOf(page, row.wallet);
      await expect(item.getByRole('img', { name: new RegExp(`^Grade ${row.grade}`) })).toBeVisible();
      await expect(item.getByRole('list', { name: 'Reasons' }).getByRole('listitem')).toHaveText(row.reasons);
      await expect(item.getByRole('link', { name: `Wallet ${row.wallet}` })).toHaveAttribute('href', `#/trader/${row.chain}/${row.wallet}`);
    }
  });

  test('says what was not measured, without calling it bad', async ({ console, page }) => {
    let wallet = '';
    await console.answer<TraderBoard>('/v1/trader-board', (json) => {
      const row = first(json.rows);
      wallet = row.wallet;
      Object.assign(row, {
        grade: null,
        verdict: 'unrated',
        score: null,
        subscores: null,
        confidence: null,
        adjustedP: null,
        holdStyle: null,
        lastEntryAt: null,
        mirrorWorthy: false,
        reasons: ['Only 1 closed position.'],
      });
    });
    await console.open('#/leaderboard/traders');
    await expect(page.getByText('Only 1 closed position.')).toBeVisible();
    const item = rowOf(page, wallet);
    await expect(item.getByRole('img', { name: 'Unrated' })).toHaveText('?');
    await expect(item).toContainText('Score not measured');
    await expect(item).toContainText('Confidence not measured');
    await expect(item).toContainText('Luck among all examined not measured');
    await expect(item).toContainText('Holds not measured');
    await expect(item).toContainText('Last entry not measured');
    await expect(item.locator('.tone-bad, .tone-caution')).toHaveCount(0);
  });

  test('softens a grade of little history', async ({ console, page }) => {
    await console.answer<TraderBoard>('/v1/trader-board', (json) => {
      Object.assign(first(json.rows), { grade: 'A', confidence: 0.49 });
    });
    await console.open('#/leaderboard/traders');
    await expect(page.getByRole('img', { name: 'Grade A, on little history' })).toHaveCount(1);
  });

  test('says where luck among so many cannot be ruled out', async ({ console, page }) => {
    let wallet = '';
    await console.answer<TraderBoard>('/v1/trader-board', (json) => {
      const row = first(json.rows);
      wallet = row.wallet;
      Object.assign(row, { verdict: 'mirror-worthy', mirrorWorthy: false, adjustedP: 0.31 });
    });
    await console.open('#/leaderboard/traders');
    await expect(page.getByText('luck cannot be ruled out')).toHaveCount(1);
    await expect(rowOf(page, wallet)).toContainText('Luck among all examined 31 %');
  });

  test('is filtered by chain', async ({ console, page }) => {
    await console.open('#/leaderboard/traders');
    const asked = page.waitForRequest((request) => request.url().includes('/v1/trader-board?') && request.url().includes('chain=base'));
    await page.getByRole('navigation', { name: 'Chains' }).getByRole('link', { name: 'base' }).click();
    await asked;
    await expect(page.getByRole('navigation', { name: 'Chains' }).getByRole('link', { name: 'base' })).toHaveAttribute(
      'aria-current',
      'true',
    );
    await expect(page).toHaveURL(/#\/leaderboard\/traders\?chain=base$/);
  });

  test('goes on behind what is there, and keeps it when that fails', async ({ console, page }) => {
    const wallets: string[] = [];
    let failing = true;
    await page.route(
      (url) => url.pathname === '/v1/trader-board',
      async (route) => {
        const continued = new URL(route.request().url()).searchParams.get('cursor');
        if (continued === 'page-2' && failing) {
          failing = false;
          await route.fulfill({ status: 400, json: { error: 'invalid_address', message: 'That page is torn.', requestId: 'request-77' } });
          return;
        }
        const response = await route.fetch({
          url: route
            .request()
            .url()
            .replace(/[?&]cursor=page-2/, ''),
        });
        const board = (await response.json()) as TraderBoard;
        const rows = continued === null ? board.rows.slice(0, 2) : board.rows.slice(2, 4);
        wallets.push(...rows.map((row) => row.wallet));
        await route.fulfill({ response, json: { ...board, rows, total: 4, nextCursor: continued === null ? 'page-2' : null } });
      },
    );
    console.expectFailure('/v1/trader-board');
    await console.open('#/leaderboard/traders');
    const items = page.locator('.board ol.rows > li');
    await expect(items).toHaveCount(2);
    await expect(page.getByText('2 of 4 traders shown')).toBeVisible();
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect(page.getByRole('alert')).toContainText('That page is torn.');
    await expect(page.getByRole('alert')).toContainText('request-77');
    await expect(items).toHaveCount(2);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await expect(items).toHaveCount(4);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(items.nth(2)).toBeFocused();
    await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0);
    await expect(items.locator('.graded .address code')).toHaveCount(4);
    expect(new Set(wallets).size).toBe(4);
  });

  test('begins anew when the edition that it continues is gone', async ({ console, page }) => {
    let asked = 0;
    await page.route(
      (url) => url.pathname === '/v1/trader-board',
      async (route) => {
        asked += 1;
        if (new URL(route.request().url()).searchParams.has('cursor')) {
          await route.fulfill({
            status: 400,
            json: { error: 'invalid_param', message: 'The cursor is of another edition.', requestId: 'r' },
          });
          return;
        }
        const response = await route.fetch();
        const board = (await response.json()) as TraderBoard;
        await route.fulfill({ response, json: { ...board, nextCursor: asked === 1 ? 'old' : null } });
      },
    );
    console.expectFailure('/v1/trader-board');
    await console.open('#/leaderboard/traders');
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect(page.getByRole('alert')).toContainText('another edition');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0);
  });

  test('says why it is empty and asks again until rows come', async ({ console, page }) => {
    let empty = true;
    await console.answer<TraderBoard>('/v1/trader-board', (json) =>
      empty ? { ...json, rows: [], total: 0, nextCursor: null, publishedAt: null, note: 'The first round of grading is under way.' } : json,
    );
    await page.clock.install();
    await console.open('#/leaderboard/traders');
    await expect(page.getByText('The first round of grading is under way.')).toBeVisible();
    await expect(page.getByText('Not published yet.')).toBeVisible();
    empty = false;
    await page.clock.runFor(16_000);
    await expect(page.locator('.board ol.rows > li').first()).toBeVisible();
    await expect(page.getByText('The first round of grading is under way.')).toHaveCount(0);
  });

  test('says why it failed as a whole, and asks again', async ({ console, page }) => {
    let failing = true;
    await page.route(
      (url) => url.pathname === '/v1/trader-board',
      (route) =>
        failing
          ? route.fulfill({ status: 404, json: { error: 'not_found', message: 'There is no such board.', requestId: 'request-41' } })
          : route.continue(),
    );
    console.expectFailure('/v1/trader-board');
    await console.open('#/leaderboard/traders');
    const alert = page.getByRole('alert');
    await expect(alert).toContainText('There is no such board.');
    await expect(alert).toContainText('not_found');
    await expect(alert).toContainText('request-41');
    failing = false;
    await alert.getByRole('button', { name: 'Ask again' }).click();
    await expect(page.locator('.board ol.rows > li').first()).toBeVisible();
    await expect(alert).toHaveCount(0);
  });
});

test.describe('spot leaders', () => {
  test('are shown gated out too, with why; a disclosure stands beside all that is simulated', async ({ console, page }) => {
    let board: SpotLeaders | undefined;
    await console.answer<SpotLeaders>('/v1/copy/spot-leaders', (json) => {
      const [open, gated] = json.rows;
      Object.assign(open?.assessment ?? {}, { mirrorable: true });
      Object.assign(gated?.assessment ?? {}, { mirrorable: false, reasons: ['A delayed copier lost.', 'Too few entries.'] });
      board = json;
    });
    await console.open('#/leaderboard/spot-leaders');
    await expect(page.getByText('A delayed copier lost.')).toBeVisible();
    const [open, gated] = board?.rows ?? [];
    const turnedAway = rowOf(page, gated?.wallet ?? '');
    await expect(turnedAway.getByText('Why the gate turned it away')).toBeVisible();
    await expect(turnedAway.getByRole('list', { name: 'Reasons of the assessment' }).getByRole('listitem')).toHaveText([
      'A delayed copier lost.',
      'Too few entries.',
    ]);
    await expect(turnedAway.getByRole('link', { name: /^Copy wallet/ })).toHaveCount(0);
    await expect(rowOf(page, open?.wallet ?? '').getByRole('link', { name: /^Copy wallet/ })).toHaveAttribute(
      'href',
      `#/copy?leader=${open?.wallet}&venue=dexvenue-spot&chain=${open?.chain}`,
    );
    for (const row of board?.rows ?? []) {
      await expect(rowOf(page, row.wallet).getByText(row.disclosure, { exact: true })).toBeVisible();
    }
  });

  test('without measured numbers say so', async ({ console, page }) => {
    let wallets: string[] = [];
    await console.answer<SpotLeaders>('/v1/copy/spot-leaders', (json) => {
      const [unrated, unknown] = json.rows;
      wallets = [unrated?.wallet ?? '', unknown?.wallet ?? ''];
      const nothing = { winRate: null, baseWinRate: null, medianReturnPct: null, compoundedReturnPct: null, medianRunUpPct: null };
      Object.assign(unrated?.assessment ?? {}, { simulation: { rated: false, trades: 2, tokens: 2, ...nothing } });
      Object.assign(unknown?.assessment ?? {}, { simulation: null, discovery: null, forecast: null });
    });
    await console.open('#/leaderboard/spot-leaders');
    const unrated = rowOf(page, wallets[0] ?? '');
    await expect(unrated.getByRole('img', { name: 'Copies won: not measured' })).toBeVisible();
    await expect(unrated.getByRole('img', { name: 'Random entries: not measured' })).toBeVisible();
    await expect(unrated).toContainText('Middle resultnot measured');
    await expect(unrated).toContainText('Fewer than three results are known');
    await expect(rowOf(page, wallets[1] ?? '')).toContainText('A delayed copier was not simulated.');
  });

  test('can be limited to the mirrorable', async ({ console, page }) => {
    await console.open('#/leaderboard/spot-leaders');
    await expect(page.locator('.board ol.rows > li').first()).toBeVisible();
    const asked = page.waitForRequest((request) => request.url().includes('mirrorableOnly=1'));
    await page.getByRole('switch', { name: 'Mirrorable only' }).check();
    await asked;
    await expect(page.getByText('Why it can be mirrored').first()).toBeVisible();
    await expect(page.getByText('Why the gate turned it away')).toHaveCount(0);
  });
});

test.describe('strategies', () => {
  test("keep the venue's own figures apart from our grade, and below it", async ({ console, page }) => {
    let leader = '';
    await console.answer<Strategies>('/v1/copy/strategies', (json) => {
      const strategy = first(json.rows);
      const [one, two] = strategy.leaders;
      leader = one?.wallet ?? '';
      json.rows = [{ ...strategy, venue: 'perpvenue-perps', chain: null, chainId: null, window: 'week', leadersFound: 50, leaders: [] }];
      if (one && two) {
        Object.assign(one, { venuePnlUsd: -1234.4, venueReturnPct: null, venueRank: 3, venueSeenAt: null });
        Object.assign(one.intel, { mirrorable: true });
        Object.assign(two.intel, { mirrorable: null, evidence: null });
        json.rows[0]?.leaders.push(one, two);
      }
    });
    await console.open('#/leaderboard/strategies');
    const row = rowOf(page, leader).last();
    const figures = row.getByRole('note', { name: "The venue's own figures" });
    await expect(figures).toContainText('Profit −$1,234');
    await expect(figures).toContainText('Return not measured');
    await expect(figures).toContainText('Rank there 3');
    await expect(figures).toContainText('no part of our grade');
    const [grade, below] = await Promise.all([
      row
        .getByRole('img', { name: /^Grade/ })
        .first()
        .boundingBox(),
      figures.boundingBox(),
    ]);
    expect(below?.y).toBeGreaterThan((grade?.y ?? 0) + (grade?.height ?? 0));
    await expect(row.getByRole('link', { name: `Wallet ${leader}` })).toHaveAttribute('href', `#/trader/perp/${leader}`);
    await expect(row.getByRole('link', { name: /^Copy wallet/ })).toHaveAttribute('href', `#/copy?leader=${leader}&venue=perpvenue-perps`);
    await expect(page.getByText('Mirrorable: not measured')).toHaveClass(/tone-unknown/);
    await expect(page.getByRole('link', { name: /^Copy wallet/ })).toHaveCount(1);
    await expect(page.getByText('The first 2 by our grades are listed.')).toBeVisible();
  });

  test('are filtered by the number of the chain', async ({ console, page }) => {
    const asked = page.waitForRequest((request) => /\/v1\/copy\/strategies\?.*chainId=8453/.test(request.url()));
    await console.open('#/leaderboard/strategies?chain=base');
    await asked;
  });
});

test('top traders tell that the venue publishes no profit', async ({ console, page }) => {
  let board: TopTraders | undefined;
  await console.answer<TopTraders>('/v1/copy/top-traders', (json) => {
    board = json;
  });
  await console.open('#/leaderboard/top-traders');
  const figures = page.getByRole('note', { name: "The venue's own figures" });
  await expect(figures.first()).toContainText('Profit not measured');
  expect(board?.note).toBeTruthy();
  await expect(page.getByText(board?.note ?? '', { exact: true })).toBeVisible();
});

test.describe('comparing', () => {
  const wallet = (digit: string) => `0x${digit.repeat(40)}`;

  test('asks for addresses that are some', async ({ console, page }) => {
    await console.open('#/leaderboard/compare');
    const field = page.getByLabel(/^Wallets, up to 25/);
    const compare = page.getByRole('button', { name: 'Compare' });
    await compare.click();
    await expect(page.getByRole('alert')).toHaveText('Give at least one address.');
    await field.fill(`${wallet('1')}\n0x12`);
    await compare.click();
    await expect(page.getByRole('alert')).toContainText('“0x12”: an address is 0x and 40 hexadecimal digits.');
    await field.fill(Array.from({ length: 26 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`).join(' '));
    await compare.click();
    await expect(page.getByRole('alert')).toContainText('At most 25 wallets');
    await expect(field).toHaveAttribute('aria-invalid', 'true');
  });

  test('ranks what could be graded and says of the rest why not', async ({ console, page }) => {
    await console.answer<Comparison>('/v1/trader-leaderboard', (json) => {
      const last = json.rows.at(-1);
      json.rows = json.rows.map((row) =>
        row === last
          ? {
              ...row,
              rank: null,
              grade: null,
              verdict: null,
              score: null,
              subscores: null,
              confidence: null,
              sampleSize: null,
              reasons: [],
              error: 'provider_unavailable',
              message: 'The source of trades does not answer.',
            }
          : row,
      );
      return { ...json, partial: true, failed: [last?.wallet ?? ''] };
    });
    await console.open('#/leaderboard/compare?chain=base');
    await expect(page.getByLabel('Chain', { exact: true }).last()).toHaveValue('base');
    await page.getByLabel(/^Wallets, up to 25/).fill(`${wallet('1')}, ${wallet('2')} ${wallet('1')}`);
    await expect(page.getByText('2 of 25, 1 repetition left out')).toBeVisible();
    const asked = page.waitForRequest('**/v1/trader-leaderboard');
    await page.getByRole('button', { name: 'Compare' }).click();
    expect((await asked).postDataJSON()).toEqual({ chain: 'base', wallets: [wallet('1'), wallet('2')] });
    await expect(page.getByText('1 wallet could not be graded, and says why below; the others are ranked.')).toBeVisible();
    const failed = page.getByRole('listitem').filter({ hasText: 'The source of trades does not answer.' });
    await expect(failed).toContainText('no rank');
    await expect(failed).toContainText('provider_unavailable');
    await expect(page.getByText('#1', { exact: true })).toBeVisible();
  });
});

test.describe('the track record', () => {
  test('that accrues says when its first outcome is expected', async ({ console, page }) => {
    await console.answer<TrackRecord>('/v1/traders/track-record', (json) => {
      const nothing = { hitRate: null, hitRateInterval: { low: null, high: null }, baseRate: null, meanNetPct: null, evidence: null };
      Object.assign(json, { status: 'accruing', firstResolutionExpected: '2026-12-03T09:54:24Z', calibration: [] });
      Object.assign(json.mirrorable, nothing);
      Object.assign(json.control, nothing);
      json.gateValue = { differencePct: null, lowPct: null, highPct: null };
    });
    await console.open('#/leaderboard/track-record');
    await expect(page.getByText(/The first outcome is expected on Dec 3, 2026, 9:54.AM UTC/)).toBeVisible();
    await expect(page.getByRole('img', { name: /Mirrorable leaders: not measured/ })).toBeVisible();
    await expect(page.getByRole('img', { name: 'Mirrorable less control: not measured.' })).toBeVisible();
    await expect(page.getByText('No forecast is resolved yet: not measured.')).toBeVisible();
    await expect(page.getByRole('row', { name: /^Hit rate not measured not measured/ })).toBeVisible();
  });

  test('draws both groups against chance, what the gate is worth, and the forecasts', async ({ console, page }) => {
    await console.answer<TrackRecord>('/v1/traders/track-record', (json) => {
      Object.assign(json, { status: 'tracked', firstResolutionExpected: null });
      Object.assign(json.mirrorable, { hitRate: 0.62, hitRateInterval: { low: 0.5, high: 0.73 }, baseRate: 0.44, evidence: 'moderate' });
      Object.assign(json.control, { hitRate: 0.4, hitRateInterval: { low: 0.3, high: 0.51 }, baseRate: 0.43 });
      json.gateValue = { differencePct: 22, lowPct: 5.5, highPct: 38 };
      json.calibration = [
        { from: 0.4, to: 0.5, forecasts: 14, meanForecast: 0.46, hitRate: 0.43 },
        { from: 0.8, to: 0.9, forecasts: 20, meanForecast: 0.85, hitRate: 0.7 },
      ];
    });
    await console.open('#/leaderboard/track-record');
    const groups = page.getByRole('img', {
      name:
        'Mirrorable leaders: 62 %, likely 50 % to 73 %, Random entries in comparable tokens 44 %. ' +
        'Gated out (control): 40 %, likely 30 % to 51 %, Random entries in comparable tokens 43 %.',
    });
    await expect(groups).toBeVisible();
    const [dot, other] = await Promise.all([0, 1].map((i) => groups.locator('.interval-dot').nth(i).boundingBox()));
    expect(dot?.x).toBeGreaterThan(other?.x ?? Number.POSITIVE_INFINITY);
    await expect(page.getByRole('img', { name: 'Mirrorable less control: +22 points, likely +5.5 points to +38 points.' })).toBeVisible();
    await expect(
      page.getByRole('img', { name: /forecast 46 %, came true 43 % of 14; forecast 85 %, came true 70 % of 20/ }).locator('canvas'),
    ).toBeVisible();
    const picture = page.getByRole('figure').filter({ has: groups });
    await picture.getByText('The numbers').click();
    await expect(picture.getByRole('row', { name: 'Mirrorable leaders 62 % 50 % 73 % 44 %' })).toBeVisible();
  });
});

test('a wallet can be looked up where it trades', async ({ console, page }) => {
  const wallet = `0x${'4'.repeat(40)}`;
  await console.open('#/leaderboard/traders');
  await page.getByText('Look up a wallet').click();
  await page.getByLabel('Trades').selectOption('perp');
  await page.getByLabel('Wallet', { exact: true }).fill(wallet);
  await page.getByRole('button', { name: 'Look', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`#/trader/perp/${wallet}$`));
});

test('the first view stays small', async ({ console, page }) => {
  const sizes = new Map<string, Promise<number>>();
  page.on('response', (response) => {
    sizes.set(
      response.url(),
      response.body().then(
        (body) => body.length,
        () => 0,
      ),
    );
  });
  await console.open('#/leaderboard/traders');
  await expect(page.locator('.board ol.rows > li').first()).toBeVisible();
  await page.waitForLoadState('networkidle');
  const all = await Promise.all(sizes.values());
  expect([...sizes.keys()].join(' ')).not.toMatch(/uplot/i);
  expect(all.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
});

for (const board of ['traders', 'spot-leaders', 'strategies', 'top-traders', 'compare', 'track-record']) {
  test(`${board} fits a phone`, async ({ console, page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await console.open(`#/leaderboard/${board}`);
    await expect(page.locator('.board')).toBeVisible();
    await expect(page.locator('.waiting')).toHaveCount(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
}
