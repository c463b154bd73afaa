/**
 * How requests reach the service: the headers, the bounds, the repetitions, and how refusals are read. It knows nothing of what is asked.
 */
import { parseBaseUrl } from './base-url.js';
import { AnswerError, ApiError, ConnectionError, NoWalletError, OptionsError, type Refusal, SignInError } from './errors.js';
import { type Random, randomWord, systemRandom } from './random.js';
import { pause, retryAfterSeconds, waitBeforeNext } from './retry.js';

/** Gives the headers by which a wallet is signed in. */
export type AuthHeaders = (options?: { signal?: AbortSignal | undefined }) => HeadersInit | Promise<HeadersInit>;

/** How a client reaches the service. */
export interface ClientOptions {
  /** The address of the API, ending in /v1: https, or http on this machine. */
  baseUrl: string;
  /** The partner's key. In a browser everybody who looks can read it: there it belongs to a backend of your own that adds it. */
  apiKey: string;
  /** Gives the headers by which a wallet is signed in, for what concerns agents; the function `getAuthHeaders` makes one. */
  getAuthHeaders?: AuthHeaders | undefined;
  /** Sends the requests; the browser's or Node's own for undefined. */
  fetch?: typeof fetch | undefined;
  /** How often a request is repeated that failed for a while, 0 for never; 4 for undefined. */
  retries?: number | undefined;
  /** The longest wait before a repetition, in milliseconds. What asks for more is thrown as it is. 30 s for undefined. */
  maximumWaitMs?: number | undefined;
  /** How long one attempt may take, in milliseconds; 60 s for undefined. */
  timeoutMs?: number | undefined;
  /** Tells the time in milliseconds since 1970; Date.now for undefined. */
  now?: (() => number) | undefined;
  /** What idempotency keys are made of and repetitions are spread by; the system's randomness for undefined. */
  random?: Random | undefined;
}

/** What else a call takes. */
export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What else a call takes that changes something. */
export interface ChangeOptions extends CallOptions {
  /**
   * The key of the POST, in place of one that the client makes. Kept before the call, it makes a call that a crash interrupted safe to
   * repeat within two days. 1 to 255 printable ASCII characters without spaces, quotes and backslashes.
   */
  idempotencyKey?: string | undefined;
}

/** One call of the API. */
export interface Call extends ChangeOptions {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path under /v1, with a slash first. */
  path: string;
  query?: object | undefined;
  /** Encoded as JSON; undefined for none. */
  body?: unknown;
  /** A wallet must be signed in. */
  wallet?: boolean;
}

/** Bounds what is read of an answer, in bytes. */
const maximumAnswer = 16 * 1024 * 1024;

