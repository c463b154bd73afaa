/** What the sample market has besides the API: nodes of its chains on the console's own origin, and a clock that can be moved. */
import { ConnectionError } from '@mirrorworthy/client';
import type { Chain } from '../../route';

/** Where a chain's node answers. */
export function nodeOf(chain: Chain): string {
  return `${window.location.origin}/sample/nodes/${chain}`;
}

async function post(address: string, body: object | null): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(address, {
      method: 'POST',
      credentials: 'omit',
      ...(body === null ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch (cause) {
    throw new ConnectionError('the sample market does not answer', { cause });
  }
  if (!answer.ok) {
    throw new Error(`The sample market answers with ${answer.status}.`);
  }
  return answer.json();
}

/** getAddress(address,uint256), which the factory of smart accounts answers. */
const getAddress = '0x8cb84e18';

/** What is asked of the factory for a wallet's first account. */
export function factoryCallOf(wallet: string): string {
  return getAddress + wallet.slice(2).toLowerCase().padStart(64, '0') + '0'.repeat(64);
}

/** Reads the address in a factory's answer. */
export function accountIn(answer: unknown): string | null {
  const result = typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : null;
  return typeof result === 'string' && /^0x0{24}[0-9a-f]{40}$/.test(result) ? `0x${result.slice(26)}` : null;
}

/** The smart account that the factory of a chain makes for a wallet, whether it stands there already or not. */
export async function smartAccountOf(factory: string, chain: Chain, wallet: string): Promise<string> {
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: factory, data: factoryCallOf(wallet) }, 'latest'] };
  const account = accountIn(await post(nodeOf(chain), call));
  if (account === null) {
    throw new Error(`The factory of smart accounts on ${chain} gave no account.`);
  }
  return account;
}

/** Lets time pass in the sample market, like 6h, and what agents do in it be done. */
export async function letPass(by: string): Promise<void> {
  await post(`${window.location.origin}/sample/advance?by=${by}`, null);
}
