/** The client of the service: what partners construct and ask. */
import type { Body, GetAnswer, GetArguments, GetPath, PostAnswer, PostPath } from './schemas.js';
import { type CallOptions, type ChangeOptions, type ClientOptions, Transport } from './transport.js';

/**
 * Asks the service. It holds the API key in a private field: it is in no error, no address and not in `JSON.stringify`. Calls that failed
 * for a while are repeated as the service says, and every POST carries an idempotency key, the same over its repetitions.
 */
export class Client {
  readonly #transport: Transport;

  /** @throws OptionsError for options that no client can be made of */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /**
   * Asks any endpoint that takes its parameters in a query and needs no wallet, by its path under /v1.
   * @throws ApiError for what the service refuses
   */
  async get<Path extends GetPath>(path: Path, ...[query, options]: GetArguments<Path, CallOptions>): Promise<GetAnswer<Path>> {
    return this.#transport.call<GetAnswer<Path>>({ ...options, method: 'GET', path, query });
  }

  /**
   * Asks any endpoint that takes its parameters in a body and needs no wallet, by its path under /v1.
   * @throws ApiError for what the service refuses
   */
  async post<Path extends PostPath>(path: Path, body: Body<Path>, options?: ChangeOptions): Promise<PostAnswer<Path>> {
    return this.#transport.call<PostAnswer<Path>>({ ...options, method: 'POST', path, body });
  }
}
