/** What the console allows itself and others, as it is served. */
import { test as bare } from '@playwright/test';
import { expect, test } from './fixtures';

const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

test('every file comes with the headers that close what is not used', async ({ console, request }) => {
  const page = await request.get(`${console.address}/`);
  const files = [...(await page.text()).matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(files).toEqual(
    expect.arrayContaining([expect.stringMatching(/^\/assets\/.+\.js$/), expect.stringMatching(/^\/assets\/.+\.css$/)]),
  );
  for (const path of ['/', ...files]) {
    const answer = await request.get(console.address + path);
    expect(answer.status(), path).toBe(200);
    const headers = answer.headers();
    const directives = Object.fromEntries(
      (headers['content-security-policy'] ?? '').split(';').map((directive) => {
        const [name = '', ...sources] = directive.trim().split(' ');
        return [name, sources.join(' ')];
      }),
    );
    expect(directives, path).toMatchObject(policy);
    expect(JSON.stringify(directives), path).not.toMatch(/unsafe|\*|https?:/);
    expect(headers, path).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
    });
    expect(headers['permissions-policy'], path).toContain('camera=()');
    expect(headers['cache-control'], path).toBe(path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
  }
});

test('the page has no script, style or handler as text in it', async ({ console, request }) => {
  const text = await (await request.get(`${console.address}/`)).text();
  expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
  const scripts = text.match(/<script[^>]*>/g) ?? [];
  expect(scripts.length).toBeGreaterThan(0);
  for (const script of scripts) {
    expect(script).toMatch(/\ssrc="\/assets\//);
  }
  expect(text.match(/<script[^>]*>[^<]/g)).toBeNull();
});

test('words of the service are words, never a part of the page', async ({ console, page }) => {
  const attack = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';
  await console.answer<{ note: string | null; rows: unknown[] }>('/v1/trader-board', (json) => {
    json.rows = [];
    json.note = attack;
  });
  await console.open('#/leaderboard/traders');
  await expect(page.getByText(attack)).toBeVisible();
  expect(await page.evaluate(() => 'ran' in window)).toBe(false);
  await expect(page.locator('main img, main script')).toHaveCount(0);
});

// These break the policy on purpose, which the watch of every other test would call a failure.
bare('a script, a style, a frame and a connection that are not the console’s own are kept from the page', async ({ page }) => {
  await page.goto(process.env.CONSOLE_URL ?? '');
  const blocked = await page.evaluate(async () => {
    const directives: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) => directives.push(event.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.ran = 1';
    const style = document.createElement('style');
    style.textContent = 'main { display: none }';
    const frame = document.createElement('iframe');
    frame.src = 'https://elsewhere.example/';
    document.body.append(script, style, frame);
    const link = document.createElement('a');
    link.href = 'javascript:window.ran = 1';
    document.body.append(link);
    link.click();
    const answered = await fetch('https://elsewhere.example/').then(
      () => true,
      () => false,
    );
    // The page is told of each in its own time.
    while (new Set(directives).size < 4) {
      await new Promise((next) => setTimeout(next, 10));
    }
    return { directives: [...new Set(directives)].sort(), answered, ran: 'ran' in window };
  });
  expect(blocked).toEqual({
    directives: ['connect-src', 'frame-src', 'script-src-elem', 'style-src-elem'],
    answered: false,
    ran: false,
  });
});

bare('no other page can show the console within it', async ({ page }) => {
  const console = process.env.CONSOLE_URL ?? '';
  const service = process.env.SERVICE_URL ?? '';
  // The same machine by its other name is another origin.
  await page.goto(`${service.replace('127.0.0.1', 'localhost')}/sample`);
  await page.evaluate(
    (sources) => {
      for (const [name, src] of Object.entries(sources)) {
        document.body.append(Object.assign(document.createElement('iframe'), { name, src }));
      }
    },
    { console: `${console}/`, other: `${service}/sample` },
  );
  await expect(page.frameLocator('[name=other]').getByText('accountFactory')).toBeVisible();
  await expect.poll(() => page.frame('console')?.url()).toMatch(/^chrome-error:/);
  await expect(page.frameLocator('[name=console]').locator('#console')).toHaveCount(0);
});
