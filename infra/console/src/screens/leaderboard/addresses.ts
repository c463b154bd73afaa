/** Reading a list of addresses that somebody pasted. */
import { isAddress } from '../../route';

/** How many wallets are compared at most. */
export const mostWallets = 25;

export type Pasted = {
  /** The addresses, each once, as they were first written. */
  addresses: string[];
  /** What has not the form of an address. */
  wrong: string[];
  /** How many were there already. */
  repeated: number;
};

/** Takes addresses apart at spaces, line ends, commas and semicolons. */
export function readAddresses(text: string): Pasted {
  const pasted: Pasted = { addresses: [], wrong: [], repeated: 0 };
  const seen = new Set<string>();
  for (const piece of text.split(/[\s,;]+/)) {
    if (piece === '') {
      continue;
    }
    if (!isAddress(piece)) {
      pasted.wrong.push(piece);
    } else if (seen.has(piece.toLowerCase())) {
      pasted.repeated += 1;
    } else {
      seen.add(piece.toLowerCase());
      pasted.addresses.push(piece);
    }
  }
  return pasted;
}
