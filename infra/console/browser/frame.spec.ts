/** The frame around the screens: the key, navigation, focus and titles. */
import { expect, test } from './fixtures';

const wrongKey = `mw_test_${'1'.repeat(44)}`;

test.describe('the key', () => {
  test('one that the service does not know is refused in its words, and another can be given', async ({ console, page, request }) => {
    const refusal = await request.get(`${console.service}/v1/trader-board`, { headers: { Authorization: `Bearer ${wrongKey}` } });
    const { error, message } = (await refusal.json()) as { error: string; message: string };
    expect(error).toBe('unauthorized');
    console.expectFailure(/^\/v1\//);
    await console.openGate();
    await console.enter(wrongKey);
    await expect(page.getByRole('alert')).toHaveText(message);
    await expect(page.getByLabel('Key', { exact: true })).toHaveValue('');
    expect(await page.content()).not.toContain(wrongKey);
    await console.enter(console.key);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Who is worth mirroring?');
    await expect(page.getByRole('alert')).toHaveCount(0);
  });

  test('one that stops being valid sends back to the question for one, at the same place', async ({ console, page }) => {
    await console.open('#/leaderboard/traders');
    await expect(page.getByRole('list').getByRole('link').first()).toBeVisible();
    await console.fail('/v1/copy/spot-leaders', 401, { error: 'unauthorized', message: 'The key was revoked.' });
    await console.go('#/leaderboard/spot-leaders');
    await expect(page.getByRole('alert')).toHaveText('The key was revoked.');
    await expect(page.getByRole('button', { name: 'Forget key' })).toHaveCount(0);
    expect(new URL(page.url()).hash).toBe('#/leaderboard/spot-leaders');
  });

  test('is kept nowhere but in memory, and goes to the API alone', async ({ console, page, context }) => {
    const carried: string[] = [];
    page.on('request', (sent) => {
      const url = new URL(sent.url());
      const ofApi = url.pathname.startsWith('/v1/');
      const { authorization, ...others } = sent.headers();
      const elsewhere = [sent.url(), sent.postData() ?? '', JSON.stringify(others), ofApi ? '' : (authorization ?? '')];
      if (elsewhere.some((text) => text.includes(console.key))) {
        carried.push(`${sent.method()} ${url.pathname}`);
      }
    });
    await console.open('#/leaderboard/traders');
    const kept = async () => ({
      cookies: await context.cookies(),
      ...(await page.evaluate(async (key) => {
        const inputs = [...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value);
        const texts: Record<string, string> = {
          address: window.location.href,
          document: document.documentElement.outerHTML,
          fields: JSON.stringify(inputs),
          history: JSON.stringify(window.history.state),
          local: JSON.stringify({ ...window.localStorage }),
          session: JSON.stringify({ ...window.sessionStorage }),
          name: window.name,
          globals: JSON.stringify(Object.entries(globalThis).filter(([, value]) => typeof value === 'string')),
        };
        return {
          holding: Object.keys(texts).filter((name) => texts[name]?.includes(key)),
          stored: window.localStorage.length + window.sessionStorage.length,
          databases: (await indexedDB.databases()).length,
          caches: (await caches.keys()).length,
          workers: (await navigator.serviceWorker.getRegistrations()).length,
        };
      }, console.key)),
    });
    const nowhere = { cookies: [], holding: [], stored: 0, databases: 0, caches: 0, workers: 0 };
    for (const screen of ['Leaderboard', 'Token', 'Portfolio', 'Copy']) {
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click();
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(await kept(), screen).toEqual(nowhere);
    }
    await page.reload();
    await expect(page.getByLabel('Key', { exact: true })).toHaveValue('');
    await expect(page.getByRole('button', { name: 'Forget key' })).toHaveCount(0);
    expect(await kept()).toEqual(nowhere);
    expect(carried).toEqual([]);
  });

  test('is forgotten when told so', async ({ console, page }) => {
    await console.open();
    await page.getByRole('button', { name: 'Forget key' }).click();
    await expect(page.getByLabel('Key', { exact: true })).toHaveValue('');
    let asked = 0;
    page.on('request', (sent) => {
      asked += new URL(sent.url()).pathname.startsWith('/v1/') ? 1 : 0;
    });
    await console.go('#/leaderboard/spot-leaders');
    await expect(page).toHaveTitle(/^Leaderboard/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your partner key');
    expect(asked).toBe(0);
  });

  test('of the sample market is taken out of the address', async ({ console, page }) => {
    await page.goto(`${console.address}/#key=${console.key}`);
    await expect(page.getByRole('button', { name: 'Forget key' })).toBeVisible();
    expect(page.url()).toBe(`${console.address}/`);
    await console.go('#/token');
    await expect(page).toHaveTitle(/^Token/);
    await page.goBack();
    await expect(page).toHaveTitle(/^Leaderboard/);
    expect(page.url()).toBe(`${console.address}/`);
  });

  test('of the sample market is taken out of the address of a page that is open, too', async ({ console, page }) => {
    await console.openGate();
    await expect(page.getByLabel('Key', { exact: true })).toBeVisible();
    await console.go(`#key=${console.key}`);
    await expect(page.getByRole('button', { name: 'Forget key' })).toBeVisible();
    expect(page.url()).toBe(`${console.address}/`);
    expect(await page.content()).not.toContain(console.key);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Who is worth mirroring?');
  });

  for (const [kind, key] of [
    ['live', `mw_live_${'1'.repeat(44)}`],
    ['something else', 'mw_test_<b>1</b>'],
  ] as const) {
    test(`${kind} in the address is not taken, and does not stay there`, async ({ console, page }) => {
      await console.openGate(`#key=${key}`);
      await expect(page.getByLabel('Key', { exact: true })).toHaveValue('');
      expect(page.url()).toBe(`${console.address}/`);
      await console.go(`#key=${key}`);
      await expect(page).toHaveURL(`${console.address}/`);
      await expect(page.getByLabel('Key', { exact: true })).toHaveValue('');
      expect(await page.content()).not.toContain(key);
    });
  }

  test('that is empty asks nothing', async ({ console, page }) => {
    await console.openGate();
    await console.enter('   ');
    await expect(page.getByRole('button', { name: 'Open the console' })).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
  });
});

test('the first key of the keyboard leads past the navigation', async ({ console, page }) => {
  await page.goto(`${console.address}/#key=${console.key}`);
  await expect(page.getByRole('button', { name: 'Forget key' })).toBeVisible();
  await page.keyboard.press('Tab');
  const skip = page.getByRole('button', { name: 'To the content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('a new screen begins at its beginning, with its title, and the way back leads back', async ({ console, page }) => {
  await console.open('#/leaderboard/traders');
  await expect(page).toHaveTitle('Leaderboard · Mirrorworthy');
  const screens = page.getByRole('navigation', { name: 'Screens' });
  for (const name of ['Token', 'Portfolio', 'Copy']) {
    await screens.getByRole('link', { name }).click();
    await expect(page).toHaveTitle(`${name} · Mirrorworthy`);
    await expect(page.getByRole('main')).toBeFocused();
    await expect(screens.locator('[aria-current=page]')).toHaveText(name);
  }
  await page.goBack();
  await expect(page).toHaveTitle('Portfolio · Mirrorworthy');
  await expect(page.getByRole('main')).toBeFocused();
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveTitle('Leaderboard · Mirrorworthy');
  await page.goForward();
  await expect(page).toHaveTitle('Token · Mirrorworthy');
});

test('a new screen is scrolled to its top', async ({ console, page }) => {
  await page.setViewportSize({ width: 1280, height: 300 });
  await console.open('#/leaderboard/traders');
  await expect(page.getByRole('contentinfo')).toBeVisible();
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
  await console.go('#/leaderboard/compare');
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
});

for (const hash of [
  '#/nowhere',
  '#/trader/eth/0x12',
  '#/token/moon/0x60b5d5db14fe945803a033eb73e4e20689c95a5a',
  '#/leaderboard/unheard-of',
]) {
  test(`an address that names nothing is told, with a way on: ${hash}`, async ({ console, page }) => {
    await console.open(hash);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is nothing here');
    await expect(page).toHaveTitle('Not found · Mirrorworthy');
    await page.getByRole('link', { name: 'To the leaderboard' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Who is worth mirroring?');
  });
}

test('a simulated market is named as such', async ({ console, page }) => {
  await console.open();
  await expect(page.getByText('A simulated market: its wallets, tokens and prices are made up.')).toBeVisible();
});

test('without a simulated market nothing says so', async ({ console, page }) => {
  await console.fail('/sample', 404, { error: 'not_found', message: 'Only PROVIDERS=sample has samples.' });
  await console.open('#/token');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('A simulated market')).toHaveCount(0);
});

test('without JavaScript the page says what it needs', async ({ console, browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(console.address);
  await expect(page.locator('noscript')).toBeVisible();
  expect(await page.locator('noscript').evaluate((element) => element.textContent)).toBe('The console needs JavaScript.');
  await context.close();
});
