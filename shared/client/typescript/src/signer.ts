/** What a wallet does for an activation. */
import type { Schemas } from './schemas.js';

/** A transaction that a wallet is asked to send. `data` and `value` are hexadecimal with 0x, `value` in wei. */
export type Transaction = Schemas['ActivationTransaction'];

/** Typed data of EIP-712, as eth_signTypedData_v4 takes it. */
export interface TypedData {
  types: { readonly [name: string]: readonly { readonly name: string; readonly type: string }[] };
  primaryType: string;
  domain: { readonly [field: string]: unknown };
  message: { readonly [field: string]: unknown };
}

/** What else a wallet is told. */
export interface SignerOptions {
  /** Ends the wait. What the wallet shows by then stays in the wallet's hands. */
  signal?: AbortSignal | undefined;
}

/** A wallet: a browser's, a phone's, or a key in memory. Signatures are hexadecimal with 0x, 65 bytes for a plain account. */
export interface Signer {
  /** Signs a text as EIP-191 says (personal_sign). */
  signMessage(text: string, options?: SignerOptions): Promise<string>;
  /** Signs typed data of EIP-712. */
  signTypedData(typedData: TypedData, options?: SignerOptions): Promise<string>;
  /** Sends a transaction, and gives its hash, 0x and 64 digits, once it is in a block. */
  sendTransaction(transaction: Transaction, options?: SignerOptions): Promise<string>;
}

/** Tells whether a value has the form of typed data. Whether its message fits its types is for the wallet to say. */
export function isTypedData(value: unknown): value is TypedData {
  return (
    isRecord(value) &&
    isRecord(value.types) &&
    Object.values(value.types).every((fields) => Array.isArray(fields) && fields.every(isField)) &&
    typeof value.primaryType === 'string' &&
    value.primaryType in value.types &&
    isRecord(value.domain) &&
    isRecord(value.message)
  );
}

function isField(value: unknown): boolean {
  return isRecord(value) && typeof value.name === 'string' && typeof value.type === 'string';
}

/** Tells whether a value is an object with named fields. */
export function isRecord(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Tells whether a value holds a whole number that the language cannot hold exactly. Read from JSON it may be another one than was sent,
 * and is not to be signed.
 */
export function holdsInexactNumber(value: unknown): boolean {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value);
  }
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInexactNumber);
}
