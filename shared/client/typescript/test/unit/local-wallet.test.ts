/** A wallet of a key in memory, against a node on this machine and signatures known from elsewhere. */
import { inspect } from 'node:util';
import { keccak256, recoverTransactionAddress } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PendingError, RevertedError, type Transaction, type TypedData, WalletError } from '../../src/index.js';
import { localWallet } from '../../src/local-wallet.js';
import { TestNode } from './node.js';

// The key and the address of the example of EIP-712: the key is Keccak-256 of "cow".
const cowKey = 'c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4';
const cowAddress = '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826';
const other = '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB';

const mail: TypedData = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Ether Mail', version: '1', chainId: 1, verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC' },
  message: {
    from: { name: 'Cow', wallet: cowAddress },
    to: { name: 'Bob', wallet: other },
    contents: 'Hello, Bob!',
  },
};

const good: Transaction = { chainId: 8453, from: cowAddress, to: other, data: '0x', value: '0x0' };
const fast = { pollMs: 1 };

let node: TestNode;

beforeEach(async () => {
  node = new TestNode();
  await node.open();
});

afterEach(() => {
  node.close();
});

test('signatures are those of others', async () => {
  const wallet = localWallet(cowKey);
  expect(wallet.address).toBe(cowAddress);
  expect(await wallet.signTypedData(mail)).toBe(
    '0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c',
  );
  // Of web3.js's documentation.
  const { signMessage } = localWallet('0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
  expect(await signMessage('Some data')).toBe(
    '0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c',
  );
  const { Mail = [], ...without } = mail.types;
  const bad: unknown[] = [
    '',
    {},
    [],
    null,
    { primaryType: 'Mail' },
    { ...mail, types: without },
    { ...mail, types: { ...mail.types, Mail: [...Mail, { name: 'more', type: 'Nowhere' }] } },
    { ...mail, message: { ...mail.message, contents: 5 } },
    { ...mail, message: { ...mail.message, more: 5 } },
  ];
  for (const data of bad) {
    await expect(wallet.signTypedData(data as TypedData), JSON.stringify(data)).rejects.toThrow(WalletError);
  }
});

test('a key is never told', () => {
  const wallet = localWallet(cowKey, { 8453: node.url });
  const told = `${JSON.stringify(wallet)} ${inspect(wallet, { depth: 9, showHidden: true })} ${String(wallet)}`.toLowerCase();
  expect(told).not.toContain(cowKey);
  expect(told).toContain(cowAddress.toLowerCase());
  for (const key of ['', '0x', cowKey.slice(1), `${cowKey}00`, '0'.repeat(64), 'f'.repeat(64), `zz${cowKey.slice(2)}`]) {
    let error: unknown;
    try {
      localWallet(key);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(WalletError);
    expect(key.length > 10 && inspect(error, { depth: 9 }).includes(key)).toBe(false);
  }
});

test('a transaction is sent and waited for', async () => {
  node.unmined = 1;
  node.broken = 1;
  const wallet = localWallet(cowKey, { 8453: node.url }, fast);
  const hash = await wallet.sendTransaction({ ...good, from: cowAddress.toLowerCase(), data: '0x095ea7b3', value: '0x10' });
  const [sent] = node.sent;
  expect(hash).toBe(keccak256(sent?.raw ?? '0x'));
  expect(await recoverTransactionAddress({ serializedTransaction: (sent?.raw ?? '0x02') as `0x02${string}` })).toBe(cowAddress);
  // 50,000 and a fifth; the tip of 50, and twice the base fee of 1,000.
  expect(sent?.read).toMatchObject({
    chainId: 8453,
    nonce: 7,
    gas: 60_000n,
    maxPriorityFeePerGas: 50n,
    maxFeePerGas: 2050n,
    value: 16n,
    to: other.toLowerCase(),
    data: '0x095ea7b3',
  });
  expect([node.unmined, node.broken]).toEqual([0, 0]);
});

test('many transactions at once have nonces of their own', async () => {
  const wallet = localWallet(cowKey, { 8453: node.url }, fast);
  await Promise.all(Array.from({ length: 8 }, () => wallet.sendTransaction(good)));
  expect(node.sent.map(({ read }) => read.nonce)).toEqual([7, 8, 9, 10, 11, 12, 13, 14]);
});

test.each<[string, Partial<Transaction>]>([
  ['another chain', { chainId: 10 }],
  ['a node of another', { chainId: 1 }],
  ['another account', { from: other }],
  ['no account', { from: '' }],
  ['to nobody', { to: '' }],
  ['to no address', { to: 'vitalik.eth' }],
  ['data in no digits', { data: 'zz' }],
  ['half a byte of data', { data: '0x1' }],
  ['a value in decimals', { value: '1000' }],
  ['a value below zero', { value: '-0x1' }],
  ['a value without digits', { value: '0x' }],
])('what is not the wallet’s is not signed: %s', async (_, change) => {
  const wallet = localWallet(cowKey, { 8453: node.url, 1: node.url }, fast);
  await expect(wallet.sendTransaction({ ...good, ...change })).rejects.toThrow(WalletError);
  expect(node.sent).toHaveLength(0);
});

test('what could not succeed is not sent, and does not stand in the way', async () => {
  const wallet = localWallet(cowKey, { 8453: node.url }, fast);
  node.refuses = true;
  await expect(wallet.sendTransaction(good)).rejects.toThrow(WalletError);
  node.refuses = false;
  node.baseFee = null;
  await expect(wallet.sendTransaction(good)).rejects.toThrow(/no base fee/);
  expect(node.sent).toHaveLength(0);
  node.baseFee = 1n;
  expect(await wallet.sendTransaction(good)).toMatch(/^0x[0-9a-f]{64}$/);
});

test('what was sent is told even where it failed', async () => {
  const wallet = localWallet(cowKey, { 8453: node.url }, fast);
  const thrown = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
  node.reverts = true;
  const reverted = await thrown(wallet.sendTransaction(good));
  expect(reverted).toBeInstanceOf(RevertedError);
  expect(reverted).toHaveProperty('hash', keccak256(node.sent[0]?.raw ?? '0x'));
  node.unmined = Number.POSITIVE_INFINITY;
  const abort = new AbortController();
  node.onReceipt = () => abort.abort(new Error('enough'));
  const ended = await thrown(wallet.sendTransaction(good, { signal: abort.signal }));
  expect(ended).toBeInstanceOf(PendingError);
  expect(ended).toMatchObject({ hash: keccak256(node.sent[1]?.raw ?? '0x'), cause: new Error('enough') });
  // The wait is bounded without a signal too.
  const late = await thrown(localWallet(cowKey, { 8453: node.url }, { pollMs: 1, waitMs: 3 }).sendTransaction(good));
  expect(late).toBeInstanceOf(PendingError);
  // What ends before it is sent is not sent.
  await expect(wallet.sendTransaction(good, { signal: abort.signal })).rejects.toThrow('enough');
  expect(node.sent).toHaveLength(3);
});
