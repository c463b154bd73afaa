/** Draws the pictures of the console, on a market that stands still: run by `make console-screenshots`. */
import { resolve } from 'node:path';
import { type Console, expect, test } from './fixtures';
import { settled } from './screens';
import { pictureTime } from './setup';

const folder = resolve(import.meta.dirname, '../screenshots');

const firstTrader = async (console: Console): Promise<string> => {
  const board = await fetch(`${console.service}/v1/trader-board`, { headers: { Authorization: `Bearer ${console.key}` } });
  const { rows } = (await board.json()) as { rows: { wallet: string; chain: string }[] };
  const [first] = rows;
  expect(first, 'the board has a row').toBeDefined();
  return `#/trader/${first?.chain}/${first?.wallet}`;
};

const pictures: { name: string; hash: (console: Console) => Promise<string> | string; width?: number; height?: number; dark?: boolean }[] =
  [
    { name: 'leaderboard', hash: () => '#/leaderboard/traders' },
    { name: 'trader', hash: firstTrader },
    { name: 'token', hash: async (console) => (await console.sample('tokens', 'grower')).hash },
    { name: 'portfolio', hash: async (console) => (await console.sample('wallets', 'holder')).hash.replace('#/trader/', '#/portfolio/') },
    { name: 'copy', hash: () => '#/copy' },
    { name: 'trader-dark', hash: firstTrader, dark: true },
    { name: 'leaderboard-phone', hash: () => '#/leaderboard/traders', width: 360, height: 740 },
  ];

for (const { name, hash, width = 1280, height = 900, dark = false } of pictures) {
  test(name, async ({ console, page }) => {
    await page.clock.setFixedTime(pictureTime);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
    await console.open(await hash(console));
    await settled(page);
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const bytes = await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled', caret: 'hide' });
    expect(bytes.length).toBeLessThan(250_000);
  });
}
