/** Copying a leader from the board to the end of an agent, with a throw-away wallet and with a wallet of the browser. */
import { localWallet } from '@mirrorworthy/client/local-wallet';
import type { Locator, Page } from '@playwright/test';
import { type Console, expect, test } from './fixtures';

// The clock of the sample market is moved here, which all of these tests tell the time by: one after the other.
test.describe.configure({ mode: 'default' });

/** Whoever owns an agent on this key is made up for a test, so that tests do not meet. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const chainIds = { eth: 1, base: 8453, bsc: 56, arbitrum: 42161, polygon: 137, optimism: 10 };

function card(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true });
}

async function chooseFirst(page: Page): Promise<void> {
  await page
    .getByRole('link', { name: /^Choose 0x/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'How much should follow?' }).click();
  await expect(page.getByRole('heading', { name: 'Size the copy' })).toBeFocused();
}

/** A leader on perpetuals that has a position open, which is copied at once where an agent is to open what its leader holds already. */
async function invested(console: Console): Promise<string> {
  const headers = { Authorization: `Bearer ${console.key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${console.service}/v1/copy/leaders?venue=perpvenue-perps&limit=100`, { headers });
  const { rows } = (await answer.json()) as { rows: { address: string }[] };
  for (const { address } of rows) {
    const body = JSON.stringify({ wallet: address });
    const page = await fetch(`${console.service}/v1/perp-wallet`, { method: 'POST', headers, body });
    const { positions } = (await page.json()) as { positions: unknown[] };
    if (positions.length > 0) {
      return address;
    }
  }
  throw new Error('no leader on perpetuals has a position open');
}

/** Signs a throw-away wallet in where a stage or a page asks for a wallet. */
async function throwAway(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make a throw-away wallet' }).filter({ visible: true }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).filter({ visible: true }).click();
}

/** Says yes to every round until the agent is active. Gives the safety lines that were shown. */
async function sayYes(page: Page): Promise<string[]> {
  const yes = page.getByRole('button', { name: 'Yes, hand this round to my wallet' });
  const active = page.getByText('It mirrors the leader within its limits.');
  const safety: string[] = [];
  for (let round = 1; round < 9; round++) {
    await expect(yes.or(active).first()).toBeVisible();
    if (await active.isVisible()) {
      break;
    }
    await expect(page.getByRole('heading', { name: new RegExp(`^Round ${round}:`) })).toBeFocused();
    safety.push(...(await page.locator('.safety').allTextContents()));
    await yes.click();
    await expect(yes.and(page.locator(':enabled')).or(active).first()).toBeVisible();
  }
  await expect(active).toBeVisible();
  return safety;
}

/** Makes an agent of a throw-away wallet for the first leader on perpetuals, not active yet. */
async function perpsAgent(page: Page, console: Console): Promise<void> {
  await console.open('#/copy?venue=perpvenue-perps');
  await chooseFirst(page);
  await page.getByLabel('I go on without asking the service').check();
  await page.getByRole('button', { name: 'Go on' }).click();
  await throwAway(page);
  await page.getByLabel('At most, USD').fill('250');
  await page.getByLabel('Also open what the leader holds already.').check();
  await page.getByRole('button', { name: 'Make the agent', exact: true }).click();
  await expect(page.getByText('Pending activation')).toBeVisible();
}

async function activated(page: Page, console: Console): Promise<void> {
  await perpsAgent(page, console);
  await page.getByRole('button', { name: 'Begin the activation' }).click();
  await sayYes(page);
}

