/** Addresses of wallets, with the checksum that sign-in messages need. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { OptionsError } from './errors.js';

/**
 * Writes an address with its checksum (EIP-55). One in mixed case must have the right one.
 * @throws OptionsError
 */
export function checksummed(address: string): string {
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(address)?.[1];
  if (digits === undefined) {
    throw new OptionsError('address must be 0x and 40 hexadecimal digits');
  }
  const lower = digits.toLowerCase();
  const hash = Array.from(keccak_256(new TextEncoder().encode(lower)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const text = Array.from(lower, (digit, i) => (hash.charAt(i) >= '8' ? digit.toUpperCase() : digit)).join('');
  if (digits !== lower && digits !== digits.toUpperCase() && digits !== text) {
    throw new OptionsError('the checksum of address is wrong; a digit of it was changed');
  }
  return `0x${text}`;
}
