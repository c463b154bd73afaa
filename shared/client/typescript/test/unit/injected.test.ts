/** Wallets of a browser: what they are asked, and what is made of their answers. */
import { expect, test } from 'vitest';
import {
  OptionsError,
  PendingError,
  RevertedError,
  type Transaction,
  type TypedData,
  UserRefusedError,
  WalletError,
} from '../../src/index.js';
import { discoverWallets, injectedWallet, type Provider, requestAccounts } from '../../src/injected.js';
import { leaderOne, testWallet, transactionHash } from './double.js';

/** A wallet that answers as it is told, and keeps what it was asked. */
class TestProvider implements Provider {
  readonly asked: unknown[][] = [];
  chainId = 8453;
  known = [1, 8453];
  receipts: unknown[] = [{ status: '0x1' }];
  /** What each method is answered by instead. */
  readonly instead: Record<string, () => unknown> = {};

  async request({ method, params = [] }: { method: string; params?: readonly unknown[] }): Promise<unknown> {
    this.asked.push([method, ...params]);
    const [first] = params;
    const instead = this.instead[method];
    if (instead !== undefined) {
      return instead();
    }
    switch (method) {
      case 'eth_chainId':
        return `0x${this.chainId.toString(16)}`;
      case 'wallet_switchEthereumChain':
      case 'wallet_addEthereumChain': {
        const id = Number((first as { chainId: string }).chainId);
        if (method === 'wallet_switchEthereumChain' && !this.known.includes(id)) {
          throw failure(4902);
        }
        this.chainId = id;
        return null;
      }
      case 'personal_sign':
      case 'eth_signTypedData_v4':
        return '0x5167';
      case 'eth_sendTransaction':
        return transactionHash;
      case 'eth_getTransactionReceipt':
        return this.receipts.length > 1 ? this.receipts.shift() : this.receipts[0];
      case 'eth_requestAccounts':
        return [testWallet];
    }
    throw failure(4200);
  }

  get methods(): unknown[] {
    return this.asked.map(([method]) => method);
  }
}

/** An error as wallets throw it. */
function failure(code: number): Error {
  return Object.assign(new Error(`code ${code}`), { code });
}

const typedData: TypedData = { types: { T: [] }, primaryType: 'T', domain: { chainId: 8453 }, message: {} };
const transaction: Transaction = { chainId: 8453, from: testWallet.toLowerCase(), to: leaderOne, data: '0x01', value: '0x0' };
const fast = { pollMs: 1 };

test('a message is signed as hexadecimal text, typed data as JSON', async () => {
  const provider = new TestProvider();
  const wallet = injectedWallet(provider, testWallet);
  expect(await wallet.signMessage('0x41 für\n')).toBe('0x5167');
  expect(await wallet.signTypedData(typedData)).toBe('0x5167');
  expect(provider.asked).toEqual([
    ['personal_sign', '0x307834312066c3bc720a', testWallet],
    ['eth_chainId'],
    ['eth_signTypedData_v4', testWallet, JSON.stringify(typedData)],
  ]);
});

test('a transaction is sent on its chain, and waited for', async () => {
  const provider = new TestProvider();
  provider.chainId = 1;
  provider.receipts = [null, null, { status: '0x1' }];
  expect(await injectedWallet(provider, testWallet, fast).sendTransaction(transaction)).toBe(transactionHash);
  expect(provider.asked.slice(0, 4)).toEqual([
    ['eth_chainId'],
    ['wallet_switchEthereumChain', { chainId: '0x2105' }],
    ['eth_chainId'],
    ['eth_sendTransaction', { from: transaction.from, to: leaderOne, data: '0x01', value: '0x0', chainId: '0x2105' }],
  ]);
  expect(provider.asked.slice(4)).toEqual(Array(3).fill(['eth_getTransactionReceipt', transactionHash]));
  // On the chain already, it is not asked to change.
  provider.asked.length = 0;
  await injectedWallet(provider, testWallet, fast).sendTransaction(transaction);
  expect(provider.methods).toEqual(['eth_chainId', 'eth_sendTransaction', 'eth_getTransactionReceipt']);
});