const keyShape = /^[!-~]+$/;
const idempotencyKeyShape = /^[!#-[\]-~]{1,255}$/;

/** A connection to the service. It holds the key, and shows it to nobody else. */
export class Transport {
  readonly #base: string;
  readonly #key: string;
  readonly #authHeaders: AuthHeaders | undefined;
  readonly #fetch: typeof fetch;
  readonly #retries: number;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #random: Random;
  /** The longest wait before a repetition, in milliseconds. */
  readonly maximumWaitMs: number;

  /** @throws OptionsError */
  constructor(options: ClientOptions) {
    this.#base = parseBaseUrl(options.baseUrl).href;
    if (!keyShape.test(options.apiKey)) {
      throw new OptionsError('apiKey is empty, or holds what no key does');
    }
    this.#key = options.apiKey;
    this.#authHeaders = options.getAuthHeaders;
    // Browsers refuse to run fetch as a method of anything but the window.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#retries = atLeastZero('retries', options.retries ?? 4);
    this.#timeoutMs = atLeastZero('timeoutMs', options.timeoutMs ?? 60_000);
    this.#now = options.now ?? Date.now;
    this.#random = options.random ?? systemRandom;
    this.maximumWaitMs = atLeastZero('maximumWaitMs', options.maximumWaitMs ?? 30_000);
  }

  /**
   * Asks, again where that helps, and reads the answer as a JSON object. Its fields are taken to be those of the API document, which the
   * service holds itself to.
   */
  async call<Body>(asked: Call): Promise<Body> {
    if (asked.wallet && this.#authHeaders === undefined) {
      throw new NoWalletError();
    }
    const url = this.#url(asked);
    const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
    const key = asked.method === 'POST' ? this.#idempotencyKey(asked.idempotencyKey) : undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        return parse(await this.#attempt(asked, url, body, key)) as Body;
      } catch (error) {
        const patience = { retries: this.#retries, maximumWaitMs: this.maximumWaitMs, random: this.#random };
        const wait = waitBeforeNext(error, attempt, patience);
        if (wait === undefined) {
          throw error;
        }
        await pause(wait, asked.signal);
      }
    }
  }

  #url({ path, query }: Call): string {
    if (!path.startsWith('/')) {
      throw new OptionsError('a path begins with a slash');
    }
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) {
        given.set(name, String(value));
      }
    }
    const text = given.toString();
    return this.#base + path + (text === '' ? '' : `?${text}`);
  }

  #idempotencyKey(given: string | undefined): string {
    if (given !== undefined && !idempotencyKeyShape.test(given)) {
      throw new OptionsError('idempotencyKey must be 1 to 255 printable ASCII characters without spaces, quotes and backslashes');
    }
    return given ?? randomWord(this.#random);
  }

  /** Asks once, and gives the text of the answer. */
  async #attempt(asked: Call, url: string, body: string | undefined, key: string | undefined): Promise<string> {
    const headers = await this.#headers(asked, body, key);
    asked.signal?.throwIfAborted();
    const attempt = new AbortController();
    const stop = () => attempt.abort(asked.signal?.reason);
    const timer = setTimeout(() => attempt.abort(new Error(`no answer within ${this.#timeoutMs} ms`)), this.#timeoutMs);
    asked.signal?.addEventListener('abort', stop, { once: true });
    try {
      const answer = await this.#fetch(url, {
        method: asked.method,
        headers,
        body: body ?? null,
        signal: attempt.signal,
        // A redirect would carry keys elsewhere. As an answer, unlike as an error of the network, it is known for what it is.
        redirect: 'manual',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
      });
      const text = await readText(answer);
      if (!answer.ok) {
        throw this.#refusal(answer, text ?? '');
      }
      if (text === undefined) {
        throw new AnswerError(`the answer is longer than ${maximumAnswer} bytes`);
      }
      return text;
    } catch (error) {
      if (asked.signal?.aborted) {
        throw asked.signal.reason;
      }
      if (error instanceof ApiError || error instanceof AnswerError) {
        throw error;
      }
      throw new ConnectionError('no answer came from the service, or it broke off', { cause: error });
    } finally {
      clearTimeout(timer);
      asked.signal?.removeEventListener('abort', stop);
    }
  }

  async #headers(asked: Call, body: string | undefined, key: string | undefined): Promise<Headers> {
    let headers = new Headers();
    if (asked.wallet) {
      try {
        headers = new Headers(await this.#authHeaders?.({ signal: asked.signal }));
      } catch (error) {
        if (asked.signal?.aborted) {
          throw asked.signal.reason;
        }
        throw new SignInError(error);
      }
    }
    headers.set('Authorization', `Bearer ${this.#key}`);
    headers.set('Accept', 'application/json');
    if (body !== undefined) {
      headers.set('Content-Type', 'application/json');
    }
    if (key !== undefined) {
      headers.set('Idempotency-Key', key);
    }
    return headers;
  }

  /** Reads a refusal. What is no refusal of the service has no code. */
  #refusal(answer: Response, text: string): ApiError {
    const waits = retryAfterSeconds(answer.headers.get('Retry-After'), this.#now());
    const requestId = answer.headers.get('X-Request-Id') ?? '';
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    const said = (body ?? {}) as { readonly [field: string]: unknown };
    const code = textOf(said.error);
    const refusal: Refusal = { status: answer.status, code: code ?? '', message: '', requestId };
    if (code === undefined || code === '') {
      refusal.message = `what answered is not the service: ${answer.type === 'opaqueredirect' ? 'it redirects elsewhere' : answer.statusText}`;
    } else {
      refusal.message = textOf(said.message) ?? '';
      refusal.requestId = textOf(said.requestId) || requestId;
      assign(refusal, 'param', textOf(said.param));
      assign(refusal, 'accepted', textsOf(said.accepted));
      assign(refusal, 'supported', textsOf(said.supported));
    }
    const inBody = said.retryAfterSeconds;
    assign(refusal, 'retryAfterSeconds', waits ?? (typeof inBody === 'number' && inBody > 0 ? inBody : undefined));
    return new ApiError(refusal);
  }
}

/** Reads an answer; undefined for one that is too long. */
async function readText(answer: Response): Promise<string | undefined> {
  if (answer.body === null) {
    return '';
  }
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  let text = '';
  let read = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return text + decoder.decode();
    }
    read += value.length;
    if (read > maximumAnswer) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parse(text: string): object {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new AnswerError('the answer is not JSON', { cause });
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new AnswerError('the answer is not a JSON object');
  }
  return answer;
}

function atLeastZero(name: string, value: number): number {
  if (!(value >= 0)) {
    throw new OptionsError(`${name} must be a number of at least 0`);
  }
  return value;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/** Sets a field, unless its value is not there: what is left out and what is undefined are not the same. */
function assign<Of, Name extends keyof Of>(to: Of, name: Name, value: Exclude<Of[Name], undefined> | undefined): void {
  if (value !== undefined) {
    to[name] = value;
  }
}
