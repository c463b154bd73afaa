/** The client of the service: what partners construct and ask. */
import { type ActivateOptions, type Activation, activate, askActivation } from './activation.js';
import type { paths } from './api.js';
import { AnswerError, OptionsError } from './errors.js';
import { gatherAll, Listing } from './listing.js';
import type { Body, GetAnswer, GetArguments, GetPath, PostAnswer, PostPath, Query, Schemas } from './schemas.js';
import type { Signer } from './signer.js';
import { type CallOptions, type ChangeOptions, type ClientOptions, Transport } from './transport.js';

/** Where agents can trade. */
export type Venue = Schemas['VenueRow'];
/** A wallet that passed the gate of a venue. Grade, score and confidence are null when unrated, which is unknown, not bad. */
export type Leader = Schemas['CopyLeaderRow'];
/** A wallet of the board of spot leaders; one that cannot be mirrored has the reasons why not. */
export type SpotLeader = Schemas['SpotLeaderRow'] & {
  /** The wallet, under the name that `Leader` has for it. */
  address: string;
};
/** An agent, which mirrors a leader for a wallet. */
export type Agent = Schemas['AgentAnswer'];
/** What an agent did with one leg of a leader's trade, or why it did nothing. What was not measured is null. */
export type Execution = Schemas['MirroringExecution'];
/** Where a partner is told of events. `secret` is what signs, once: when it was made just now. */
export type Webhook = Schemas['WebhookAnswer'];
/** Asks for an agent of the wallet that is signed in. */
export type CreateAgentRequest = NonNullable<paths['/v1/copy/agents']['post']['requestBody']>['content']['application/json'];
/** Says where a partner is told of events. */
export type PutWebhookRequest = NonNullable<paths['/v1/webhooks']['put']['requestBody']>['content']['application/json'];

/** Leaves some of the executions. */
export interface ExecutionFilter {
  /** Leaves those of one status. */
  status?: Schemas['MirroringStatus'] | undefined;
  /** How many a page has, 1 to 100. */
  limit?: number | undefined;
  /** Continues from a page's nextCursor. */
  cursor?: string | undefined;
}

/** A page of executions. */
export type Executions = Schemas['ExecutionsAnswer'];

const agentsPath = '/copy/agents';
const webhooksPath = '/webhooks';

/**
 * Asks the service. It holds the API key in a private field: it is in no error, no address and not in `JSON.stringify`. Calls that failed
 * for a while are repeated as the service says, and every POST carries an idempotency key, the same over its repetitions.
 *
 * Whatever is asked throws an ApiError for what the service refuses, a ConnectionError where no answer came, and an AnswerError where
 * what came is not the service's. What is about agents needs `getAuthHeaders` besides, and throws a NoWalletError without it and a
 * SignInError where the wallet does not sign in.
 */
export class Client {
  readonly #transport: Transport;

  /** @throws OptionsError for options that no client can be made of */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Asks any endpoint that takes its parameters in a query and needs no wallet, by its path under /v1. */
  get<Path extends GetPath>(path: Path, ...[query, options]: GetArguments<Path, CallOptions>): Promise<GetAnswer<Path>> {
    return this.#transport.call<GetAnswer<Path>>({ signal: options?.signal, method: 'GET', path, query });
  }

  /** Asks any endpoint that takes its parameters in a body and needs no wallet, by its path under /v1. */
  post<Path extends PostPath>(path: Path, body: Body<Path>, options?: ChangeOptions): Promise<PostAnswer<Path>> {
    return this.#transport.call<PostAnswer<Path>>({ ...only(options), method: 'POST', path, body });
  }

  /** Lists where agents can trade. */
  async listVenues(options?: CallOptions): Promise<Venue[]> {
    const { venues } = await this.get('/copy/venues', undefined, options);
    return [...listOf<Venue>(venues)];
  }

