/**
 * What the browser tests work with: the console opened with a key, answers altered on their way, and a watch over every page. A test fails
 * at its end when its page threw, logged an error, broke the content security policy, or asked another origin for anything.
 */
import { test as base, expect, type Page } from '@playwright/test';

export { expect };

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set: browser/setup.ts sets it`);
  }
  return value;
}

/** A path of the API, as /v1/token-overview, or a pattern of one. */
export type ApiPath = string | RegExp;

/** Lists of GET /sample. */
export type SampleList = 'wallets' | 'tokens' | 'perps' | 'predictions';

function matches(path: ApiPath, url: URL): boolean {
  return typeof path === 'string' ? url.pathname === path : path.test(url.pathname);
}

/** The console in a page. */
export class Console {
  /** The address of the service, without /v1. */
  readonly service = setting('SERVICE_URL');
  /** The address of the console. */
  readonly address = setting('CONSOLE_URL');
  /** A partner key of the sample market. */
  readonly key = setting('SERVICE_KEY');
  readonly #page: Page;
  readonly #expected: ApiPath[] = [];
  readonly #wrongs: string[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  /** The wallets or tokens of the sample market, and the fragments of their pages. */
  async samples(list: SampleList): Promise<{ kind: string; address: string; chain: string; hash: string }[]> {
    const market = (await (await fetch(`${this.service}/sample`)).json()) as Record<
      SampleList,
      { address: string; chain?: string; kind: string }[]
    >;
    const places = { wallets: null, tokens: null, perps: 'perp', predictions: 'prediction' };
    const screen = list === 'tokens' ? 'token' : 'trader';
    return market[list].map(({ kind, address, chain = '' }) => ({
      kind,
      address,
      chain,
      hash: `#/${screen}/${places[list] ?? chain}/${address}`,
    }));
  }

  /** The first of a kind among them. */
  async sample(list: SampleList, kind: string): Promise<{ address: string; chain: string; hash: string }> {
    const found = (await this.samples(list)).find((sample) => sample.kind === kind);
    if (found === undefined) {
      throw new Error(`the sample market has no ${kind} among its ${list}`);
    }
    return found;
  }

  /** Opens a screen by its fragment, as #/leaderboard/traders, with the key. */
  async open(hash = ''): Promise<void> {
    await this.openGate(hash);
    await this.enter(this.key);
    await expect(this.#page.getByRole('button', { name: 'Forget key' })).toBeVisible();
  }

  /** Opens a screen without a key: what is there is the question for one. A page that is open already is left for it. */
  async openGate(hash = ''): Promise<void> {
    await this.#page.goto('about:blank');
    await this.#page.goto(`${this.address}/${hash}`);
  }

  /** Gives a key to a page that asks for one. */
  async enter(key: string): Promise<void> {
    await this.#page.getByLabel('Key', { exact: true }).fill(key);
    await this.#page.getByRole('button', { name: 'Open the console' }).click();
  }

  /** Goes to another screen of the opened page, as a link there does. */
  async go(hash: string): Promise<void> {
    await this.#page.evaluate((to) => {
      window.location.hash = to;
    }, hash);
  }

  /**
   * Alters what the service answers to a path from now on. `change` may alter what it is given or return another value. The latest
   * alteration of a path wins.
   */
  async answer<T = Record<string, unknown>>(path: ApiPath, change: (json: T) => unknown): Promise<void> {
    await this.#page.route(
      (url) => matches(path, url),
      async (route) => {
        const response = await route.fetch();
        const given = (await response.json()) as T;
        const json = change(given) ?? given;
        await route.fulfill({ response, json });
      },
    );
  }

  /** Answers a path with a failure from now on, as the service would put it. */
  async fail(path: ApiPath, status: number, body: Record<string, unknown>): Promise<void> {
    this.expectFailure(path);
    await this.#page.route(
      (url) => matches(path, url),
      (route) => route.fulfill({ status, json: body }),
    );
  }

  /** Has the connection break on a path from now on. */
  async cut(path: ApiPath): Promise<void> {
    this.expectFailure(path);
    await this.#page.route(
      (url) => matches(path, url),
      (route) => route.abort('connectionfailed'),
    );
  }

  /** Says that answers to a path may be failures. The browser logs each as an error, which would fail the test otherwise. */
  expectFailure(path: ApiPath): void {
    this.#expected.push(path);
  }

  /** What the watch saw go wrong so far. */
  get wrongs(): readonly string[] {
    return this.#wrongs;
  }

  /** Begins the watch over the page. */
  async watch(): Promise<void> {
    const page = this.#page;
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        reportError(new Error(`against the content security policy: ${event.effectiveDirective} ${event.blockedURI}`));
      });
    });
    page.on('pageerror', (error) => this.#wrongs.push(`threw: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() !== 'error') {
        return;
      }
      const { url } = message.location();
      const failure = message.text().startsWith('Failed to load resource') && URL.canParse(url);
      if (!failure || !this.#expected.some((path) => matches(path, new URL(url)))) {
        this.#wrongs.push(`logged: ${message.text()} (${url})`);
      }
    });
    const own = new URL(this.address).origin;
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== own) {
        this.#wrongs.push(`asked elsewhere: ${request.method()} ${request.url()}`);
      }
    });
  }
}

/** `test` with the console. */
export const test = base.extend<{ console: Console }>({
  console: async ({ page }, use) => {
    const opened = new Console(page);
    await opened.watch();
    await use(opened);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(opened.wrongs, 'the page did what no page may do').toEqual([]);
  },
});