test('a copy on perpetuals, from the board to the end of the agent', async ({ page, console }) => {
  test.setTimeout(120_000);
  await console.open('#/copy?venue=perpvenue-perps');
  const first = page.getByRole('list', { name: 'Leaders' }).getByRole('listitem').first();
  await expect(first.getByRole('list', { name: 'Why it can or cannot be mirrored' })).toBeVisible();
  await expect(first.getByText('Evidence: its closed trades')).toBeVisible();
  await page.getByRole('link', { name: `Choose ${await invested(console)}` }).click();
  await page.getByRole('button', { name: 'How much should follow?' }).click();

  // What is not a number is told beside its field, and asks nothing.
  await page.getByLabel('Leverage of the leader').fill('1e1');
  await page.getByRole('button', { name: 'Decide' }).click();
  await expect(page.getByText('A number above 0 to 200.')).toBeVisible();
  await page.getByLabel('Leverage of the leader').fill('5');
  await page.getByLabel('Contract').fill('BTC');
  await page.getByLabel('Funding rate of an hour').fill('0.0000125');
  await page.getByRole('button', { name: 'Decide' }).click();
  const decision = page.getByRole('region', { name: 'The decision' });
  await expect(decision.getByText('The service says: copy.')).toBeVisible();
  await expect(decision.getByText('from the venue').first()).toBeVisible();
  await expect(decision.getByText('assumed')).toBeVisible();

  const onwards = page.getByRole('button', { name: 'Go on' });
  await expect(onwards).toBeDisabled();
  await page.getByLabel('I have read').check();
  await onwards.click();
  await throwAway(page);
  await expect(page.getByRole('heading', { name: 'Make the agent' })).toBeFocused();

  // The limits are held to their form before anything is sent.
  await page.getByRole('button', { name: 'Make the agent', exact: true }).click();
  await expect(page.getByText('An amount above 0, like 250 or 250.5')).toBeVisible();
  await page.getByLabel('At most, USD').fill('250.50');
  await page.getByLabel('Copy percent').fill('100');
  await page.getByLabel('Also open what the leader holds already.').check();
  await page.getByRole('button', { name: 'Make the agent', exact: true }).click();

  // A no signs nothing, and is no end.
  await page.getByRole('button', { name: 'Begin the activation' }).click();
  await page.getByRole('button', { name: 'No', exact: true }).click();
  await expect(page.getByText('nothing of this round was signed')).toBeVisible();
  await expect(page.getByText('Pending activation')).toBeVisible();
  await page.getByRole('button', { name: 'Begin the activation' }).click();
  expect((await sayYes(page)).length).toBeGreaterThan(0);
  await expect(page.getByText('Its credentials hold until')).toBeVisible();

  // What the leader holds is copied within minutes.
  const history = card(page, 'What it did');
  const skipped = history.getByRole('listitem').filter({ has: page.getByText('Skipped', { exact: true }) });
  const executed = history.getByRole('listitem').filter({ has: page.getByText('Executed', { exact: true }) });
  await expect(page.getByText('This is the simulated market alone')).toBeVisible();
  await page.getByRole('button', { name: 'Let a minute pass' }).click();
  await expect(history.getByText(/^\d+ new executions?: /)).toBeVisible();
  await expect(
    executed
      .first()
      .getByText(/^[0-9.,]+ USD$/)
      .first(),
  ).toBeVisible();
  await expect(history.getByRole('listitem').first().locator('.why')).not.toBeEmpty();

  // A copy and a skip beside each other, whatever this leader did.
  const copied = {
    status: 'executed',
    skipReason: null,
    reason: 'Half of the leader’s proportions.',
    leaderPrice: 100,
    price: 100.25,
    slippageBps: 25,
  };
  const figures = { latencyMs: 1500, copyRatio: 0.5, leverage: 2, sizeUsd: '50.123456', costUsd: '25.061728', feeUsd: '0.02', leg: 'open' };
  const left = { status: 'skipped', skipReason: 'edge_exhausted', reason: 'Nothing was left to follow.' };
  await console.answer<{ executions: object[] }>(/\/executions$/, ({ executions: [row] }) => ({
    executions: [
      { ...row, ...copied, ...figures, executionId: 'copied' },
      { ...row, ...left, executionId: 'left' },
    ],
    nextCursor: null,
  }));
  await page.getByRole('button', { name: 'Let a minute pass' }).click();
  await expect(skipped.filter({ hasText: 'edge_exhausted' }).getByText('Nothing was left to follow.', { exact: true })).toBeVisible();
  for (const text of ['100 USD', '100.25 USD', '25 bps worse', '1.5 seconds', '50 %', '50.123456 USD', '25.061728 USD', '0.02 USD', '2x']) {
    await expect(executed.getByText(text, { exact: true })).toBeVisible();
  }
  await page.unrouteAll({ behavior: 'wait' });

  await history.getByLabel('Show').selectOption('skipped');
  await expect(executed).toHaveCount(0);

  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByText('It opens nothing, and still mirrors the leader’s closes.')).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByText('It mirrors the leader within its limits.')).toBeVisible();

  // Stopping is asked twice.
  await page.getByRole('button', { name: 'Stop…' }).click();
  await expect(page.getByText('Stopping is final.')).toBeVisible();
  await page.getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('button', { name: 'Stop…' }).click();
  await page.getByRole('button', { name: 'Stop it for good' }).click();
  await expect(page.getByText('It has ended for good.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Resume' })).toHaveCount(0);

  await page.getByRole('link', { name: 'All agents, and a new copy' }).click();
  await expect(page.getByRole('list', { name: 'Your agents' }).getByRole('listitem')).toHaveText(/Perpetuals.*Stopped.*250\.5 USD/);
});