  /** Lists the leaders of a venue that passed its gate, the best first. Awaited it gives all of them. */
  listLeaders(filter: Pick<Query<'/copy/leaders'>, 'venue' | 'chain'>, options?: CallOptions): Listing<Leader, Leader[]> {
    const ask = async (cursor: string | undefined) => {
      const answer = await this.get('/copy/leaders', { ...filter, ...given({ cursor }) }, options);
      return { rows: listOf<Leader>(answer.rows), nextCursor: answer.nextCursor };
    };
    return new Listing(ask, gatherAll);
  }

  /**
   * Lists the wallets that were early in tokens that rose: the mirrorable ones first, then the others with the reasons why not. Awaited it
   * gives all of them.
   */
  spotLeaders(
    filter: Pick<Query<'/copy/spot-leaders'>, 'chain'> & { mirrorableOnly?: boolean } = {},
    options?: CallOptions,
  ): Listing<SpotLeader, SpotLeader[]> {
    const { mirrorableOnly, ...rest } = filter;
    const query: Query<'/copy/spot-leaders'> = mirrorableOnly ? { ...rest, mirrorableOnly: '1' } : rest;
    const ask = async (cursor: string | undefined) => {
      const answer = await this.get('/copy/spot-leaders', { ...query, ...given({ cursor }) }, options);
      const rows = listOf<Schemas['SpotLeaderRow']>(answer.rows).map((row) => ({ ...row, address: row.wallet }));
      return { rows, nextCursor: answer.nextCursor };
    };
    return new Listing(ask, gatherAll);
  }

  /** Gives all that is known of a wallet's trading on a chain. A part that failed is an error in its place, and named in `failed`. */
  walletOverview(asked: Body<'/wallet-overview'>, options?: CallOptions): Promise<PostAnswer<'/wallet-overview'>> {
    return this.post('/wallet-overview', asked, options);
  }

  /** Asks whether to copy a leader, with how much, and what to leave out. */
  copyPlan(asked: Body<'/copy-plan'>, options?: CallOptions): Promise<PostAnswer<'/copy-plan'>> {
    return this.post('/copy-plan', asked, options);
  }

  /** Asks whether a leader's trade on perpetuals is worth copying now, at which leverage and how large. */
  perpCopyDecision(asked: Body<'/perp-copy-decision'>, options?: CallOptions): Promise<PostAnswer<'/perp-copy-decision'>> {
    return this.post('/perp-copy-decision', asked, options);
  }

  /** Asks whether a new leader adds anything to those that a wallet copies already. */
  copyOverlap(asked: Body<'/copy-overlap'>, options?: CallOptions): Promise<PostAnswer<'/copy-overlap'>> {
    return this.post('/copy-overlap', asked, options);
  }

  /** Makes an agent. It does nothing before it is activated. */
  createAgent(asked: CreateAgentRequest, options?: ChangeOptions): Promise<Schemas['AgentCreated']> {
    return this.#transport.call({ ...only(options), method: 'POST', path: agentsPath, body: asked, wallet: true });
  }

  /** Shows an agent. */
  async getAgent(agentId: string, options?: CallOptions): Promise<Agent> {
    return this.#transport.call({ signal: options?.signal, method: 'GET', path: agentPath(agentId), wallet: true });
  }

