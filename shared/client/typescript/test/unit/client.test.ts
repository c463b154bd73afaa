/** What the client asks, and what it makes of the answers. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  AnswerError,
  ApiError,
  Client,
  ConnectionError,
  type CreateAgentRequest,
  type Leader,
  NoWalletError,
  OptionsError,
  SignInError,
} from '../../src/index.js';
import { base, json, leaderOne, start, testKey, testWallet } from './double.js';

const request: CreateAgentRequest = {
  venue: 'dexvenue-spot',
  smartAccountAddress: testWallet,
  leaderWalletAddress: leaderOne,
  riskConfig: { maxUsd: '250', copyPercent: 50 },
};

/** Waits for an error of the service. */
async function refusal(promise: PromiseLike<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) {
    throw new Error(`not from the service: ${error}`);
  }
  return error;
}

test('options that cannot work are refused', () => {
  for (const key of ['', 'a b', 'a\n', 'ä']) {
    expect(() => new Client({ baseUrl: base, apiKey: key }), key).toThrow(OptionsError);
  }
  for (const option of ['retries', 'timeoutMs', 'maximumWaitMs'] as const) {
    for (const value of [-1, Number.NaN]) {
      expect(() => new Client({ baseUrl: base, apiKey: 'k', [option]: value }), option).toThrow(OptionsError);
    }
  }
});

test('a request carries what it must, and nothing that a browser would add', async () => {
  const { client, double } = start();
  await client.post('/wallet-overview', { wallet: testWallet, chain: 'base' });
  const [asked] = double.asked;
  expect(asked?.body).toBe(`{"wallet":"${testWallet}","chain":"base"}`);
  expect(Object.fromEntries(asked?.headers ?? [])).toEqual({
    accept: 'application/json',
    authorization: `Bearer ${testKey}`,
    'content-type': 'application/json',
    'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(asked?.init).toMatchObject({ redirect: 'manual', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' });
  await client.getAgent('ag_1').catch(() => undefined);
  expect(Object.fromEntries(double.asked[1]?.headers ?? [])).toEqual({
    accept: 'application/json',
    authorization: `Bearer ${testKey}`,
    'x-wallet-address': testWallet,
    'x-wallet-message': expect.stringMatching(/^[\w-]+$/),
    'x-wallet-signature': expect.stringMatching(/^0x/),
  });
});

test('the headers of a wallet take the place of none of the client’s', async () => {
  const { client, double } = start({
    getAuthHeaders: async () => [
      ['authorization', 'Bearer other'],
      ['X-Wallet-Address', testWallet],
    ],
  });
  await client.getAgent('ag_1').catch(() => undefined);
  expect(double.asked[0]?.headers.get('Authorization')).toBe(`Bearer ${testKey}`);
  expect(double.asked[0]?.headers.get('X-Wallet-Address')).toBe(testWallet);
});

