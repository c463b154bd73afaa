/**
 * What partners import to use Mirrorworthy from browsers and Node. Amounts of money are decimal numbers in text, as on the wire; null is
 * something that was not measured, which is neither zero nor bad. It holds no private key: whoever signs implements `Signer`.
 */
export { Client } from './client.js';
export * from './errors.js';
export type { Answer, Body, GetAnswer, GetPath, PostAnswer, PostPath, Query, Schemas } from './schemas.js';
export type { AuthHeaders, CallOptions, ChangeOptions, ClientOptions } from './transport.js';