  /** Lists the agents of the wallet that is signed in, the newest first. Awaited it gives all of them. */
  listAgents(options?: CallOptions): Listing<Agent, Agent[]> {
    const ask = async (cursor: string | undefined) => {
      const answer = await this.#transport.call<Schemas['AgentList']>({
        signal: options?.signal,
        method: 'GET',
        path: agentsPath,
        query: { cursor },
        wallet: true,
      });
      return { rows: listOf<Agent>(answer.agents), nextCursor: answer.nextCursor };
    };
    return new Listing(ask, gatherAll);
  }

  /** Lists what the wallet must do next for an agent to be active. It begins an activation where none is under way. */
  async getActivation(agentId: string, options?: CallOptions): Promise<Activation> {
    return askActivation(this.#transport, agentPath(agentId), options);
  }

  /**
   * Has a wallet do all steps of an agent's activation, round after round, until the agent is active. It can be called again after an
   * error, and goes on where the service saw it last; a transaction whose hash did not get there is sent again then.
   * @throws StepError for what the wallet did not do, UnknownStepError, NotActivatedError, and what `onRound` throws
   */
  async activate(agentId: string, signer: Signer, options: ActivateOptions = {}): Promise<Activation> {
    return activate(this.#transport, agentPath(agentId), signer, options);
  }

  /** Has an agent open nothing more; it still mirrors the leader's closes. */
  pause(agentId: string, options?: ChangeOptions): Promise<Agent> {
    return this.#move(agentId, 'pause', options);
  }

  /** Has a paused agent open copies again. An expired one is activated instead. */
  resume(agentId: string, options?: ChangeOptions): Promise<Agent> {
    return this.#move(agentId, 'resume', options);
  }

  /** Ends an agent for good. What it has open stays open, and is closed at the venue. */
  stop(agentId: string, options?: ChangeOptions): Promise<Agent> {
    return this.#move(agentId, 'stop', options);
  }

  /**
   * Lists what an agent did, the newest first, with what it skipped and why. Awaited it gives a page, `{ executions, nextCursor }`; `for
   * await` goes through all of them.
   */
  listExecutions(agentId: string, filter: ExecutionFilter = {}, options?: CallOptions): Listing<Execution, Executions> {
    const ask = (cursor: string | undefined) =>
      this.#transport.call<Executions>({
        signal: options?.signal,
        method: 'GET',
        path: `${agentPath(agentId)}/executions`,
        query: { ...filter, cursor: cursor ?? filter.cursor },
        wallet: true,
      });
    return new Listing(
      async (cursor) => {
        const answer = await ask(cursor);
        return { rows: listOf<Execution>(answer.executions), nextCursor: answer.nextCursor };
      },
      () => ask(undefined),
    );
  }

  /** Says where events are sent. A disabled webhook becomes active. */
  putWebhook(asked: PutWebhookRequest, options?: CallOptions): Promise<Webhook> {
    return this.#transport.call({ signal: options?.signal, method: 'PUT', path: webhooksPath, body: asked });
  }

  /** Shows where events are sent. A partner without a webhook gets an ApiError of the code not_found. */
  getWebhook(options?: CallOptions): Promise<Webhook> {
    return this.get('/webhooks', undefined, options);
  }

  /** Has no events sent anymore, and tells whether any were. */
  deleteWebhook(options?: CallOptions): Promise<Schemas['RemovedAnswer']> {
    return this.#transport.call({ signal: options?.signal, method: 'DELETE', path: webhooksPath });
  }

  /** Has a test event sent now. */
  testWebhook(options?: ChangeOptions): Promise<PostAnswer<'/webhooks/test'>> {
    return this.post('/webhooks/test', undefined, options);
  }

  async #move(agentId: string, verb: 'pause' | 'resume' | 'stop', options: ChangeOptions | undefined): Promise<Agent> {
    return this.#transport.call({ ...only(options), method: 'POST', path: `${agentPath(agentId)}/${verb}`, body: {}, wallet: true });
  }
}

/** The path of an agent. What a URL would take for a step up or for nothing is no ID. */
function agentPath(agentId: string): string {
  if (agentId === '' || agentId === '.' || agentId === '..') {
    throw new OptionsError('agentId is needed, as createAgent answered it');
  }
  return `${agentsPath}/${encodeURIComponent(agentId)}`;
}

/** Leaves of the options what a call takes, so that what else is in them changes no request. */
function only(options: ChangeOptions | undefined): ChangeOptions {
  return { signal: options?.signal, idempotencyKey: options?.idempotencyKey };
}

/** Leaves out what is undefined. */
function given(values: { cursor: string | undefined }): { cursor?: string } {
  return values.cursor === undefined ? {} : { cursor: values.cursor };
}

function listOf<Row>(rows: unknown): readonly Row[] {
  if (!Array.isArray(rows)) {
    throw new AnswerError('a page without rows');
  }
  return rows;
}
