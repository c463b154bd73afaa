/** The chain that a wallet signs in with. */
import { chainIds, chains } from '../../route';

/** The number that a wallet signs in with: that of the chain it is on where the service has it, and base otherwise. */
export function signInChain(walletOn: number | null): number {
  return chains.map((chain) => chainIds[chain]).find((id) => id === walletOn) ?? chainIds.base;
}