test('a plan on a chain is a sheet to confirm, and a no of the service keeps it on paper', async ({ page, console }) => {
  await console.open('#/copy?venue=dexvenue-spot');
  await expect(page.getByText('Simulated numbers are measured on tokens').first()).toBeVisible();
  await chooseFirst(page);
  await page.getByLabel('Your wallet').fill('0x12');
  await page.getByRole('button', { name: 'Plan the copy' }).click();
  await expect(page.getByText('An address is 0x and 40 hexadecimal digits.')).toBeVisible();

  const warnings = ['A first warning, as the service words it.', 'A second one.'];
  const exclusions = ['WORD: its risk is high.'];
  let copy = true;
  await console.answer<{ copy: boolean; warnings: string[]; plan: { exclusions: string[] }; confidence: number | null }>(
    '/v1/copy-plan',
    (plan) => ({ ...plan, copy, warnings, confidence: null, plan: { ...plan.plan, exclusions, allocationUsd: null } }),
  );
  await page.getByLabel('Your wallet').fill('0x60b5d5db14fe945803a033eb73e4e20689c95a5a');
  await page.getByRole('button', { name: 'Plan the copy' }).click();
  const plan = page.getByRole('region', { name: 'The plan' });
  for (const line of [...warnings, ...exclusions]) {
    await expect(plan.getByText(line, { exact: true })).toBeVisible();
  }
  await expect(plan.getByText('The service says: copy.')).toBeVisible();
  await expect(plan.getByText('not measured').first()).toBeVisible();
  await page.getByLabel('I have read the warnings and what is left out.').check();

  // Another question has another answer, which is not read yet.
  copy = false;
  await page.getByLabel('Risk').selectOption('conservative');
  await expect(plan.getByText('The service says: do not copy.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Go on' })).toBeDisabled();
  await page.getByLabel('I have read that the service says not to copy').check();
  await page.getByRole('button', { name: 'Go on' }).click();
  await throwAway(page);
  await expect(page.getByText('On paper only: the service says not to copy this leader.')).toBeVisible();
  await expect(page.getByRole('radio')).toHaveCount(1);
});

test('live is offered where the venue offers it, and confirmed', async ({ page, console }) => {
  await console.answer<{ venues: { modes: string[] }[] }>('/v1/copy/venues', (answer) => {
    for (const venue of answer.venues) {
      venue.modes = ['paper', 'live'];
    }
  });
  await console.open('#/copy?venue=predictvenue-markets');
  await chooseFirst(page);
  await page.getByLabel('I have read').check();
  await page.getByRole('button', { name: 'Go on' }).click();
  await throwAway(page);
  await page.getByRole('radio', { name: /^Live/ }).check();
  await page.getByLabel('At most, USD').fill('10');
  await page.getByRole('button', { name: 'Make the agent', exact: true }).click();
  await expect(page.getByText('Say that you want real orders, or choose paper.')).toBeVisible();
});

/** What a wallet of the browser was asked. */
type Asked = { method: string; params?: unknown[] };

