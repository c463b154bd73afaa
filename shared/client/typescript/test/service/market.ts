/** What the sample market tells and does besides the API: its time, its chains' nodes, and the factory of smart accounts. */
import { createPublicClient, getAddress, type Hex, http, parseAbi } from 'viem';

/** The numbers of the sample market's chains. */
export const chainIds: Readonly<Record<string, number>> = { eth: 1, base: 8453, bsc: 56, arbitrum: 42161, polygon: 137, optimism: 10 };

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
    return Object.fromEntries(Object.entries(this.#nodes).map(([slug, url]) => [this.chainId(slug), url]));
  }

  chainId(slug: string): number {
    const id = chainIds[slug];
    if (id === undefined) {
      throw new Error(`no chain ${slug}`);
    }
    return id;
  }

  /** Lets time pass, and what agents do in it be done. */
  async advance(by: string, milliseconds: number): Promise<void> {
    // Webhooks of the time that passes come before the answer.
    this.#ahead += milliseconds;
    const told = await this.#ask('POST', `/sample/advance?by=${by}`);
    this.#synchronize(told.now);
  }

  /** The account that the factory of a chain makes for a wallet. */
  async smartAccount(chain: string, wallet: Hex): Promise<string> {
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
