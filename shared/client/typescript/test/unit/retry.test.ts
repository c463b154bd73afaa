/** What is asked again, when, and for how long. Time is the test's own. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError, Client, type ClientOptions, ConnectionError, type CreateAgentRequest, OptionsError } from '../../src/index.js';
import { retryAfterSeconds } from '../../src/retry.js';
import { base, json, leaderOne, TestSigner, testKey, testWallet } from './double.js';

const began = Date.UTC(2000, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: began });
});

afterEach(() => {
  vi.useRealTimers();
});

type Answerer = (signal: AbortSignal | null | undefined) => Response | Promise<Response>;

/** Answers one request after the other, the last for ever. */
function scripted(answers: readonly Answerer[], more: Partial<ClientOptions> = {}) {
  const asked: { at: number; key: string | null; body: unknown }[] = [];
  const client = new Client({
    baseUrl: base,
    apiKey: testKey,
    getAuthHeaders: () => ({}),
    fetch: async (_, init) => {
      asked.push({ at: Date.now() - began, key: new Headers(init?.headers).get('Idempotency-Key'), body: init?.body });
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      return answer === undefined ? json({ agentId: 'ag_1' }) : answer(init?.signal);
    },
    ...more,
  });
  return { client, asked };
}

/** Lets time pass until a call has ended. */
async function settle<Value>(promise: Promise<Value>): Promise<{ value?: Value; error?: unknown }> {
  let ended: { value?: Value; error?: unknown } | undefined;
  promise.then(
    (value) => {
      ended = { value };
    },
    (error: unknown) => {
      ended = { error };
    },
  );
  for (let step = 0; ended === undefined && step < 100_000; step++) {
    await vi.advanceTimersByTimeAsync(step < 50 ? 0 : 50);
  }
  if (ended === undefined) {
    throw new Error('the call never ends');
  }
  return ended;
}

const request: CreateAgentRequest = {
  venue: 'dexvenue-spot',
  smartAccountAddress: testWallet,
  leaderWalletAddress: leaderOne,
  riskConfig: { maxUsd: '1', copyPercent: 1 },
};

const refusal = '{"error":"x","message":"y"}';
const answer = (status: number, body: string, retryAfter?: string) => () =>
  json(body, status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
const good = answer(200, '{"agentId":"ag_1"}');
const breaksOff = () =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{'));
        controller.error(new TypeError('terminated'));
      },
    }),
  );

