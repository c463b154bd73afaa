/** Webhooks as a partner's server receives them. It manages none: that is the client's. */
import { AnswerError, WebhookError } from './errors.js';
import { isRecord } from './signer.js';

/** What a webhook tells. */
export interface WebhookEvent {
  /** The same whenever the same event is sent: what was dealt with before is known by it. */
  id: string;
  /** What happened, like agent.session_expiring. */
  type: string;
  /** When it happened, RFC 3339, which can be long before it is sent. Events come in any order. */
  timestamp: string;
  data: unknown;
}

/** The headers of a request, as the fetch API or Node's http server gives them. */
export type WebhookHeaders = Headers | { readonly [name: string]: string | readonly string[] | undefined };

/** How far a webhook's time may be from now, in seconds. */
const toleranceSeconds = 5 * 60;

/**
 * Reads a webhook whose signature is by one of the secrets, by Standard Webhooks (version 1). While a secret is rotated both the new and
 * the old are given. Whatever is thrown is to be answered with a status of 400 or above.
 * @param body as it came, byte for byte
 * @param now in milliseconds since 1970
 * @throws WebhookError, and AnswerError for a body that is no event
 */
export async function verifyWebhook(
  secrets: readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  now: number = Date.now(),
): Promise<WebhookEvent> {
  const id = header(headers, 'webhook-id');
  const at = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  if (id === '' || id.includes('.') || signatures === '' || !/^\d{1,15}$/.test(at)) {
    throw new WebhookError('headers', 'not signed as a webhook');
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const before = new TextEncoder().encode(`${id}.${at}.`);
  const signed = new Uint8Array(before.length + bytes.length);
  signed.set(before);
  signed.set(bytes, before.length);
  const given = signaturesOf(signatures);
  let known = false;
  for (const text of secrets) {
    const secret = decodeBase64(text.replace(/^whsec_/, ''));
    if (secret === undefined || secret.length < 16) {
      throw new WebhookError('secret', 'not a secret of a webhook');
    }
    known = (await isSignedBy(secret, signed, given)) || known;
  }
  if (!known) {
    throw new WebhookError('signature', 'a webhook that somebody else signed, or that was changed');
  }
  if (Math.abs(Number(at) - now / 1000) > toleranceSeconds) {
    throw new WebhookError('time', 'a webhook of another time');
  }
  return read(id, bytes);
}

function read(id: string, bytes: Uint8Array): WebhookEvent {
  let told: unknown;
  try {
    told = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new AnswerError('the body of a webhook is not JSON', { cause });
  }
  if (
    !isRecord(told) ||
    typeof told.type !== 'string' ||
    told.type === '' ||
    typeof told.timestamp !== 'string' ||
    Number.isNaN(Date.parse(told.timestamp))
  ) {
    throw new AnswerError('the body of a webhook is not an event');
  }
  return { id, type: told.type, timestamp: told.timestamp, data: told.data };
}

/** The signatures of version 1; those of other versions are left out. */
function signaturesOf(text: string): Uint8Array<ArrayBuffer>[] {
  return text.split(' ').flatMap((signature) => {
    const decoded = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined;
    return decoded === undefined ? [] : [decoded];
  });
}

/** Tells whether one of the signatures is by a secret. WebCrypto compares in constant time. */
async function isSignedBy(
  secret: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const found = await Promise.all(signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)));
  return found.includes(true);
}

/** Decodes base64 with its padding; undefined for anything else. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    return undefined;
  }
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** A header by its name in lower case; empty for none. */
function header(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) {
    return headers.get(name) ?? '';
  }
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
