/** What is believed of a webhook. Signatures are made by the library that others use. */
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { AnswerError, verifyWebhook, WebhookError, type WebhookHeaders } from '../../src/index.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = `whsec_${Buffer.from('o'.repeat(32)).toString('base64')}`;
const now = Date.UTC(2026, 10, 20, 12);
const body = '{"type":"agent.paused","timestamp":"2026-11-20T11:00:00Z","data":{"agentId":"ag_1"}}';

function signed(id: string, at: number, text: string, ...secrets: string[]): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': secrets.map((by) => new Webhook(by).sign(id, new Date(at), text)).join(' '),
  };
}

const good = signed('evt_1', now, body, secret);
const was = good['webhook-signature'] ?? '';
const event = { id: 'evt_1', type: 'agent.paused', timestamp: '2026-11-20T11:00:00Z', data: { agentId: 'ag_1' } };

test('a webhook is read however its headers and its body come', async () => {
  const bytes = new TextEncoder().encode(body);
  const upper = Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const headers of [good, new Headers(good), upper] satisfies WebhookHeaders[]) {
    expect(await verifyWebhook([secret], headers, body, now)).toEqual(event);
    expect(await verifyWebhook([secret], headers, bytes, now)).toEqual(event);
    expect(await verifyWebhook([secret], headers, Buffer.from(` ${body}`).subarray(1), now)).toEqual(event);
  }
});

test.each<[string, Record<string, string>, string[]]>([
  ['without the prefix', good, [secret.replace('whsec_', '')]],
  ['rotated, the new', signed('evt_1', now, body, other, secret), [other]],
  ['rotated, the old', signed('evt_1', now, body, other, secret), [secret]],
  ['either secret', good, [other, secret]],
  ['either secret, the other way', good, [secret, other]],
  ['among others', { ...good, 'webhook-signature': `v1a,abc v1,bad= ${was} v2,x` }, [secret]],
  ['five minutes ago', signed('evt_1', now - 300_000, body, secret), [secret]],
  ['in five minutes', signed('evt_1', now + 300_000, body, secret), [secret]],
])('it is believed: %s', async (_, headers, secrets) => {
  expect(await verifyWebhook(secrets, headers, body, now)).toEqual(event);
});

test.each<[string, Record<string, string>, string, string[], WebhookError['reason']]>([
  ['longer ago', signed('e', now - 301_000, body, secret), body, [secret], 'time'],
  ['later', signed('e', now + 301_000, body, secret), body, [secret], 'time'],
  ['another body', good, `${body} `, [secret], 'signature'],
  ['another id', { ...good, 'webhook-id': 'evt_2' }, body, [secret], 'signature'],
  ['another time', { ...good, 'webhook-timestamp': String(now / 1000 + 1) }, body, [secret], 'signature'],
  ['another secret', good, body, [other], 'signature'],
  ['no secret', good, body, [], 'signature'],
  ['another version', { ...good, 'webhook-signature': was.replace('v1,', 'v0,') }, body, [secret], 'signature'],
  ['no version', { ...good, 'webhook-signature': was.replace('v1,', '') }, body, [secret], 'signature'],
  ['half a signature', { ...good, 'webhook-signature': was.slice(0, 20) }, body, [secret], 'signature'],
  ['no signature', { ...good, 'webhook-signature': '' }, body, [secret], 'headers'],
  ['no id', { ...good, 'webhook-id': '' }, body, [secret], 'headers'],
  ['an id with a dot', { ...good, 'webhook-id': 'evt.1' }, body, [secret], 'headers'],
  ['no time', { ...good, 'webhook-timestamp': '' }, body, [secret], 'headers'],
  ['a time that is no time', { ...good, 'webhook-timestamp': 'now' }, body, [secret], 'headers'],
  ['no headers', {}, body, [secret], 'headers'],
  ['not a secret', good, body, ['whsec_???'], 'secret'],
  ['a secret that is no use', good, body, ['whsec_AAAA'], 'secret'],
  ['one of two is no secret', good, body, [secret, 'whsec_???'], 'secret'],
])('it is not believed: %s', async (_, headers, text, secrets, reason) => {
  const error = await verifyWebhook(secrets, headers, text, now).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WebhookError);
  expect(error).toHaveProperty('reason', reason);
});

test.each([
  '[]',
  '{}',
  '"text"',
  'null',
  '{',
  '',
  '{"type":"","timestamp":"2026-11-20T11:00:00Z"}',
  '{"type":"a"}',
  '{"type":5,"timestamp":"2026-11-20T11:00:00Z"}',
  '{"type":"a","timestamp":"soon"}',
])('what is signed and no event is none: %s', async (text) => {
  await expect(verifyWebhook([secret], signed('e', now, text, secret), text, now)).rejects.toThrow(AnswerError);
});

test('the vector of the specification holds', async () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  // The signature is right, and the body is no event.
  await expect(verifyWebhook([secret], headers, '{"test": 2432232314}', 1614265330_000)).rejects.toThrow(AnswerError);
  await expect(verifyWebhook([secret], headers, '{"test": 2432232315}', 1614265330_000)).rejects.toThrow(WebhookError);
});

test('whatever comes is refused with one of the two errors', async () => {
  const line = fc.oneof(fc.string(), fc.constantFrom('evt_1', was, good['webhook-timestamp'] ?? ''));
  await fc.assert(
    fc.asyncProperty(line, line, line, fc.string(), fc.array(fc.string(), { maxLength: 2 }), async (id, at, signature, text, secrets) => {
      const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature };
      const error = await verifyWebhook([...secrets, secret], headers, text, now).catch((thrown: unknown) => thrown);
      expect(error instanceof WebhookError || error instanceof AnswerError).toBe(true);
    }),
  );
});
