/** What the first view costs those who open it. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';

/** No more bytes than this come before the leaderboard is there, uncompressed. */
const most = 200_000;

/** Texts that are in these libraries and nowhere else. */
const libraries = { uPlot: 'setSelect', viem: 'viem@' };

/** What a page is sent, read as it comes: later the browser may have let go of it. */
type Received = { path: string; body: Promise<Buffer> };

/** Everything that a page is sent, but what the sample market is, which only a service on one machine tells. */
function received(page: Page): Received[] {
  const responses: Received[] = [];
  page.on('response', (response) => {
    const path = new URL(response.url()).pathname;
    if (path !== '/sample') {
      const body = response.body();
      body.catch(() => undefined); // told where it is waited for
      responses.push({ path, body });
    }
  });
  return responses;
}

async function librariesIn(responses: Received[]): Promise<string[]> {
  const texts = await Promise.all(responses.filter(({ path }) => path.endsWith('.js')).map(async ({ body }) => (await body).toString()));
  return Object.entries(libraries)
    .filter(([, mark]) => texts.some((text) => text.includes(mark)))
    .map(([name]) => name);
}

test('the first view is small, and brings no library that it does not use', async ({ console, page }) => {
  const responses = received(page);
  await page.goto(`${console.address}/#key=${console.key}`);
  await expect(page.getByRole('main').getByRole('list').getByRole('listitem').first()).toBeVisible();
  await page.waitForLoadState('networkidle');
  const sizes = await Promise.all(responses.map(async ({ path, body }) => ({ path, bytes: (await body).length })));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  test.info().annotations.push({ type: 'bytes', description: `${total}` });
  expect(sizes.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/', '/v1/trader-board', expect.stringMatching(/\.js$/), expect.stringMatching(/\.css$/)]),
  );
  expect(total, JSON.stringify(sizes, null, 1)).toBeLessThan(most);
  expect(await librariesIn(responses)).toEqual([]);
});

test('what draws pictures comes with the first picture', async ({ console, page }) => {
  const responses = received(page);
  await console.open((await console.sample('tokens', 'major')).hash);
  await expect.poll(() => librariesIn(responses)).toEqual(['uPlot']);
});
