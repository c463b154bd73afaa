/**
 * A `Signer` of a wallet in the browser, by EIP-1193, and finding the wallets that are there, by EIP-6963. It shows nothing itself: what a
 * step is for is told in `onRound`, before the wallet asks.
 */
import { OptionsError, UserRefusedError, WalletError } from './errors.js';
import { waitForReceipt } from './receipt.js';
import { pause, unlessAborted } from './retry.js';
import { isRecord, type Signer, type SignerOptions, type Transaction, type TypedData } from './signer.js';

/** A wallet as EIP-1193 has it. */
export interface Provider {
  request(asked: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

/** What a wallet needs to know of a chain that it does not know yet (EIP-3085). */
export interface ChainDetails {
  chainName: string;
  rpcUrls: readonly string[];
  nativeCurrency: { name: string; symbol: string; decimals: number };
  blockExplorerUrls?: readonly string[];
}

/** What else an injected wallet takes. */
export interface InjectedWalletOptions {
  /** Chains by their ids that a wallet is offered which does not know them. */
  chains?: { readonly [chainId: number]: ChainDetails } | undefined;
  /** How often the wallet is asked whether a transaction is in a block, in milliseconds; two seconds for undefined. */
  pollMs?: number | undefined;
  /** How long a transaction may take to be in a block, in milliseconds; ten minutes for undefined. */
  waitMs?: number | undefined;
}

/** A wallet in the browser, with the address that it signs for. */
export interface InjectedWallet extends Signer {
  readonly address: string;
}

/** What wallets answer with. */
const codes = { refused: [4001, 5000], unknownChain: 4902, unsupported: [4200, -32601, -32004] };

/**
 * Makes a signer of a wallet in the browser.
 * @param address is one of the wallet's, as `requestAccounts` gave it
 * @throws OptionsError for what is no address
 */
export function injectedWallet(provider: Provider, address: string, options: InjectedWalletOptions = {}): InjectedWallet {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    throw new OptionsError('address must be 0x and 40 hexadecimal digits');
  }
  const { chains = {}, pollMs = 2000, waitMs = 600_000 } = options;

  const ask = (method: string, params: readonly unknown[], { signal }: SignerOptions = {}): Promise<unknown> => {
    signal?.throwIfAborted();
    return unlessAborted(request(provider, method, params), signal);
  };
  const text = async (method: string, params: readonly unknown[], given?: SignerOptions): Promise<string> => {
    const answer = await ask(method, params, given);
    if (typeof answer !== 'string' || !/^0x[0-9a-fA-F]+$/.test(answer)) {
      throw new WalletError(`the wallet answers ${method} with nothing that could be used`);
    }
    return answer;
  };
  const isOn = async (chainId: number, given: SignerOptions) => Number(await text('eth_chainId', [], given)) === chainId;

  /** Has the wallet change to a chain, unless it is on it. */
  const switchTo = async (chainId: number, given: SignerOptions): Promise<void> => {
    if (await isOn(chainId, given)) {
      return;
    }
    const id = `0x${chainId.toString(16)}`;
    try {
      await ask('wallet_switchEthereumChain', [{ chainId: id }], given);
    } catch (error) {
      const details = chains[chainId];
      if (!(error instanceof CodedError) || error.code !== codes.unknownChain || details === undefined) {
        throw error;
      }
      await ask('wallet_addEthereumChain', [{ ...details, chainId: id }], given);
    }
    if (!(await isOn(chainId, given))) {
      throw new WalletError(`the wallet is not on chain ${chainId}: change it there, and try again`);
    }
  };

  const signMessage = (message: string, given: SignerOptions = {}) => text('personal_sign', [hexOf(message), address], given);

  const signTypedData = async (typedData: TypedData, given: SignerOptions = {}): Promise<string> => {
    const chainId = Number(typedData.domain.chainId);
    if (Number.isSafeInteger(chainId) && chainId > 0) {
      // Many wallets sign for the chain alone that they are on. Those that do not know it may sign nevertheless.
      await switchTo(chainId, given).catch((error) => {
        if (!(error instanceof CodedError)) {
          throw error;
        }
      });
    }
    return text('eth_signTypedData_v4', [address, JSON.stringify(typedData)], given);
  };

  const sendTransaction = async (transaction: Transaction, given: SignerOptions = {}): Promise<string> => {
    const { chainId, from, to, data, value } = transaction;
    if (from.toLowerCase() !== address.toLowerCase()) {
      throw new WalletError(`the transaction is from ${from}, which is not this wallet`);
    }
    await switchTo(chainId, given);
    const hash = await text('eth_sendTransaction', [{ from, to, data, value, chainId: `0x${chainId.toString(16)}` }], given);
    const mined = async () => {
      const receipt = await ask('eth_getTransactionReceipt', [hash]);
      return isRecord(receipt) ? Number(receipt.status) === 1 : undefined;
    };
    await waitForReceipt(hash, mined, { pollMs, waitMs, signal: given.signal });
    return hash;
  };

  return { address, signMessage, signTypedData, sendTransaction };
}

/**
 * Asks the user which of a wallet's accounts may be used, and gives their addresses, the chosen one first.
 * @throws UserRefusedError where it is none
 */
export async function requestAccounts(provider: Provider): Promise<string[]> {
  const accounts = await request(provider, 'eth_requestAccounts', []);
  if (!Array.isArray(accounts) || accounts.length === 0 || !accounts.every((account) => typeof account === 'string')) {
    throw new WalletError('the wallet gave no account');
  }
  return accounts;
}

/** An error of a wallet by its code. */
class CodedError extends WalletError {
  readonly code: number;

