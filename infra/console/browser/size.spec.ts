/** What the first view costs those who open it. */
import type { Page, Response } from '@playwright/test';
import { expect, test } from './fixtures';

/** No more bytes than this come before the leaderboard is there, uncompressed. */
const most = 200_000;

/** Texts that are in these libraries and nowhere else. */
const libraries = { uPlot: 'setSelect', viem: 'viem@' };

/** Everything that a page is sent, but what the sample market is, which only a service on one machine tells. */
function received(page: Page): Response[] {
  const responses: Response[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname !== '/sample') {
      responses.push(response);
    }
  });
  return responses;
}

/** Which libraries are in the scripts that came. They are asked for again: the browser lets go of what it has read. */
async function librariesIn(page: Page, responses: Response[]): Promise<string[]> {
  const scripts = responses.map((response) => response.url()).filter((url) => url.endsWith('.js'));
  const texts = await Promise.all(scripts.map(async (url) => (await page.request.get(url)).text()));
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
    responses.map(async (response) => ({
      path: new URL(response.url()).pathname,
      bytes: (await response.request().sizes()).responseBodySize,
    })),
  );
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  test.info().annotations.push({ type: 'bytes', description: `${total}` });
  expect(sizes.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/', '/v1/trader-board', expect.stringMatching(/\.js$/), expect.stringMatching(/\.css$/)]),
  );
  expect(total, JSON.stringify(sizes, null, 1)).toBeLessThan(most);
  expect(await librariesIn(page, responses)).toEqual([]);
});

test('what draws pictures comes with the first picture', async ({ console, page }) => {
  const responses = received(page);
  await console.open((await console.sample('tokens', 'major')).hash);
  await expect.poll(() => librariesIn(page, responses)).toEqual(['uPlot']);
});
