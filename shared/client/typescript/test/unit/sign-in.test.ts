/** Signing in: the text byte for byte, how long it is used, and how often the wallet is asked. */
import fc from 'fast-check';
import { getAddress } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import { expect, test } from 'vitest';
import { checksummed } from '../../src/address.js';
import { getAuthHeaders, OptionsError, type SignIn } from '../../src/index.js';
import { signatureOf, TestSigner, testWallet } from './double.js';

const began = Date.UTC(2000, 0, 1);

function signInOf(wallet: TestSigner): SignIn {
  return {
    baseUrl: 'https://api.example.com:8443/v1',
    address: testWallet.toLowerCase(),
    chainId: 8453,
    signMessage: (text) => wallet.signMessage(text),
    now: () => began + 123,
    random: (length) => new Uint8Array(length).fill(0xab),
  };
}

// The same text as the Go client's: both have it in their tests.
const text = `api.example.com:8443 wants you to sign in with your Ethereum account:
0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045

Sign in to Mirrorworthy to manage your copy agents. This moves no money.

URI: https://api.example.com:8443/v1
Version: 1
Chain ID: 8453
Nonce: abababababababababababababababab
Issued At: 2000-01-01T00:00:00Z
Expiration Time: 2000-01-01T12:00:00Z`;

test('a sign-in is a message of EIP-4361', async () => {
  const wallet = new TestSigner();
  expect(await getAuthHeaders(signInOf(wallet))()).toEqual({
    'X-Wallet-Address': testWallet,
    'X-Wallet-Message': Buffer.from(text).toString('base64url'),
    'X-Wallet-Signature': signatureOf(text),
  });
  expect(wallet.signed).toEqual([text]);
  const byOthers = createSiweMessage({
    domain: 'api.example.com:8443',
    address: testWallet,
    statement: 'Sign in to Mirrorworthy to manage your copy agents. This moves no money.',
    uri: 'https://api.example.com:8443/v1',
    version: '1',
    chainId: 8453,
    nonce: 'ab'.repeat(16),
    issuedAt: new Date(began),
    expirationTime: new Date(began + 12 * 3600_000),
  });
  expect(text).toBe(byOthers.replaceAll('.000Z', 'Z'));
});

test('a sign-in is used until shortly before its end', async () => {
  const wallet = new TestSigner();
  let now = began;
  const headers = getAuthHeaders({ ...signInOf(wallet), now: () => now });
  const hour = 3600_000;
  for (const [at, signed] of [
    [0, 1],
    [12 * hour - 300_001, 1],
    [12 * hour - 300_000, 2],
    [12 * hour, 2],
    // A clock that was set back.
    [0, 3],
  ] as const) {
    now = began + at;
    const got = new Headers(await headers());
    expect([wallet.signed.length, got.get('X-Wallet-Address')], String(at)).toEqual([signed, testWallet]);
  }
  // What a caller does with the headers stays with the caller.
  Object.assign(await headers(), { 'X-Wallet-Address': 'spoilt' });
  expect(await headers()).toHaveProperty('X-Wallet-Address', testWallet);
});

test('many at once ask the wallet once', async () => {
  let asked = 0;
  let answer: (signature: string) => void = () => undefined;
  const headers = getAuthHeaders({
    ...signInOf(new TestSigner()),
    signMessage: () => {
      asked++;
      return asked === 1
        ? Promise.reject(new Error('refused'))
        : new Promise((resolve) => {
            answer = resolve;
          });
    },
  });
  // A refusal goes to all that wait for it, and is not kept.
  const refused = await Promise.allSettled([headers(), headers()]);
  expect([asked, ...refused.map(({ status }) => status)]).toEqual([1, 'rejected', 'rejected']);
  const abort = new AbortController();
  const impatient = headers({ signal: abort.signal });
  const all = Promise.all(Array.from({ length: 10 }, () => headers()));
  // Whoever cannot wait does not, and takes it from nobody else.
  abort.abort(new Error('enough'));
  await expect(impatient).rejects.toThrow('enough');
  await expect(headers({ signal: abort.signal })).rejects.toThrow('enough');
  answer('0x01');
  expect(new Set((await all).map((got) => new Headers(got).get('X-Wallet-Signature')))).toEqual(new Set(['0x01']));
  expect(asked).toBe(2);
});

// From EIP-55.
test.each([
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
])('%s has its checksum', async (address) => {
  for (const given of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
    expect(await getAuthHeaders({ ...signInOf(new TestSigner()), address: given })()).toHaveProperty('X-Wallet-Address', address);
  }
});

test('the checksum is the one of others', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const address = `0x${Buffer.from(bytes).toString('hex')}` as const;
      expect(checksummed(address)).toBe(getAddress(address));
    }),
  );
});

test('who cannot sign in is told at once', () => {
  const without = testWallet.slice(0, 41);
  const bad = [
    '',
    '0x',
    testWallet.slice(2),
    `${testWallet}0`,
    without,
    '0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    `0X${testWallet.slice(2)}`,
    'vitalik.eth',
    `${without}g`,
    ` ${testWallet}`,
  ];
  for (const address of bad) {
    expect(() => getAuthHeaders({ ...signInOf(new TestSigner()), address }), address).toThrow(OptionsError);
  }
  for (const chainId of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
    expect(() => getAuthHeaders({ ...signInOf(new TestSigner()), chainId }), String(chainId)).toThrow(OptionsError);
  }
  // @ts-expect-error it is needed
  expect(() => getAuthHeaders({ ...signInOf(new TestSigner()), signMessage: undefined })).toThrow(OptionsError);
});