/** Puts a wallet into the page that announces itself, and signs by a key of the test. `refuse` is asked before it does anything. */
async function browserWallet(
  page: Page,
  service: string,
  refuse: (method: string) => boolean,
): Promise<{ address: string; asked: string[] }> {
  const nodes = Object.fromEntries(Object.entries(chainIds).map(([slug, id]) => [id, `${service}/sample/nodes/${slug}`]));
  const wallet = localWallet(randomKey(), nodes, { pollMs: 50 });
  const asked: string[] = [];
  let chain = '0x1';
  const answer = async ({ method, params = [] }: Asked): Promise<unknown> => {
    switch (method) {
      case 'eth_requestAccounts':
        return [wallet.address];
      case 'eth_chainId':
        return chain;
      case 'wallet_switchEthereumChain':
        chain = (params[0] as { chainId: string }).chainId;
        return null;
      case 'personal_sign':
        return wallet.signMessage(Buffer.from((params[0] as string).slice(2), 'hex').toString('utf8'));
      case 'eth_signTypedData_v4':
        return wallet.signTypedData(JSON.parse(params[1] as string));
      case 'eth_sendTransaction': {
        const { from, to, data, value, chainId } = params[0] as Record<'from' | 'to' | 'data' | 'value' | 'chainId', string>;
        return wallet.sendTransaction({ from, to, data, value, chainId: Number(chainId) });
      }
      case 'eth_getTransactionReceipt': {
        const node = nodes[Number(chain)] ?? '';
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        const told = await fetch(node, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
        return ((await told.json()) as { result: unknown }).result;
      }
      default:
        throw new Error(`the wallet of the test does not know ${method}`);
    }
  };
  await page.exposeFunction('walletOfTest', async (request: Asked) => {
    asked.push(request.method);
    return refuse(request.method) ? { error: { code: 4001, message: 'User rejected the request.' } } : { result: await answer(request) };
  });
  await page.addInitScript(() => {
    type Listener = (value: unknown) => void;
    type Answer = { result?: unknown; error?: { code: number; message: string } };
    const ask = (window as unknown as { walletOfTest: (asked: unknown) => Promise<Answer> }).walletOfTest;
    const listeners = new Map<string, Set<Listener>>();
    const emit = (event: string, value: unknown) => {
      for (const listener of [...(listeners.get(event) ?? [])]) {
        listener(value);
      }
    };
    const provider = {
      async request(asked: Asked) {
        const { result, error } = await ask(asked);
        if (error) {
          throw Object.assign(new Error(error.message), { code: error.code });
        }
        if (asked.method === 'wallet_switchEthereumChain') {
          emit('chainChanged', (asked.params?.[0] as { chainId: string }).chainId);
        }
        return result;
      },
      on(event: string, listener: Listener) {
        listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
      },
      removeListener(event: string, listener: Listener) {
        listeners.get(event)?.delete(listener);
      },
    };
    const info = {
      uuid: 'a-wallet',
      name: 'Wallet of the test',
      rdns: 'example.wallet',
      icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
    };
    Object.assign(window, { emitOfTest: emit });
    window.addEventListener('eip6963:requestProvider', () => {
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }));
    });
  });
  return { address: wallet.address, asked };
}

test('a copy on a chain with a wallet of the browser, which may say no', async ({ page, console }) => {
  test.setTimeout(120_000);
  let refused = '';
  const wallet = await browserWallet(page, console.service, (method) => method === refused);
  // A leader of another chain than the wallet is on: the wallet has to change.
  await console.open('#/copy?venue=dexvenue-spot&chain=base');
  await chooseFirst(page);
  await page.getByLabel('Your wallet').fill(wallet.address);
  await page.getByRole('button', { name: 'Plan the copy' }).click();
  await expect(page.getByRole('region', { name: 'The plan' })).toBeVisible();
  await page.getByLabel(/^I have read/).check();
  await page.getByRole('button', { name: 'Go on' }).click();

  refused = 'eth_requestAccounts';
  const mine = page.getByRole('button', { name: 'Wallet of the test' }).filter({ visible: true });
  await expect(mine.getByRole('presentation')).toHaveAttribute('src', /^data:image\//);
  await mine.click();
  await expect(page.getByText('You said no in the wallet')).toBeVisible();
  refused = 'personal_sign';
  await mine.click();
  await expect(page.getByText('wants you to sign in with your Ethereum account').filter({ visible: true })).toBeVisible();
  expect(wallet.asked).not.toContain('personal_sign');
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true }).filter({ visible: true });
  await signIn.click();
  await expect(page.getByText('You said no in the wallet')).toBeVisible();
  refused = '';
  await signIn.click();

  await page.getByLabel('At most, USD').fill('250');
  await expect(page.getByLabel('Account that trades')).toHaveValue(/^0x[0-9a-f]{40}$/);
  await page.getByRole('button', { name: 'Make the agent', exact: true }).click();

  await page.getByRole('button', { name: 'Begin the activation' }).click();
  const yes = page.getByRole('button', { name: 'Yes, hand this round to my wallet' });
  await expect(yes).toBeVisible();
  expect(wallet.asked).not.toContain('eth_sendTransaction');
  refused = 'eth_sendTransaction';
  await yes.click();
  await expect(page.getByText('You said no in the wallet')).toBeVisible();
  await expect(page.getByText('Not done', { exact: true })).toBeVisible();
  refused = '';
  await page.getByRole('button', { name: 'Try again' }).click();
  const safety = await sayYes(page);
  expect(safety.length).toBeGreaterThanOrEqual(3);
  expect(wallet.asked).toContain('wallet_switchEthereumChain');
  expect(wallet.asked).toContain('eth_signTypedData_v4');

  // Another account is somebody else, who sees nothing of it.
  const emit = (event: string, value: unknown) =>
    page.evaluate(
      ([name, told]) => (window as unknown as { emitOfTest: (e: unknown, v: unknown) => void }).emitOfTest(name, told),
      [event, value],
    );
  await emit('accountsChanged', ['0x'.padEnd(42, '1')]);
  await expect(page.getByText('The wallet changed its account, so you were signed out.')).toBeVisible();
  await expect(page.getByText('It mirrors the leader within its limits.')).toHaveCount(0);
  await mine.click();
  await signIn.click();
  await expect(page.getByText('It mirrors the leader within its limits.')).toBeVisible();

  // When the sign-in ends, the wallet is not made to ask for another out of nowhere.
  const before = wallet.asked.length;
  await page.getByRole('button', { name: 'Let a day pass' }).click();
  await expect(page.getByText('Your sign-in has ended.')).toBeVisible({ timeout: 60_000 });
  expect(wallet.asked).toHaveLength(before);
  await signIn.click();
  await expect(page.getByText('It mirrors the leader within its limits.')).toBeVisible();
});

