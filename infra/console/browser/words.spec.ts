/** How answers are shown, across all screens: nulls, failures of a part, and the words of the service. */
import type { Page } from '@playwright/test';
import { allNull, onlyRequired, otherTexts } from './documented';
import { type Console, expect, test } from './fixtures';
import { screens, settled } from './screens';

/** Every text of the page, also what is only read aloud or on demand. `whole` are the texts of elements that hold nothing else, but for scales. */
async function textsOf(page: Page): Promise<{ all: string[]; whole: string[] }> {
  return page.locator('main').evaluate((main) => {
    const [all, whole]: [string[], string[]] = [[], []];
    for (const element of [main, ...main.querySelectorAll('*')]) {
      for (const node of element.childNodes) {
        const text = node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '').trim() : '';
        if (text !== '') {
          all.push(text);
        }
      }
      if (element.childElementCount === 0 && element.closest('.interval-axis, .weights-scale') === null) {
        whole.push((element.textContent ?? '').trim());
      }
      for (const name of [
        'aria-label',
        'title',
        'placeholder',
        'href',
        'aria-valuetext',
        'd',
        'points',
        'style',
        'x',
        'y',
        'width',
        'height',
      ]) {
        all.push(element.getAttribute(name) ?? '');
      }
    }
    return { all, whole };
  });
}

/** What a value that is not there looks like when nobody thought of it. */
const slips = /\b(NaN|undefined|null|Infinity)\b|Invalid Date|\[object /;
const noValue = /^[—–-]$/;
const zero = /^[−-]?0([.,]0+)?( ?[%¢×]| USD)?$/;

/** `said` is what the service said: its own words are not looked at. */
function expectNoSlips(texts: { all: string[]; whole: string[] }, said: unknown): void {
  const words = JSON.stringify(said);
  expect(texts.all.filter((text) => slips.test(text) && !words.includes(JSON.stringify(text).slice(1, -1)))).toEqual([]);
  expect(texts.whole.filter((text) => noValue.test(text))).toEqual([]);
}

for (const screen of screens) {
  test(`${screen.name}: what is null is not measured, never a zero, a dash or a slip`, async ({ console, page }) => {
    let said: unknown;
    await console.answer(screen.asks.path, (json) => {
      said = allNull(screen.asks.answer, json);
      return said;
    });
    await console.open(await screen.hash(console));
    await settled(page);
    const texts = await textsOf(page);
    expectNoSlips(texts, said);
    expect(texts.whole.filter((text) => zero.test(text))).toEqual([]);
    expect(texts.all.join('\n')).toMatch(/not measured|unrated|unknown/i);
  });

  test(`${screen.name}: an answer with nothing but what is promised`, async ({ console, page }) => {
    let said: unknown;
    await console.answer(screen.asks.path, (json) => {
      said = onlyRequired(screen.asks.answer, json);
      return said;
    });
    await console.open(await screen.hash(console));
    await settled(page);
    expectNoSlips(await textsOf(page), said);
  });

  test(`${screen.name}: reasons, notes and all that is written for people is shown word for word`, async ({ console, page }) => {
    let texts: string[] = [];
    await console.answer(screen.asks.path, (json) => {
      const other = otherTexts(json);
      texts = other.texts;
      return other.answer;
    });
    await console.open(await screen.hash(console));
    await settled(page);
    const shown = (await page.locator('main').evaluate((main) => main.textContent)) ?? '';
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => !shown.includes(text))).toEqual([]);
  });

  test(`${screen.name}: when it is not answered, the service’s words, its code, the request and a way to ask again`, async ({
    console,
    page,
  }) => {
    const failure = { error: 'upstream_failed', message: 'The provider did not answer in time.', requestId: 'request-of-this-test' };
    await console.fail(screen.asks.path, 400, failure);
    await console.open(await screen.hash(console));
    const alert = page.getByRole('alert').filter({ hasText: failure.message });
    await expect(alert).toContainText(failure.error);
    await expect(alert).toContainText(failure.requestId);
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Ask again' }).click();
    await expect(alert).toHaveCount(0);
  });
}

/** The headings of the cards, which are what a page consists of. */
function cards(page: Page) {
  return page.locator('main').getByRole('heading', { level: 2 });
}