  constructor(code: number, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

async function request(provider: Provider, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    return await provider.request({ method, params });
  } catch (cause) {
    const code = isRecord(cause) ? Number(cause.code) : Number.NaN;
    const said = isRecord(cause) && typeof cause.message === 'string' ? cause.message : String(cause);
    if (codes.refused.includes(code)) {
      throw new UserRefusedError('the user said no in the wallet', { cause });
    }
    if (code === codes.unknownChain || codes.unsupported.includes(code)) {
      throw new CodedError(code, `the wallet does not do ${method}: ${said}`, cause);
    }
    throw new WalletError(`the wallet does not do ${method}: ${said}`, { cause });
  }
}

/** Text in UTF-8 as hexadecimal with 0x: what is no hexadecimal itself could be taken for it otherwise. */
function hexOf(text: string): string {
  return `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** A wallet that was found. */
export interface DiscoveredWallet {
  /** Tells wallets of a page apart; empty for one that does not announce itself. */
  uuid: string;
  name: string;
  /** The wallet's reversed domain name, the same in every page; empty for one that does not announce itself. */
  rdns: string;
  /** A picture as a data: address, to be shown in an img element alone; empty for none. */
  icon: string;
  provider: Provider;
}

/** What finding wallets takes. */
export interface DiscoverOptions {
  /** Where wallets announce themselves; the page's window for undefined. */
  target?: EventTarget | undefined;
  /** How long to wait for wallets that announce themselves late, in milliseconds; 200 for undefined. */
  waitMs?: number | undefined;
}

/**
 * Finds the wallets of a browser: those that announce themselves (EIP-6963), or where none does, the one at `window.ethereum`. Outside of a
 * browser there are none.
 */
export async function discoverWallets(options: DiscoverOptions = {}): Promise<DiscoveredWallet[]> {
  const target = options.target ?? (typeof window === 'undefined' ? undefined : window);
  if (target === undefined) {
    return [];
  }
  const found = new Map<string, DiscoveredWallet>();
  const keep = (event: Event) => {
    const wallet = announced(event);
    if (wallet !== undefined) {
      found.set(wallet.uuid, wallet);
    }
  };
  target.addEventListener('eip6963:announceProvider', keep);
  try {
    target.dispatchEvent(new Event('eip6963:requestProvider'));
    await pause(options.waitMs ?? 200, undefined);
  } finally {
    target.removeEventListener('eip6963:announceProvider', keep);
  }
  const lone = 'ethereum' in target ? target.ethereum : undefined;
  if (found.size === 0 && isProvider(lone)) {
    return [{ uuid: '', name: 'Browser wallet', rdns: '', icon: '', provider: lone }];
  }
  return [...found.values()];
}

/** Reads an announcement; undefined for what is none. */
function announced(event: Event): DiscoveredWallet | undefined {
  const detail: unknown = 'detail' in event ? event.detail : undefined;
  if (!isRecord(detail) || !isRecord(detail.info) || !isProvider(detail.provider)) {
    return undefined;
  }
  const { uuid, name, rdns, icon } = detail.info;
  if (typeof uuid !== 'string' || uuid === '' || typeof name !== 'string' || typeof rdns !== 'string') {
    return undefined;
  }
  // A picture from elsewhere would tell that elsewhere who looks.
  const picture = typeof icon === 'string' && icon.startsWith('data:image/') ? icon : '';
  return { uuid, name, rdns, icon: picture, provider: detail.provider };
}

function isProvider(value: unknown): value is Provider {
  return typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function';
}
