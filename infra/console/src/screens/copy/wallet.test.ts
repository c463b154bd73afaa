import { ApiError, ConnectionError, type Signer } from '@mirrorworthy/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signInChain } from './chains';
import { walletProblemOf } from './problems';
import { repeatable } from './repeatable';
import { accountIn, factoryCallOf } from './sample';
import { connectInjected, left, needsSignIn, signIn, type Wallet } from './wallet';

const address = '0x60b5d5db14fe945803a033eb73e4e20689c95a5a';
const base = 'https://api.example.com/v1';

class Provider {
  readonly heard = new Map<string, (value: unknown) => void>();
  chain = '0x1';
  async request({ method, params }: { method: string; params?: readonly unknown[] }): Promise<unknown> {
    switch (method) {
      case 'eth_requestAccounts':
        return [address];
      case 'eth_chainId':
        return this.chain;
      case 'wallet_switchEthereumChain':
        this.chain = (params?.[0] as { chainId: string }).chainId;
        this.heard.get('chainChanged')?.(this.chain);
        return null;
      default:
        return `0x${'11'.repeat(65)}`;
    }
  }
  on(event: string, listener: (value: unknown) => void) {
    this.heard.set(event, listener);
  }
  removeListener(event: string) {
    this.heard.delete(event);
  }
}

describe('a wallet of the browser', () => {
  it('is let go of when its account changes, and not for the same one in other letters', async () => {
    const provider = new Provider();
    const gone: string[] = [];
    await connectInjected(provider, 'W', (why) => gone.push(why));
    provider.heard.get('accountsChanged')?.([address.toUpperCase().replace('0X', '0x')]);
    expect(gone).toEqual([]);
    provider.heard.get('accountsChanged')?.(['0x'.padEnd(42, '1')]);
    provider.heard.get('accountsChanged')?.([]);
    provider.heard.get('disconnect')?.(new Error());
    expect(gone).toEqual([left.account, left.account, left.disconnected]);
  });

  it('is let go of when it changes its chain, unless a step asked for that', async () => {
    const provider = new Provider();
    const gone: string[] = [];
    const wallet = await connectInjected(provider, 'W', (why) => gone.push(why));
    expect(wallet.chainId).toBe(1);
    const typedData = { types: { A: [] }, primaryType: 'A', domain: { chainId: 8453 }, message: {} };
    await wallet.signer.signTypedData(typedData);
    expect(provider.chain).toBe('0x2105');
    expect(gone).toEqual([]);
    provider.heard.get('chainChanged')?.('0x38');
    expect(gone).toEqual([left.chain]);
  });

  it('is heard no more once it is released', async () => {
    const provider = new Provider();
    const wallet = await connectInjected(provider, 'W', () => {});
    wallet.release();
    expect(provider.heard.size).toBe(0);
  });

  it('signs in on the chain it is on, and on base where the service has not that chain', () => {
    expect(signInChain(137)).toBe(137);
    expect(signInChain(5)).toBe(8453);
    expect(signInChain(null)).toBe(8453);
  });
});

describe('signing in', () => {
  const hours = 60 * 60 * 1000;
  const requests: Headers[] = [];
  let refuse = false;

  beforeEach(() => {
    requests.length = 0;
    refuse = false;
    vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
      requests.push(new Headers(init.headers));
      return refuse
        ? new Response(JSON.stringify({ error: 'wallet_signature_invalid', message: 'no', requestId: 'r' }), { status: 401 })
        : new Response(JSON.stringify({ agents: [], nextCursor: null }), { status: 200 });
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  const walletOf = (kind: Wallet['kind'], signMessage: Signer['signMessage']): Wallet => {
    const never = () => Promise.reject(new Error('not asked for'));
    const signer = { signMessage, signTypedData: never, sendTransaction: never };
    return { address, name: 'W', kind, signer, chainId: 1, client: null, release: () => {} };
  };

  it('is accepted by the service before it holds, dated by the service’s clock', async () => {
    const texts: string[] = [];
    const wallet = walletOf('injected', async (text) => {
      texts.push(text);
      return '0xsigned';
    });
    const signed = await signIn(wallet, base, 'mw_test_key', () => Date.parse('2030-01-01T00:00:00Z'));
    expect(signed.client).not.toBeNull();
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('Issued At: 2030-01-01T00:00:00Z');
    expect(requests[0]?.get('X-Wallet-Signature')).toBe('0xsigned');
    refuse = true;
    await expect(signIn(wallet, base, 'mw_test_key', () => 0)).rejects.toSatisfy(needsSignIn);
  });

  it('does not have a browser’s wallet ask out of nowhere when it ends', async () => {
    let time = 0;
    let asked = 0;
    const sign = async () => {
      asked++;
      return '0xsigned';
    };
    const { client } = await signIn(walletOf('injected', sign), base, 'mw_test_key', () => time);
    time = 12 * hours;
    await expect(Promise.resolve(client?.listAgents())).rejects.toSatisfy(needsSignIn);
    expect(asked).toBe(1);
  });

  it('is renewed by itself with a throw-away wallet', async () => {
    let time = 0;
    let asked = 0;
    const sign = async () => `0x${++asked}`;
    const { client } = await signIn(walletOf('throw-away', sign), base, 'mw_test_key', () => time);
    time = 12 * hours;
    await client?.listAgents();
    expect(asked).toBe(2);
  });

  it('can be tried again after a no', async () => {
    let no = true;
    const wallet = walletOf('injected', async () => {
      if (no) {
        throw new Error('no');
      }
      return '0xsigned';
    });
    await expect(signIn(wallet, base, 'mw_test_key', () => 0)).rejects.toThrow('no');
    no = false;
    expect((await signIn(wallet, base, 'mw_test_key', () => 0)).client).not.toBeNull();
  });
});

describe('the factory of smart accounts', () => {
  it('is asked for the first account of a wallet', () => {
    const call = factoryCallOf('0x60B5D5DB14FE945803A033EB73E4E20689C95A5A');
    expect(call).toBe(`0x8cb84e18${'0'.repeat(24)}60b5d5db14fe945803a033eb73e4e20689c95a5a${'0'.repeat(64)}`);
  });

  it('answers with an address, or with nothing that is one', () => {
    expect(accountIn({ result: `0x${'0'.repeat(24)}${address.slice(2)}` })).toBe(address);
    for (const answer of [null, {}, { error: {} }, { result: '0x' }, { result: `0x${'1'.repeat(64)}` }]) {
      expect(accountIn(answer)).toBeNull();
    }
  });
});

describe('idempotency keys', () => {
  it('are the same for the same request until it is refused', () => {
    let made = 0;
    const keys = repeatable(() => `key-${++made}`);
    expect(keys.keyOf({ a: 1 })).toBe('key-1');
    keys.failed(new ConnectionError('no answer'));
    keys.failed(new ApiError({ status: 503, code: 'provider_unavailable', message: '', requestId: '' }));
    expect(keys.keyOf({ a: 1 })).toBe('key-1');
    keys.failed(new ApiError({ status: 400, code: 'invalid_param', message: '', requestId: '' }));
    expect(keys.keyOf({ a: 1 })).toBe('key-2');
    expect(keys.keyOf({ a: 2 })).toBe('key-3');
  });
});

describe('what is said of errors', () => {
  it('keeps the service’s words and the request', () => {
    const refusal = new ApiError({ status: 409, code: 'agent_expired', message: 'Activate it again.', requestId: 'r1' });
    expect(walletProblemOf(refusal)).toMatchObject({ message: 'Activate it again.', code: 'agent_expired', requestId: 'r1' });
  });
});
