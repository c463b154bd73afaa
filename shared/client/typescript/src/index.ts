/**
 * What partners import to use Mirrorworthy from browsers and Node: it browses leaders, sizes a copy, creates agents, walks a wallet through
 * their activation, follows their executions, and manages and verifies webhooks.
 *
 * Amounts of money are decimal numbers in text, as on the wire; null is something that was not measured, which is neither zero nor bad.
 * It holds no private key: whoever signs implements `Signer`, as `@mirrorworthy/client/injected` does for a browser's wallet and
 * `@mirrorworthy/client/local-wallet` for a key in memory.
 */
export type { ActivateOptions, Activation } from './activation.js';
export type {
  Agent,
  CreateAgentRequest,
  Execution,
  ExecutionFilter,
  Executions,
  Leader,
  PutWebhookRequest,
  SpotLeader,
  Venue,
  Webhook,
} from './client.js';
export { Client } from './client.js';
export * from './errors.js';
export type { CostLabel, Explainable, Explanation, Step } from './explain.js';
export { costLabel, explainStep } from './explain.js';
export type { Listing } from './listing.js';
export type { Random } from './random.js';
export type { Answer, Body, GetAnswer, GetPath, PostAnswer, PostPath, Query, Schemas } from './schemas.js';
export type { SignIn } from './sign-in.js';
export { getAuthHeaders } from './sign-in.js';
export type { Signer, SignerOptions, Transaction, TypedData } from './signer.js';
export type { AuthHeaders, CallOptions, ChangeOptions, ClientOptions } from './transport.js';
export type { WebhookEvent, WebhookHeaders } from './webhook.js';
export { verifyWebhook } from './webhook.js';