test('venues and leaders are browsed', async () => {
  const { client, double } = start();
  expect((await client.listVenues()).map(({ venue, smartAccountAddress }) => [venue, smartAccountAddress])).toEqual([
    ['dexvenue-spot', 'The smart account.'],
  ]);
  const ranks: number[] = [];
  for await (const leader of client.listLeaders({ venue: 'dexvenue-spot', chain: 'base' })) {
    ranks.push(leader.rank);
    expect(leader).toMatchObject({
      address: expect.stringMatching(/^0x/),
      grade: 'A',
      confidence: null,
      assessment: { evidence: 'closed-trades' },
    });
  }
  expect(ranks).toEqual([1, 2, 3, 4, 5]);
  expect(double.asked.slice(1).map(({ query }) => String(query))).toEqual([
    'venue=dexvenue-spot&chain=base',
    'venue=dexvenue-spot&chain=base&cursor=after-2',
    'venue=dexvenue-spot&chain=base&cursor=after-4',
  ]);
  const all: Leader[] = await client.listLeaders({ venue: 'dexvenue-spot' });
  expect(all.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
  // A page is asked for when it is needed, and nothing before.
  const before = double.asked.length;
  const listing = client.listLeaders({ venue: 'dexvenue-spot' });
  expect(double.asked).toHaveLength(before);
  for await (const { rank } of listing) {
    if (rank === 2) {
      break;
    }
  }
  expect(double.asked).toHaveLength(before + 1);
  expect((await client.spotLeaders({ chain: 'base', mirrorableOnly: true })).map(({ address }) => address)).toEqual([leaderOne]);
  expect((await client.spotLeaders()).map(({ address, grade }) => [address, grade])).toEqual([
    [leaderOne, 'A'],
    [testWallet, null],
  ]);
  expect((await refusal(client.listLeaders({ venue: 'perpvenue-perps' }))).code).toBe('invalid_param');
  expect(await client.walletOverview({ wallet: testWallet, chain: 'base' })).toEqual({
    bundle: 'wallet-overview',
    wallet: testWallet,
    chain: 'base',
  });
  expect(await client.get('/usage')).toEqual({ today: 5 });
});

test('plans and decisions come as they are', async () => {
  const { client } = start();
  const plan = await client.copyPlan({ wallet: testWallet, leadWallet: leaderOne, chain: 'base' });
  expect([plan.copy, plan.plan.allocationUsd, plan.riskConfig?.maxUsd, plan.warnings]).toEqual([true, 250, '250', ['Thin record.']]);
  const decision = await client.perpCopyDecision({ side: 'long', leverage: 5, fundingRateHourly: 0 });
  expect([decision.copy, decision.maxLeverage, decision.liqDistancePct, decision.fundingCostDaily]).toEqual([false, 3, 33.1, null]);
  const overlap = await client.copyOverlap({ wallet: testWallet, leadWallet: leaderOne, chain: 'base' });
  expect([overlap.redundant, overlap.verdict]).toEqual([null, 'unknown']);
});

test('an agent moves as it is told', async () => {
  const { client } = start();
  const agent = await client.createAgent(request);
  expect(agent).toMatchObject({ agentId: 'ag_1', status: 'pending_activation', riskConfig: { maxUsd: '250' }, credentialsExpireAt: null });
  expect((await client.pause('ag_1')).status).toBe('paused');
  expect((await client.resume('ag_1')).status).toBe('active');
  expect((await client.stop('ag_1')).status).toBe('stopped');
  expect((await client.getAgent('ag_1')).status).toBe('stopped');
  expect((await refusal(client.resume('ag_1'))).code).toBe('agent_state_conflict');
  await client.createAgent(request);
  await client.createAgent(request);
  expect((await client.listAgents()).map(({ agentId }) => agentId)).toEqual(['ag_3', 'ag_2', 'ag_1']);
});

test('an ID cannot become another path', async () => {
  const { client, double } = start();
  expect((await refusal(client.getAgent('../agents?x=ä'))).code).toBe('not_found');
  expect(double.asked[0]?.path).toBe('/copy/agents/..%2Fagents%3Fx%3D%C3%A4');
  for (const id of ['', '.', '..']) {
    await expect(client.getAgent(id)).rejects.toThrow(OptionsError);
    await expect(client.stop(id)).rejects.toThrow(OptionsError);
  }
  expect(double.asked).toHaveLength(1);
  // @ts-expect-error a path begins with a slash
  await expect(client.get('usage')).rejects.toThrow(OptionsError);
});

test('executions are listed with what was skipped', async () => {
  const { client } = start();
  for (const [status, want] of [
    [undefined, 'ex_0 ex_1 ex_2 ex_3 ex_4'],
    ['skipped', 'ex_1 ex_4'],
    ['partial', ''],
  ] as const) {
    const got: string[] = [];
    for await (const execution of client.listExecutions('ag_1', { status })) {
      got.push(execution.executionId);
      expect(execution.skipReason).toBe(execution.status === 'skipped' ? 'slippage_exceeded' : null);
      expect(execution.sizeUsd).toBe('12.5');
    }
    expect(got.join(' ')).toBe(want);
  }
  const first = await client.listExecutions('ag_1');
  expect([first.executions.map(({ executionId }) => executionId), first.nextCursor]).toEqual([['ex_0', 'ex_1'], 'after-2']);
  const next = await client.listExecutions('ag_1', { cursor: first.nextCursor ?? undefined, limit: 2 });
  expect(next.executions.map(({ executionId }) => executionId)).toEqual(['ex_2', 'ex_3']);
});

test('a webhook is managed', async () => {
  const { client, double } = start();
  expect((await refusal(client.getWebhook())).code).toBe('not_found');
  const made = await client.putWebhook({ url: 'https://hooks.example.com/' });
  expect(made).toEqual({ url: 'https://hooks.example.com/', status: 'active', secret: expect.stringMatching(/^whsec_/) });
  expect((await client.getWebhook()).secret).toBeUndefined();
  expect(await client.testWebhook()).toMatchObject({ delivered: false, status: 500, durationMs: 12 });
  expect(await client.deleteWebhook()).toEqual({ removed: true });
  expect(await client.deleteWebhook()).toEqual({ removed: false });
  expect(double.asked.map(({ method }) => method)).toEqual(['GET', 'PUT', 'GET', 'POST', 'DELETE', 'DELETE']);
});

test('without a wallet nothing is asked about agents', async () => {
  const without = start({ getAuthHeaders: undefined });
  await expect(without.client.getAgent('ag_1')).rejects.toThrow(NoWalletError);
  await expect(without.client.listAgents()).rejects.toThrow(NoWalletError);
  expect(without.double.asked).toHaveLength(0);
  // A wallet that does not answer is not asked again, whatever its error looks like.
  let prompts = 0;
  const locked = new ConnectionError('the wallet is locked');
  const { client, double } = start({
    getAuthHeaders: () => {
      prompts++;
      throw locked;
    },
  });
  const error = await client.getAgent('ag_1').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SignInError);
  expect(error).toHaveProperty('cause', locked);
  expect([double.asked.length, prompts]).toEqual([0, 1]);
});

