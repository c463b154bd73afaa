/**
 * The wallet of whoever copies: how it is connected, how it signs in, and when that ends. Everything of it is in this tab's memory; the key
 * of a wallet in the browser never gets here, and that of a throw-away wallet never leaves.
 */
import { ApiError, Client, getAuthHeaders, type Signer, SignInError, type Transaction, type TypedData } from '@mirrorworthy/client';
import { injectedWallet, type Provider, requestAccounts } from '@mirrorworthy/client/injected';
import { chainIds, chains } from '../../route';
import { signInChain } from './chains';
import { nodeOf } from './sample';

/** A wallet that is connected. */
export type Wallet = {
  address: string;
  /** What the person knows it by. */
  name: string;
  kind: 'injected' | 'throw-away';
  signer: Signer;
  /** The chain that it signs in with, by its EIP-155 number. */
  chainId: number;
  /** The client with the wallet signed in; null until it is, and when that has ended. */
  client: Client | null;
  /** Lets go of the wallet's events. */
  release: () => void;
};

/** The wallet, and why there is none or why it has to sign in again. */
export type WalletState = { wallet: Wallet | null; notice: string | null };

/** Why a wallet is let go of. */
export const left = {
  account: 'The wallet changed its account, so you were signed out. Connect again with the account that you want.',
  chain: 'The wallet changed its chain, so you were signed out. Connect again.',
  disconnected: 'The wallet disconnected, so you were signed out.',
  ended: 'Your sign-in has ended. Sign in again to go on.',
} as const;

/** The sign-in has ended, and the person was not asked for another. */
export class SignInEnded extends Error {
  override name = 'SignInEnded';
}

/** Whether an error says that the wallet must sign in anew. */
export function needsSignIn(error: unknown): boolean {
  return (
    (error instanceof ApiError && error.code === 'wallet_signature_invalid') ||
    (error instanceof SignInError && error.cause instanceof SignInEnded)
  );
}

type Eventful = {
  on: (event: string, heard: (value: unknown) => void) => unknown;
  removeListener: (event: string, heard: (value: unknown) => void) => unknown;
};

/** Whether a wallet tells of changes. By EIP-1193 all do, but not all keep to it. */
function isEventful(provider: object): provider is Eventful {
  return (
    'on' in provider && typeof provider.on === 'function' && 'removeListener' in provider && typeof provider.removeListener === 'function'
  );
}

/** The chain that typed data is for, by its number; null for none. */
function chainOfTypedData({ domain }: TypedData): number | null {
  const id = Number(domain.chainId);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/**
 * Connects a wallet of the browser. `gone` is called once, with why, when it has another account, goes to a chain that no step asked it to
 * go to, or disconnects.
 */
export async function connectInjected(provider: Provider, name: string, gone: (why: string) => void): Promise<Wallet> {
  const [address = ''] = await requestAccounts(provider);
  const inner = injectedWallet(provider, address);
  const on = Number(await provider.request({ method: 'eth_chainId' }).catch(() => null));
  // A step for another chain has the wallet change to it. That is no change by somebody else.
  const expected = new Set<number>([on]);
  const signer: Signer = {
    signMessage: (text, options) => inner.signMessage(text, options),
    signTypedData: (typedData, options) => {
      const chain = chainOfTypedData(typedData);
      if (chain !== null) {
        expected.add(chain);
      }
      return inner.signTypedData(typedData, options);
    },
    sendTransaction: (transaction: Transaction, options) => {
      expected.add(transaction.chainId);
      return inner.sendTransaction(transaction, options);
    },
  };
  const wallet: Wallet = { address, name, kind: 'injected', signer, chainId: signInChain(on), client: null, release: () => {} };
  if (isEventful(provider)) {
    const accountsChanged = (accounts: unknown) => {
      const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
      if (typeof first !== 'string' || first.toLowerCase() !== address.toLowerCase()) {
        gone(left.account);
      }
    };
    const chainChanged = (chain: unknown) => {
      if (!expected.has(Number(chain))) {
        gone(left.chain);
      }
    };
    const disconnect = () => gone(left.disconnected);
    const heard = { accountsChanged, chainChanged, disconnect };
    for (const [event, listener] of Object.entries(heard)) {
      provider.on(event, listener);
    }
    wallet.release = () => {
      for (const [event, listener] of Object.entries(heard)) {
        provider.removeListener(event, listener);
      }
    };
  }
  return wallet;
}

/** Makes a wallet of random bytes for the sample market. Its key is in this tab's memory alone. */
export async function makeThrowAway(random: (length: number) => Uint8Array): Promise<Wallet> {
  const { localWallet } = await import('@mirrorworthy/client/local-wallet');
  const key = Array.from(random(32), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const nodes = Object.fromEntries(chains.map((chain) => [chainIds[chain], nodeOf(chain)]));
  const signer = localWallet(key, nodes);
  return {
    address: signer.address,
    name: 'Throw-away wallet',
    kind: 'throw-away',
    signer,
    chainId: chainIds.base,
    client: null,
    release: () => {},
  };
}

/**
 * Signs a wallet in, and gives it with its client once the service has accepted that. A wallet of the browser is asked once: when its
 * sign-in ends, the person is told instead of being asked by the wallet out of nowhere.
 * @param now tells the service's time in milliseconds since 1970
 */
export async function signIn(wallet: Wallet, baseUrl: string, apiKey: string, now: () => number): Promise<Wallet> {
  let asked = false;
  const signMessage = async (text: string) => {
    if (asked && wallet.kind === 'injected') {
      throw new SignInEnded('the sign-in has ended');
    }
    const signature = await wallet.signer.signMessage(text);
    asked = true;
    return signature;
  };
  const headers = getAuthHeaders({ baseUrl, address: wallet.address, chainId: wallet.chainId, signMessage, now });
  const client = new Client({ baseUrl, apiKey, getAuthHeaders: headers, now });
  for await (const _ of client.listAgents()) {
    break;
  }
  return { ...wallet, client };
}
