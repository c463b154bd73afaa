/** What the sample market tells and does besides the API: its time, its chains' nodes, and the factory of smart accounts. */
import { createPublicClient, getAddress, type Hex, http, parseAbi } from 'viem';

/** The numbers of the sample market's chains. */
const chainIds = { eth: 1, base: 8453, bsc: 56, arbitrum: 42161, polygon: 137, optimism: 10 };

/** A chain of the sample market by its slug. */
export type Chain = keyof typeof chainIds;

/** Reads a chain's slug. */
export function chainOf(slug: string | null): Chain {
  if (slug === null || !isChain(slug)) {
    throw new Error(`no chain ${slug}`);
  }
  return slug;
}

function isChain(slug: string): slug is Chain {
  return Object.hasOwn(chainIds, slug);
}

export class Market {
  readonly #url: string;
  /** How far the market's clock is ahead of ours, in milliseconds. */
  #ahead = 0;
  #nodes: Readonly<Record<string, string>> = {};
  #factory: Hex = '0x';

  private constructor(url: string) {
    this.#url = url;
  }

  static async open(url: string): Promise<Market> {
    const market = new Market(url);
    const told = await market.#ask('GET', '/sample');
    market.#nodes = told.nodes;
    market.#factory = getAddress(told.accountFactory);
    market.#synchronize(told.now);
    return market;
  }

  /** The market's time, in milliseconds since 1970. */
  readonly now = (): number => Date.now() + this.#ahead;

  /** The nodes by chain id. */
  get nodes(): Record<number, string> {
    return Object.fromEntries(Object.entries(this.#nodes).map(([slug, url]) => [chainIds[chainOf(slug)], url]));
  }

  /** Lets time pass, and what agents do in it be done. */
  async advance(by: string, milliseconds: number): Promise<void> {
    // Webhooks of the time that passes come before the answer.
    this.#ahead += milliseconds;
    const told = await this.#ask('POST', `/sample/advance?by=${by}`);
    this.#synchronize(told.now);
  }

  /** The account that the factory of a chain makes for a wallet. */
  async smartAccount(chain: Chain, wallet: Hex): Promise<string> {
    const node = createPublicClient({ transport: http(this.#nodes[chain]) });
    const abi = parseAbi(['function getAddress(address owner, uint256 salt) view returns (address)']);
    const account = await node.readContract({ address: this.#factory, abi, functionName: 'getAddress', args: [wallet, 0n] });
    return account.toLowerCase();
  }

  #synchronize(now: string): void {
    this.#ahead = Date.parse(now) - Date.now();
  }

  // biome-ignore lint/suspicious/noExplicitAny: what the sample market tells has no schema.
  async #ask(method: string, path: string): Promise<any> {
    const answer = await fetch(this.#url + path, { method, signal: AbortSignal.timeout(120_000) });
    if (!answer.ok) {
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    }
    return answer.json();
  }
}