test('a refusal tells all that the service said', async () => {
  const { client, double } = start({ apiKey: 'wrong', retries: 0 });
  const refused = await refusal(client.listVenues());
  expect({ ...refused, message: refused.message }).toEqual({
    name: 'ApiError',
    status: 401,
    code: 'unauthorized',
    message: 'Do something else.',
    requestId: 'req',
    param: 'p',
    accepted: ['a'],
    supported: ['base'],
  });
  expect(String(refused)).toBe('ApiError: 401 unauthorized: Do something else. (request req)');
  double.trouble = () => json('<html>bad gateway</html>', 502);
  const gateway = await refusal(client.listVenues());
  expect([gateway.status, gateway.code, gateway.requestId]).toEqual([502, '', 'req-2']);
  expect(String(gateway)).not.toContain('html');
  // What has other types than a refusal is not taken for one.
  double.trouble = () => json({ error: 'x', message: 5, param: 7, accepted: 'a', supported: [1], retryAfterSeconds: '9' }, 400);
  const odd = await refusal(client.listVenues());
  expect({ ...odd, message: odd.message }).toEqual({ name: 'ApiError', status: 400, code: 'x', message: '', requestId: 'req-3' });
});

test('what is not an answer of the service is none', async () => {
  const { client, double } = start();
  for (const body of ['<html>', '[]', '"text"', 'null', '']) {
    double.trouble = () => json(body);
    await expect(client.walletOverview({ wallet: testWallet, chain: 'base' }), body).rejects.toThrow(AnswerError);
  }
  for (const body of ['{}', '{"rows":{},"agents":{},"executions":{}}']) {
    double.trouble = () => json(body);
    await expect(client.listLeaders({ venue: 'dexvenue-spot' })).rejects.toThrow(AnswerError);
    await expect(client.spotLeaders()).rejects.toThrow(AnswerError);
    await expect(client.listAgents()).rejects.toThrow(AnswerError);
    await expect(client.listExecutions('ag_1')[Symbol.asyncIterator]().next()).rejects.toThrow(AnswerError);
    await expect(client.listVenues()).rejects.toThrow(AnswerError);
  }
  // Where a page is its own next, the walk ends.
  double.trouble = () => json('{"agents":[],"nextCursor":"same"}');
  await expect(client.listAgents()).rejects.toThrow(AnswerError);
});

test('an answer without end is not read to its end', async () => {
  let pulled = 0;
  const { client, double } = start({ retries: 0 });
  double.trouble = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => {
          pulled++;
          controller.enqueue(new Uint8Array(1 << 20).fill(0x20));
        },
      }),
    );
  await expect(client.listVenues()).rejects.toThrow(AnswerError);
  expect(pulled).toBeGreaterThan(16);
  expect(pulled).toBeLessThan(20);
});

test('the key is nowhere but in the requests', async () => {
  const { client, double } = start({ retries: 0 });
  const seen: unknown[] = [client];
  double.trouble = () => {
    throw new TypeError('fetch failed');
  };
  seen.push(await client.listVenues().catch((thrown: unknown) => thrown));
  double.trouble = () => json('x', 500);
  seen.push(await client.listVenues().catch((thrown: unknown) => thrown));
  double.trouble = () => json('{');
  seen.push(await client.listVenues().catch((thrown: unknown) => thrown));
  const told = seen
    .map((value) => `${JSON.stringify(value)} ${inspect(value, { depth: 9, showHidden: true })} ${String(value)}`)
    .join('\n');
  expect(told).not.toContain(testKey);
  expect(seen.slice(1)).toEqual([expect.any(ConnectionError), expect.any(ApiError), expect.any(AnswerError)]);
  expect(double.asked.map(({ path, query, body }) => `${path}?${query} ${body}`).join('\n')).not.toContain(testKey);
});