test('credentials that end are announced, and an expired agent is activated again', async ({ page, console }) => {
  await activated(page, console);
  const { now } = (await (await fetch(`${console.service}/sample`)).json()) as { now: string };
  let told: { status: string; credentialsExpireAt: string } | null = null;
  await console.answer(/\/copy\/agents\/ag_[0-9a-z]+$/, (agent) => (told === null ? agent : { ...agent, ...told }));
  // Whoever looks at the page again sees the agent as it is then.
  const look = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

  told = { status: 'active', credentialsExpireAt: new Date(Date.parse(now) + 71.5 * 3_600_000).toISOString() };
  await look();
  await expect(page.getByText(/^Its credentials end in 3 days, at .* After that it opens nothing/)).toBeVisible();

  told = { status: 'expired', credentialsExpireAt: now };
  await look();
  await expect(page.getByText('Its credentials have ended, so it opens nothing.')).toBeVisible();
  await expect(page.getByText('Its credentials ended at')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Resume' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Activate again' }).click();
  told = null;
  await sayYes(page);
});

test('what the service fails at is told in its own place, and can be asked again', async ({ page, console }) => {
  await perpsAgent(page, console);
  const refusal = { error: 'agent_state_conflict', message: 'The agent has moved on meanwhile.', requestId: 'request-7' };
  await console.fail(/\/activation$/, 409, refusal);
  await page.getByRole('button', { name: 'Begin the activation' }).click();
  await expect(page.getByText(refusal.message)).toBeVisible();
  await expect(page.getByText('request-7')).toBeVisible();
  await expect(page.getByText('Pending activation')).toBeVisible();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await sayYes(page);
});

test('a leader that is not on the board, a venue that there is not, and another’s agent', async ({ page, console }) => {
  await console.open('#/copy?venue=perpvenue-perps&leader=0x1111111111111111111111111111111111111111');
  await expect(page.getByText('This wallet is not among the venue’s leaders')).toBeVisible();
  await console.go('#/copy?venue=nowhere');
  await expect(page.getByText('The service has no venue')).toBeVisible();
  console.expectFailure(/\/copy\/agents\//);
  await console.go('#/copy/agents/ag_00000000000000000000000000000000');
  await throwAway(page);
  await expect(page.getByText('not_found')).toBeVisible();
});

test('numbers that were not measured are said to be so', async ({ page, console }) => {
  await activated(page, console);
  const nothing = {
    executionId: 'x1',
    agentId: 'a',
    status: 'executed',
    skipReason: null,
    reason: 'How it came about.',
    venue: 'perpvenue-perps',
    mode: 'paper',
    leg: 'close',
    side: 'long',
    asset: { name: 'BTC', chain: null, address: null, coin: 'BTC', market: null, outcome: null, outcomeToken: null },
    leaderTradeAt: null,
    detectedAt: '2026-01-01T00:00:00Z',
    submittedAt: null,
    executedAt: null,
    leaderPrice: null,
    price: null,
    slippageBps: null,
    latencyMs: null,
    copyRatio: null,
    leverage: null,
    sizeUsd: null,
    costUsd: null,
    quantity: null,
    feeUsd: null,
    realizedUsd: null,
    fundingUsd: null,
  };
  await console.answer(/\/executions$/, () => ({ executions: [nothing], nextCursor: null }));
  await page.getByLabel('Show').selectOption('executed');
  const row = page.getByRole('list', { name: 'Executions' }).getByRole('listitem');
  await expect(row.getByText('How it came about.')).toBeVisible();
  const values = row.locator('dd');
  await expect(values).toHaveText(Array(await values.count()).fill('not measured'));
  expect(await values.count()).toBeGreaterThan(8);
});
