/** The EIP-155 numbers of the chains, by which the venue boards are filtered. */
import type { Chain } from '../../route';

export const chainIds = { eth: 1, base: 8453, bsc: 56, arbitrum: 42161, polygon: 137, optimism: 10 } as const satisfies Record<
  Chain,
  number
>;