test.each<[string, Answerer, number]>([
  ['too many', answer(429, refusal, '5'), 5000],
  ['down', answer(503, refusal, '10'), 10_000],
  ['a date', answer(503, refusal, 'Sat, 01 Jan 2000 00:00:20 GMT'), 20_000],
  ['in the body', answer(429, '{"error":"x","retryAfterSeconds":7}'), 7000],
  ['a header that is no time', answer(429, '{"error":"x","retryAfterSeconds":7}', 'soon'), 7000],
  ['gateway', answer(502, '<html>'), 0],
  ['late gateway', answer(504, ''), 0],
  ['under way', answer(409, refusal, '1'), 1000],
  ['no connection', () => Promise.reject(new TypeError('fetch failed')), 0],
  ['broken off', breaksOff, 0],
])('what fails for a while is asked again: %s', async (_, first, least) => {
  const { client, asked } = scripted([first, first, good]);
  const { value, error } = await settle(client.createAgent(request));
  expect(error).toBeUndefined();
  expect(value?.agentId).toBe('ag_1');
  expect(asked).toHaveLength(3);
  // Not before the service wants it, and spread by a little.
  const gap = asked[1]?.at ?? 0;
  expect(gap).toBeGreaterThanOrEqual(Math.max(least, 125));
  expect(gap).toBeLessThanOrEqual(least + 250);
  // It is the same request under the same key.
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  expect(asked[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  expect(asked.map(({ body }) => body)).toEqual(Array(3).fill(JSON.stringify(request)));
});

test.each<[string, Answerer]>([
  ['bad request', answer(400, '{"error":"invalid_param","message":"m"}')],
  ['unauthorized', answer(401, '{}')],
  ['conflict', answer(409, '{"error":"agent_expired"}')],
  ['internal', answer(500, '{"error":"internal"}', '1')],
  ['later than worth waiting', answer(503, '{}', '31')],
  ['redirect', answer(307, '')],
  ['not JSON', answer(200, '<html>')],
])('what cannot succeed is asked once: %s', async (_, first) => {
  const { client, asked } = scripted([first, good]);
  const { error } = await settle(client.getAgent('ag_1'));
  expect(error).toBeInstanceOf(Error);
  expect(asked).toHaveLength(1);
});

test.each([
  [0, 1],
  [undefined, 5],
  [2, 3],
  [40, 41],
])('with retries %s, %d requests are made', async (retries, want) => {
  const { client, asked } = scripted([answer(503, '{}')], { retries });
  const { error } = await settle(client.listVenues());
  expect(error).toBeInstanceOf(ApiError);
  expect(asked).toHaveLength(want);
  const gaps = asked.slice(1).map(({ at }, i) => at - (asked[i]?.at ?? 0));
  expect(Math.max(0, ...gaps)).toBeLessThanOrEqual(8000);
  expect(gaps.slice(6).every((gap) => gap >= 4000)).toBe(true);
});

test('repetitions are spread by what is random', async () => {
  const gapWith = async (byte: number) => {
    const { client, asked } = scripted([answer(503, '{}'), good], { random: (length) => new Uint8Array(length).fill(byte) });
    await settle(client.createAgent(request));
    return [(asked[1]?.at ?? 0) - (asked[0]?.at ?? 0), asked[0]?.key];
  };
  expect(await gapWith(0)).toEqual([125, '00'.repeat(16)]);
  expect(await gapWith(255)).toEqual([249, 'ff'.repeat(16)]);
});

test('a signal ends a call in the middle of a wait, and before it begins', async () => {
  const { client, asked } = scripted([answer(503, '{}', '20')]);
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('enough')), 5000);
  const { error } = await settle(client.listVenues({ signal: abort.signal }));
  expect(error).toEqual(new Error('enough'));
  expect(Date.now() - began).toBe(5000);
  expect(asked).toHaveLength(1);
  await expect(client.listVenues({ signal: abort.signal })).rejects.toThrow('enough');
  expect(asked).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

/** Never answers, and ends with its signal as fetch does. */
const never: Answerer = (signal) =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

test('a signal ends a request that is under way', async () => {
  const { client, asked } = scripted([never]);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 5000);
  const { error } = await settle(client.listVenues({ signal: abort.signal }));
  expect(error).toHaveProperty('name', 'AbortError');
  expect(asked).toHaveLength(1);
});

test('an attempt that is not answered ends, and is asked again', async () => {
  const { client, asked } = scripted([never, good]);
  const { value } = await settle(client.getAgent('ag_1'));
  expect(value?.agentId).toBe('ag_1');
  expect(asked[1]?.at).toBeGreaterThanOrEqual(60_000);
  const impatient = scripted([never], { retries: 0, timeoutMs: 100 });
  const { error } = await settle(impatient.client.getAgent('ag_1'));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toHaveProperty('cause.message', 'no answer within 100 ms');
  expect(vi.getTimerCount()).toBe(0);
});

const oneStep = '{"status":"pending_activation","steps":[{"step":"a","kind":"sign_message","message":"x"}]}';

test('an activation waits for its transaction longer than a request is repeated', async () => {
  const pending = answer(409, '{"error":"agent_state_conflict","message":"It is in no block yet."}', '3');
  const { client, asked } = scripted([answer(200, oneStep), ...Array(30).fill(pending), answer(200, '{"status":"active","steps":[]}')]);
  const wallet = new TestSigner();
  const { value } = await settle(client.activate('ag_1', wallet));
  expect(value?.status).toBe('active');
  expect(wallet.signed).toEqual(['x']);
  expect(asked.at(-1)?.at).toBeGreaterThanOrEqual(90_000);
});

test('an activation does not wait for ever', async () => {
  const { client, asked } = scripted([answer(200, oneStep), answer(409, refusal, '3')], { retries: 0 });
  const { error } = await settle(client.activate('ag_1', new TestSigner()));
  expect(error).toHaveProperty('status', 409);
  expect(asked).toHaveLength(101);
  const late = scripted([answer(200, oneStep), answer(409, refusal, '31')]);
  expect((await settle(late.client.activate('ag_1', new TestSigner()))).error).toHaveProperty('retryAfterSeconds', 31);
  expect(late.asked).toHaveLength(2);
});

test('every POST has its own key or the one given', async () => {
  const { client, asked } = scripted([good]);
  await client.createAgent(request);
  await client.createAgent(request);
  await client.createAgent(request, { idempotencyKey: 'order-17' });
  await client.pause('ag_1', { idempotencyKey: 'order-18' });
  await client.testWebhook({ idempotencyKey: 'order-19' });
  await client.getAgent('ag_1');
  const keys = asked.map(({ key }) => key);
  expect(keys.slice(2)).toEqual(['order-17', 'order-18', 'order-19', null]);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).not.toBe(keys[0]);
  for (const idempotencyKey of ['', 'a b', '"', '\\', 'ä', 'a\n', 'k'.repeat(256)]) {
    await expect(client.createAgent(request, { idempotencyKey }), idempotencyKey).rejects.toThrow(OptionsError);
  }
  expect(asked).toHaveLength(6);
});

test('Retry-After is read as seconds or as a date of the future', () => {
  const table: [string | null, number | undefined][] = [
    ['5', 5],
    ['0', undefined],
    ['-5', undefined],
    ['5.5', undefined],
    [' 5', undefined],
    ['99999999', undefined],
    ['Sat, 01 Jan 2000 00:00:20 GMT', 20],
    ['Fri, 31 Dec 1999 23:59:59 GMT', undefined],
    ['Sat, 01 Foo 2000 00:00:20 GMT', undefined],
    ['2000-01-01', undefined],
    ['', undefined],
    [null, undefined],
  ];
  for (const [text, want] of table) {
    expect(retryAfterSeconds(text, began), String(text)).toBe(want);
  }
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 0, max: 4e12 }), (text, now) => {
      const seconds = retryAfterSeconds(text, now);
      expect(seconds === undefined || seconds > 0).toBe(true);
    }),
  );
});