test('a chain that the wallet does not know is offered to it', async () => {
  const provider = new TestProvider();
  const onBsc = { ...transaction, chainId: 56 };
  await expect(injectedWallet(provider, testWallet, fast).sendTransaction(onBsc)).rejects.toThrow(WalletError);
  expect(provider.methods).not.toContain('eth_sendTransaction');
  const details = { chainName: 'BNB', rpcUrls: ['https://bsc.example'], nativeCurrency: { name: 'BNB', symbol: 'BNB', decimals: 18 } };
  expect(await injectedWallet(provider, testWallet, { ...fast, chains: { 56: details } }).sendTransaction(onBsc)).toBe(transactionHash);
  expect(provider.asked).toContainEqual(['wallet_addEthereumChain', { ...details, chainId: '0x38' }]);
});

test('nothing is sent on another chain than it is for', async () => {
  const provider = new TestProvider();
  provider.chainId = 1;
  provider.instead.wallet_switchEthereumChain = () => null;
  await expect(injectedWallet(provider, testWallet, fast).sendTransaction(transaction)).rejects.toThrow(/not on chain 8453/);
  await expect(injectedWallet(provider, testWallet, fast).signTypedData(typedData)).rejects.toThrow(/not on chain 8453/);
  await expect(injectedWallet(provider, testWallet, fast).sendTransaction({ ...transaction, from: leaderOne })).rejects.toThrow(
    /not this wallet/,
  );
  expect(provider.methods).not.toContain('eth_sendTransaction');
  expect(provider.methods).not.toContain('eth_signTypedData_v4');
});

test('a wallet that cannot change its chain may sign typed data', async () => {
  for (const code of [4902, 4200, -32601]) {
    const provider = new TestProvider();
    provider.chainId = 1;
    provider.instead.wallet_switchEthereumChain = () => {
      throw failure(code);
    };
    expect(await injectedWallet(provider, testWallet).signTypedData(typedData)).toBe('0x5167');
    await expect(injectedWallet(provider, testWallet).sendTransaction(transaction)).rejects.toThrow(WalletError);
  }
});

test('the user’s no is an error of its own, wherever it is said', async () => {
  const methods = ['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction', 'wallet_switchEthereumChain', 'eth_requestAccounts'];
  const ask = async (provider: Provider) => {
    const wallet = injectedWallet(provider, testWallet, fast);
    await wallet.signMessage('a');
    await wallet.signTypedData(typedData);
    await wallet.sendTransaction(transaction);
    await requestAccounts(provider);
  };
  for (const method of methods) {
    for (const [code, want] of [
      [4001, UserRefusedError],
      [4100, WalletError],
    ] as const) {
      const provider = new TestProvider();
      provider.chainId = 1;
      const cause = failure(code);
      provider.instead[method] = () => {
        throw cause;
      };
      const error = await ask(provider).catch((thrown: unknown) => thrown);
      expect(error, method).toBeInstanceOf(want);
      expect(error instanceof UserRefusedError).toBe(code === 4001);
      expect(error).toHaveProperty('cause', cause);
      expect(provider.methods.at(-1)).toBe(method);
    }
  }
});

test('answers that are no use are errors', async () => {
  for (const answer of [null, '', 'ok', {}, 5]) {
    const provider = new TestProvider();
    for (const method of ['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction']) {
      provider.instead[method] = () => answer;
    }
    const wallet = injectedWallet(provider, testWallet, fast);
    await expect(wallet.signMessage('a')).rejects.toThrow(WalletError);
    await expect(wallet.signTypedData(typedData)).rejects.toThrow(WalletError);
    await expect(wallet.sendTransaction(transaction)).rejects.toThrow(WalletError);
  }
  for (const answer of [null, [], [5], 'x']) {
    const provider = new TestProvider();
    provider.instead.eth_requestAccounts = () => answer;
    await expect(requestAccounts(provider)).rejects.toThrow(WalletError);
  }
  expect(await requestAccounts(new TestProvider())).toEqual([testWallet]);
  expect(() => injectedWallet(new TestProvider(), 'vitalik.eth')).toThrow(OptionsError);
});

