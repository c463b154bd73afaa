/** Signing a wallet in: one message of EIP-4361, signed once and used for as long as it holds. */
import { checksummed } from './address.js';
import { parseBaseUrl } from './base-url.js';
import { OptionsError } from './errors.js';
import { type Random, randomWord, systemRandom } from './random.js';
import { unlessAborted } from './retry.js';
import type { AuthHeaders } from './transport.js';

/** Who signs in, and how. */
export interface SignIn {
  /** The client's. */
  baseUrl: string;
  /** The wallet's address, 0x and 40 hexadecimal digits in any case. */
  address: string;
  /** The EIP-155 number of a supported chain, like 8453. Where the wallet is a contract, it is the chain that it is on. */
  chainId: number;
  /** Signs a text as EIP-191 says; a `Signer`'s method of that name will do, bound to it. */
  signMessage: (text: string) => Promise<string>;
  /** Tells the time in milliseconds since 1970; Date.now for undefined. */
  now?: (() => number) | undefined;
  /** What nonces are made of; the system's randomness for undefined. */
  random?: Random | undefined;
}

/** How long a sign-in holds, and how long before its end another is made, in milliseconds. */
const lifeMs = 12 * 60 * 60 * 1000;
const renewBeforeMs = 5 * 60 * 1000;

/** What the wallet shows. */
const statement = 'Sign in to Mirrorworthy to manage your copy agents. This moves no money.';

/**
 * Makes the function that `new Client` takes as `getAuthHeaders`. It has the wallet sign a message for the service, which holds for 12
 * hours, and gives the same headers until shortly before its end; where the service refuses them, whoever wants others makes another
 * function. Calls at the same time ask the wallet once.
 * @throws OptionsError
 */
export function getAuthHeaders(who: SignIn): AuthHeaders {
  const base = parseBaseUrl(who.baseUrl);
  const address = checksummed(who.address);
  const { chainId, now = Date.now, random = systemRandom } = who;
  if (!Number.isSafeInteger(chainId) || chainId <= 0 || typeof who.signMessage !== 'function') {
    throw new OptionsError('chainId and signMessage are needed');
  }
  let kept: { headers: Record<string, string>; signedAt: number } | undefined;
  let prompt: Promise<Record<string, string>> | undefined;

  const sign = async (at: number): Promise<Record<string, string>> => {
    const text = message(base, address, chainId, randomWord(random), at);
    const signature = await who.signMessage(text);
    const headers = { 'X-Wallet-Address': address, 'X-Wallet-Message': base64url(text), 'X-Wallet-Signature': signature };
    kept = { headers, signedAt: at };
    return headers;
  };

  return async (options) => {
    options?.signal?.throwIfAborted();
    const at = now();
    // A clock that was set back makes what was signed a message of the future.
    if (kept !== undefined && at >= kept.signedAt && at < kept.signedAt + lifeMs - renewBeforeMs) {
      return { ...kept.headers };
    }
    prompt ??= sign(at).finally(() => {
      prompt = undefined;
    });
    return { ...(await unlessAborted(prompt, options?.signal)) };
  };
}

/** The text that is signed. */
function message(base: URL, address: string, chainId: number, nonce: string, at: number): string {
  return [
    `${base.host} wants you to sign in with your Ethereum account:`,
    address,
    '',
    statement,
    '',
    `URI: ${base.href}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${inSeconds(at)}`,
    `Expiration Time: ${inSeconds(at + lifeMs)}`,
  ].join('\n');
}

function inSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Encodes text, which is ASCII here, without padding. */
function base64url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
