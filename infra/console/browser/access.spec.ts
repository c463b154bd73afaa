/** For everyone: the rules of accessibility on every screen, in light and dark, wide and on a phone; and the keyboard alone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { run as runAxe } from 'axe-core';
import { type Console, expect, test } from './fixtures';
import { screens, settled } from './screens';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What breaks the rules, each with the elements that do. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(async (values) => {
    const { run } = (window as unknown as { axe: { run: typeof runAxe } }).axe;
    // An experimental rule, to which a shortened address is another name than the whole.
    const rules = { 'label-content-name-mismatch': { enabled: false } };
    return (await run(document, { runOnly: { type: 'tag', values }, rules })).violations;
  }, tags);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`));
}

/** How far the page reaches beyond the window, and what does so. */
async function beyond(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) {
      return [];
    }
    const wide = [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > clientWidth + 1);
    return [`${scrollWidth} of ${clientWidth}`, ...wide.slice(0, 5).map((element) => element.outerHTML.slice(0, 160))];
  });
}

const looks = [
  { name: 'light and wide', width: 1280, height: 800, colorScheme: 'light' },
  { name: 'dark and narrow', width: 360, height: 740, colorScheme: 'dark' },
  { name: 'dark and wide', width: 1280, height: 800, colorScheme: 'dark' },
  { name: 'light and narrow', width: 360, height: 740, colorScheme: 'light' },
] as const;

async function expectAccess(page: Page): Promise<void> {
  for (const { name, width, height, colorScheme } of looks) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    expect.soft(await violations(page), name).toEqual([]);
    if (width === 360) {
      expect.soft(await beyond(page), name).toEqual([]);
    }
  }
}

const failure = {
  error: 'upstream_failed',
  message: 'The provider did not answer in time.',
  requestId: '0198c0de-aaaa-7bbb-8ccc-0123456789ab',
};

/** States besides the answered ones of screens.ts. */
const states: { name: string; open: (console: Console, page: Page) => Promise<void> }[] = [
  { name: 'the question for a key', open: (console) => console.openGate() },
  { name: 'comparing', open: (console) => console.open('#/leaderboard/compare') },
  { name: 'the question for a token', open: (console) => console.open('#/token') },
  { name: 'the question for a wallet', open: (console) => console.open('#/portfolio') },
  { name: 'nothing', open: (console) => console.open('#/nowhere') },
  {
    name: 'no rows',
    open: async (console) => {
      await console.answer('/v1/trader-board', (json) => ({ ...json, rows: [], note: 'Nothing has been graded yet.', total: 0 }));
      await console.open('#/leaderboard/traders');
    },
  },
  {
    name: 'a failed request',
    open: async (console) => {
      await console.fail('/v1/wallet-overview', 400, failure);
      await console.open((await console.sample('wallets', 'skilled-swing')).hash);
    },
  },
  {
    name: 'a thin history',
    open: async (console) => console.open((await console.sample('wallets', 'tourist')).hash),
  },
  {
    name: 'failed parts',
    open: async (console) => {
      await console.answer('/v1/token-overview', (json) => ({ ...json, exitRisk: failure, tokenSignal: failure, partial: true }));
      await console.open((await console.sample('tokens', 'honeypot')).hash);
    },
  },
];

for (const screen of screens) {
  test(`${screen.name}: no violation, and nothing beyond the edge of a phone`, async ({ console, page }) => {
    await console.open(await screen.hash(console));
    await settled(page);
    await expectAccess(page);
  });
}

for (const state of states) {
  test(`${state.name}: no violation, and nothing beyond the edge of a phone`, async ({ console, page }) => {
    await state.open(console, page);
    await settled(page);
    await expectAccess(page);
  });
}

/** Presses the tabulator until what is named has the focus, which must be seen wherever it is. */
async function tabTo(page: Page, what: (element: { tag: string; name: string; href: string }) => boolean): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) {
        return null;
      }
      const style = getComputedStyle(element);
      return {
        tag: element.tagName,
        name: (element.getAttribute('aria-label') ?? element.textContent ?? '').trim(),
        href: element.getAttribute('href') ?? '',
        seen: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
      };
    });
    if (focused === null) {
      continue;
    }
    expect(focused.seen, `the focus is seen on ${focused.tag} ${focused.name}`).toBe(true);
    if (what(focused)) {
      return;
    }
  }
  throw new Error('the keyboard does not lead there');
}

test('the keyboard alone leads from the key over the leaderboard and a trader to copying', async ({ console, page }) => {
  await console.openGate('#/leaderboard/traders');
  await tabTo(page, ({ tag }) => tag === 'INPUT');
  await page.keyboard.type(console.key);
  await page.keyboard.press('Enter');
  await settled(page);
  await tabTo(page, ({ href }) => href.startsWith('#/trader/'));
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle('Trader · Mirrorworthy');
  await settled(page);
  await expect(page.getByRole('main')).toBeFocused();
  await tabTo(page, ({ href }) => href.startsWith('#/copy?'));
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle('Copy · Mirrorworthy');
  await settled(page);
  await tabTo(page, ({ tag }) => tag === 'BUTTON' || tag === 'SELECT' || tag === 'INPUT');
});

test('no element is put before others in the order of the keyboard', async ({ console, page }) => {
  for (const screen of screens) {
    await console.open(await screen.hash(console));
    await settled(page);
    await expect(page.locator('[tabindex]:not([tabindex="0"]):not([tabindex="-1"])'), screen.name).toHaveCount(0);
  }
});