test('what was sent is told even where it failed', async () => {
  const provider = new TestProvider();
  const thrown = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
  provider.receipts = [{ status: '0x0' }];
  const reverted = await thrown(injectedWallet(provider, testWallet, fast).sendTransaction(transaction));
  expect(reverted).toBeInstanceOf(RevertedError);
  expect(reverted).toHaveProperty('hash', transactionHash);
  provider.receipts = [null];
  const late = await thrown(injectedWallet(provider, testWallet, { pollMs: 1, waitMs: 3 }).sendTransaction(transaction));
  expect(late).toBeInstanceOf(PendingError);
  const abort = new AbortController();
  provider.instead.eth_getTransactionReceipt = () => abort.abort(new Error('enough'));
  const ended = await thrown(injectedWallet(provider, testWallet, fast).sendTransaction(transaction, { signal: abort.signal }));
  expect(ended).toMatchObject({ hash: transactionHash, cause: new Error('enough') });
  expect(ended).toBeInstanceOf(PendingError);
});

test('a signal ends the wait for a wallet', async () => {
  const provider = new TestProvider();
  const abort = new AbortController();
  provider.instead.personal_sign = () => {
    abort.abort(new Error('enough'));
    return new Promise(() => undefined);
  };
  const wallet = injectedWallet(provider, testWallet);
  await expect(wallet.signMessage('a', { signal: abort.signal })).rejects.toThrow('enough');
  await expect(wallet.signMessage('a', { signal: abort.signal })).rejects.toThrow('enough');
  expect(provider.asked).toHaveLength(1);
});

/** An announcement of EIP-6963. */
function announce(target: EventTarget, detail: unknown): void {
  target.dispatchEvent(Object.assign(new Event('eip6963:announceProvider'), { detail }));
}

test('wallets are found as they announce themselves', async () => {
  const target = Object.assign(new EventTarget(), { ethereum: new TestProvider() });
  const [one, two] = [new TestProvider(), new TestProvider()];
  const info = { uuid: 'u1', name: 'One', rdns: 'com.one', icon: 'data:image/svg+xml,<svg/>' };
  target.addEventListener('eip6963:requestProvider', () => {
    announce(target, { info, provider: one });
    announce(target, { info, provider: one });
    announce(target, { info: { ...info, uuid: 'u2', icon: 'https://tracker.example/' }, provider: two });
    for (const bad of [
      undefined,
      {},
      { info },
      { info, provider: {} },
      { info: { ...info, uuid: '' }, provider: one },
      { info: { uuid: 'u3' }, provider: one },
    ]) {
      announce(target, bad);
    }
  });
  expect(await discoverWallets({ target, waitMs: 0 })).toEqual([
    { ...info, provider: one },
    { ...info, uuid: 'u2', icon: '', provider: two },
  ]);
});

test('a wallet that does not announce itself is found where it always was', async () => {
  const ethereum = new TestProvider();
  const target = Object.assign(new EventTarget(), { ethereum });
  expect(await discoverWallets({ target, waitMs: 0 })).toEqual([
    { uuid: '', name: 'Browser wallet', rdns: '', icon: '', provider: ethereum },
  ]);
  expect(await discoverWallets({ target: Object.assign(new EventTarget(), { ethereum: {} }), waitMs: 0 })).toEqual([]);
  expect(await discoverWallets({ target: new EventTarget(), waitMs: 0 })).toEqual([]);
  // Outside of a browser there is no window.
  expect(await discoverWallets()).toEqual([]);
});
