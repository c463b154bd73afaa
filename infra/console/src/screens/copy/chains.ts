/** The chains' EIP-155 numbers, which wallets speak of. */
import { type Chain, chains } from '../../route';

export const chainIds: Readonly<Record<Chain, number>> = { eth: 1, base: 8453, bsc: 56, arbitrum: 42161, polygon: 137, optimism: 10 };

/** The number that a wallet signs in with: that of the chain it is on where the service has it, and base otherwise. */
export function signInChain(walletOn: number | null): number {
  return chains.map((chain) => chainIds[chain]).find((id) => id === walletOn) ?? chainIds.base;
}