for (const screen of screens) {
  const { slots } = screen;
  if (slots === undefined) {
    continue;
  }
  test(`${screen.name}: each part that fails is told in its own place, and the others stand`, async ({ console, page }) => {
    test.slow();
    let failing = '';
    let kept: Record<string, unknown> | undefined;
    await page.route(
      (url) => url.pathname === screen.asks.path,
      async (route) => {
        kept ??= (await (await route.fetch()).json()) as Record<string, unknown>;
        const failed = failing === '' ? {} : { [failing]: slotError(failing), partial: true, failed: [failing] };
        await route.fulfill({ json: { ...kept, ...failed } });
      },
    );
    const hash = await screen.hash(console);
    await console.open(hash);
    await settled(page);
    const whole = await cards(page).allTextContents();
    expect(whole.length).toBeGreaterThanOrEqual(slots.length - 1);
    const before = await page.locator('main').innerText();
    for (const slot of slots) {
      failing = slot;
      await console.go('#/nowhere');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is nothing here');
      await console.go(hash);
      await expect(page.getByText(slotError(slot).message).first(), slot).toBeVisible();
      await settled(page);
      await expect(page.getByText(slotError(slot).error, { exact: true }).first(), slot).toBeVisible();
      expect(await cards(page).allTextContents(), slot).toEqual(whole);
      expectNoSlips(await textsOf(page), kept);
      // The rest of the page is what it was: at most the part itself, and what is repeated of it in the head, is gone.
      const after = await page.locator('main').innerText();
      expect(after.length, slot).toBeGreaterThan(before.length / 3);
    }
  });
}

function slotError(slot: string): { error: string; message: string } {
  return { error: `failed_${slot.toLowerCase()}`, message: `The provider of ${slot} was away.` };
}

/** Where a word that says to buy stands, each with the text of the group that it is in. */
async function groupsOfBuying(page: Page): Promise<string[]> {
  return page
    .locator('main')
    .evaluate((main) =>
      [...main.querySelectorAll('*')]
        .filter((element) => element.childElementCount === 0 && /^(BUY|ACCUMULATE)$/.test((element.textContent ?? '').trim()))
        .map((element) => (element.closest('[role=group]') as HTMLElement | null)?.innerText ?? 'in no group'),
    );
}

type Signals = { tokenSignal: { signal: string; riskVerdict?: string } };

async function openToken(console: Console, page: Page, signal: string, riskVerdict: string | undefined): Promise<void> {
  await console.answer<Signals>('/v1/token-overview', (json) => {
    json.tokenSignal.signal = signal;
    if (riskVerdict === undefined) {
      delete json.tokenSignal.riskVerdict;
    } else {
      json.tokenSignal.riskVerdict = riskVerdict;
    }
  });
  await console.open((await console.sample('tokens', 'major')).hash);
  await settled(page);
}

test('nothing says to buy without the risk beside it', async ({ console, page }) => {
  const cases = [
    ['BUY', 'low', 1280],
    ['BUY', 'critical', 360],
    ['ACCUMULATE', 'unknown', 360],
  ] as const;
  for (const [signal, risk, width] of cases) {
    await page.setViewportSize({ width, height: 740 });
    await openToken(console, page, signal, risk);
    const groups = await groupsOfBuying(page);
    expect(groups.length).toBeGreaterThan(0);
    for (const group of groups) {
      expect(group).toMatch(new RegExp(`risk[^]*${risk}|${risk}[^]*risk`, 'i'));
    }
    const word = page.getByText(signal, { exact: true }).first();
    const beside = page.getByRole('group').filter({ has: word }).getByText(new RegExp(risk, 'i')).last();
    await expect(beside).toBeVisible();
    const [a, b] = [await word.boundingBox(), await beside.boundingBox()];
    expect(Math.abs((a?.y ?? 0) - (b?.y ?? 9e9))).toBeLessThan(60);
    expect((b?.x ?? 9e9) + (b?.width ?? 0)).toBeLessThanOrEqual(width);
  }
});

test('a signal to buy without a risk verdict is not shown', async ({ console, page }) => {
  await openToken(console, page, 'BUY', undefined);
  expect(await groupsOfBuying(page)).toEqual([]);
  await expect(page.locator('main')).toContainText('risk');
});
