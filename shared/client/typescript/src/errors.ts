/** What can go wrong, one class for each thing that a caller deals with differently. None of them holds the API key. */

/** Options or arguments that nothing can be asked with. Nothing was sent. */
export class OptionsError extends Error {
  override name = 'OptionsError';
}

/** A wallet must be signed in for this, and the client was made without `getAuthHeaders`. Nothing was sent. */
export class NoWalletError extends Error {
  override name = 'NoWalletError';

  constructor() {
    super('this needs a signed-in wallet: construct the client with getAuthHeaders');
  }
}

/** The headers of a wallet could not be had; `cause` says why, which may be the user's no. */
export class SignInError extends Error {
  override name = 'SignInError';

  constructor(cause: unknown) {
    super(`the wallet is not signed in: ${messageOf(cause)}`, { cause });
  }
}

/** No answer came, or it broke off; `cause` says why. Whether the request was dealt with is not known. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
}

/** What answered is not what the service answers. */
export class AnswerError extends Error {
  override name = 'AnswerError';
}

/** The service asks for a kind of step that this version does not know, and that it does not have signed. */
export class UnknownStepError extends Error {
  override name = 'UnknownStepError';
}

/** The agent is not active, and there is nothing to do about it. */
export class NotActivatedError extends Error {
  override name = 'NotActivatedError';
}

/** The wallet did not do a step of an activation; `cause` is what it said. */
export class StepError extends Error {
  override name = 'StepError';
  /** The step's name. */
  readonly step: string;

  constructor(step: string, cause: unknown) {
    super(`step ${step}: ${messageOf(cause)}`, { cause });
    this.step = step;
  }
}

/** Why a wallet did not do what it was asked. */
export class WalletError extends Error {
  override name: string = 'WalletError';
}

/** The user said no in the wallet. */
export class UserRefusedError extends WalletError {
  override name = 'UserRefusedError';
}

/** The transaction is in a block and did nothing. */
export class RevertedError extends WalletError {
  override name = 'RevertedError';
  /** The transaction's hash. */
  readonly hash: string;

  constructor(hash: string) {
    super(`the transaction ${hash} was reverted`);
    this.hash = hash;
  }
}

/** The transaction was sent, and was in no block when the wait for it ended. It may get there yet. */
export class PendingError extends WalletError {
  override name = 'PendingError';
  /** The transaction's hash. */
  readonly hash: string;

  constructor(hash: string, cause?: unknown) {
    super(`the transaction ${hash} is on its way`, { cause });
    this.hash = hash;
  }
}

/** Why a webhook is not believed. */
export class WebhookError extends Error {
  override name = 'WebhookError';
  /**
   * headers: those of Standard Webhooks are missing or unreadable. time: it was sent more than five minutes ago, or later than now, and may
   * be old and sent again by somebody else. signature: none of its signatures is by one of the secrets. secret: a secret is not one that
   * the service made.
   */
  readonly reason: 'headers' | 'time' | 'signature' | 'secret';

  constructor(reason: WebhookError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What the service says of a request that it refuses. */
export interface Refusal {
  /** The HTTP status; 0 for a redirect in a browser, which tells no more of it. */
  status: number;
  /** The machine's word for it, like invalid_address; empty where what answered was not the service. */
  code: string;
  /** Tells a person what to do next. */
  message: string;
  /** Names the request in the service's logs; empty where it is not known. */
  requestId: string;
  /** The parameter concerned. */
  param?: string;
  /** The parameters that are accepted, where that is what was wrong. */
  accepted?: readonly string[];
  /** The chains that are supported, where that is what was wrong. */
  supported?: readonly string[];
  /** After how many seconds the same request can succeed, where the service said so. */
  retryAfterSeconds?: number;
}

/** A request that the service refused or could not answer. */
export class ApiError extends Error implements Refusal {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly param?: string;
  readonly accepted?: readonly string[];
  readonly supported?: readonly string[];
  readonly retryAfterSeconds?: number;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    if (refusal.param !== undefined) this.param = refusal.param;
    if (refusal.accepted !== undefined) this.accepted = refusal.accepted;
    if (refusal.supported !== undefined) this.supported = refusal.supported;
    if (refusal.retryAfterSeconds !== undefined) this.retryAfterSeconds = refusal.retryAfterSeconds;
  }

  /** Says what is wrong, and names the request. */
  override toString(): string {
    const request = this.requestId === '' ? '' : ` (request ${this.requestId})`;
    return `${this.name}: ${this.status} ${this.code}: ${this.message}${request}`;
  }
}

/** The message of whatever was thrown. */
function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
