/** What the first view costs those who open it. */
import type { Page, Response } from '@playwright/test';
import { expect, test } from './fixtures';

/** No more bytes than this come before the leaderboard is there, uncompressed. */
const most = 200_000;

/** Texts that are in these libraries and nowhere else. */
const libraries = { uPlot: 'setSelect', viem: 'viem@' };

/** Everything that a page is sent. */
function received(page: Page): Response[] {
  const responses: Response[] = [];
  page.on('response', (response) => responses.push(response));
  return responses;
}

async function librariesIn(responses: Response[]): Promise<string[]> {
  const texts = await Promise.all(responses.filter((response) => response.url().endsWith('.js')).map((response) => response.text()));
  return Object.entries(libraries)
    .filter(([, mark]) => texts.some((text) => text.includes(mark)))
    .map(([name]) => name);
}

test('the first view is small, and brings no library that it does not use', async ({ console, page }) => {
  const responses = received(page);
  await page.goto(`${console.address}/#key=${console.key}`);
  await expect(page.getByRole('main').getByRole('list').getByRole('listitem').first()).toBeVisible();
  await page.waitForLoadState('networkidle');
  const sizes = await Promise.all(
    responses
      .map((response) => ({ path: new URL(response.url()).pathname, response }))
      // What the sample market is, only a service on one machine tells.
      .filter(({ path }) => path !== '/sample')
      .map(async ({ path, response }) => ({ path, bytes: (await response.body()).length })),
  );
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
