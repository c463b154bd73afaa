/**
 * A service in memory that behaves like the real one, as far as a client can tell: it knows keys and wallets, keeps what POSTs with a key
 * answered, pages its lists, and walks agents through an activation of two rounds.
 */
import { Client, type ClientOptions, getAuthHeaders, type Signer, type Transaction, type TypedData } from '../../src/index.js';

export const testKey = 'mw_test_key';
export const testWallet = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
export const leaderOne = '0x00000000219ab540356cbb839cbe05303d7705fa';
export const transactionHash = `0x${'11'.repeat(32)}`;
export const base = 'https://api.example.com/v1';

/** Stands for a signature. */
export function signatureOf(text: string): string {
  return `0x${text.length.toString(16)}`;
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
}

function refuse(status: number, error: string): Response {
  return json({ error, message: 'Do something else.', requestId: 'req', param: 'p', accepted: ['a'], supported: ['base'] }, status);
}

/** What a request came with. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: string;
  init: RequestInit;
}

type Row = Record<string, unknown>;

const typedData = {
  types: { Session: [{ name: 'account', type: 'address' }] },
  primaryType: 'Session',
  domain: { name: 'Mirrorworthy' },
  message: { account: testWallet },
};

/** The steps of a round. */
function steps(round: number): Row[] {
  const step = (name: string, kind: string, more: Row): Row => ({
    step: name,
    kind,
    title: `Title of ${name}`,
    what: 'What.',
    why: 'Why.',
    safety: 'It can never withdraw.',
    cost: 'none',
    walletShows: 'A message.',
    expiresAt: '2026-11-20T13:00:00Z',
    ...more,
  });
  if (round === 0) {
    const transaction = { chainId: 8453, from: testWallet, to: leaderOne, data: '0x01', value: '0x0' };
    return [step('deploy', 'send_transaction', { cost: 'gas', transaction })];
  }
  return round === 1 ? [step('consent', 'sign_message', { message: 'I agree.' }), step('session', 'sign_typed_data', { typedData })] : [];
}

export class Double {
  readonly asked: Asked[] = [];
  readonly agents: Row[] = [];
  readonly rounds = new Map<string, number>();
  readonly #kept = new Map<string, unknown>();
  #hook: Row | undefined;
  /** When set, answers in place of the service, unless it gives undefined. */
  trouble: ((asked: Asked) => Response | undefined) | undefined;

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const asked: Asked = {
      method: init.method ?? 'GET',
      path: url.pathname.replace(/^\/v1/, ''),
      query: url.searchParams,
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? init.body : '',
      init,
    };
    this.asked.push(asked);
    const answer = this.trouble?.(asked) ?? this.#answer(asked, url.host);
    answer.headers.set('X-Request-Id', `req-${this.asked.length}`);
    return answer;
  };

  #answer(asked: Asked, host: string): Response {
    const { method, path, headers } = asked;
    if (headers.get('Authorization') !== `Bearer ${testKey}`) {
      return refuse(401, 'unauthorized');
    }
    if ((method === 'POST') !== headers.has('Idempotency-Key')) {
      return refuse(400, 'wrong_key');
    }
    if (path.startsWith('/copy/agents') && !signedIn(headers, host)) {
      return refuse(401, 'wallet_signature_invalid');
    }
    const key = headers.get('Idempotency-Key') ?? '';
    if (this.#kept.has(key)) {
      return json(this.#kept.get(key));
    }
    const [status, body] = this.#route(asked);
    if (status >= 300) {
      return refuse(status, String(body));
    }
    if (method === 'POST') {
      this.#kept.set(key, body);
    }
    return json(body, status);
  }

  #route({ method, path, query, body }: Asked): [number, unknown] {
    const given: Row = body === '' ? {} : JSON.parse(body);
    switch (`${method} ${path}`) {
      case 'GET /copy/venues':
        return [200, { venues: [{ venue: 'dexvenue-spot', smartAccountAddress: 'The smart account.' }] }];
      case 'GET /copy/leaders': {
        if (query.get('venue') !== 'dexvenue-spot') {
          return [400, 'invalid_param'];
        }
        const rows = [0, 1, 2, 3, 4].map((i) => leaderRow(i + 1, leaderOne.slice(0, 41) + i, 'address'));
        return [200, paged(query, 'rows', rows)];
      }
      case 'GET /copy/spot-leaders': {
        const rows = [leaderRow(1, leaderOne, 'wallet')];
        if (query.get('mirrorableOnly') !== '1') {
          rows.push({
            ...leaderRow(2, testWallet, 'wallet'),
            grade: null,
            assessment: { mirrorable: false, evidence: 'closed-trades', reasons: ['Too thin.'] },
          });
        }
        return [200, paged(query, 'rows', rows)];
      }
      case 'POST /copy-plan':
        return [
          200,
          {
            copy: true,
            plan: { allocationUsd: 250, exclusions: ['Leave out PEPE.'] },
            warnings: ['Thin record.'],
            riskConfig: { maxUsd: '250', copyPercent: 100 },
          },
        ];
      case 'POST /perp-copy-decision':
        return [200, { copy: false, maxLeverage: 3, liqDistancePct: 33.1, fundingCostDaily: null, flags: ['funding-high'] }];
      case 'POST /copy-overlap':
        return [200, { redundant: null, verdict: 'unknown', reasons: ['a'] }];
      case 'POST /wallet-overview':
        return [200, { bundle: 'wallet-overview', ...given }];
      case 'GET /usage':
        return [200, { today: 5 }];
      case 'POST /copy/agents':
        return this.#create(given);
      case 'GET /copy/agents':
        return [200, paged(query, 'agents', this.agents.toReversed())];
      case 'PUT /webhooks':
        this.#hook = { url: given.url, status: 'active' };
        return [200, { ...this.#hook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }];
      case 'GET /webhooks':
        return this.#hook === undefined ? [404, 'not_found'] : [200, this.#hook];
      case 'DELETE /webhooks': {
        const removed = this.#hook !== undefined;
        this.#hook = undefined;
        return [200, { removed }];
      }
      case 'POST /webhooks/test':
        return body === ''
          ? [200, { delivered: false, status: 500, durationMs: 12, reason: 'It answered with status 500.' }]
          : [400, 'invalid_json'];
    }
    const [, id, verb = ''] = /^\/copy\/agents\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
    if (id !== undefined && verb === 'executions') {
      return [200, paged(query, 'executions', executions(id, query.get('status')))];
    }
    const agent = this.agents.find(({ agentId }) => agentId === id);
    return agent === undefined ? [404, 'not_found'] : this.#agent(agent, `${method} ${verb}`, given);
  }

  #create(given: Row): [number, unknown] {
    if (given.venue === undefined) {
      return [400, 'missing_param'];
    }
    const agent = {
      ...given,
      agentId: `ag_${this.agents.length + 1}`,
      status: 'pending_activation',
      mode: 'paper',
      credentialsExpireAt: null,
    };
    this.agents.push(agent);
    return [201, { ...agent, next: 'Activate it.' }];
  }

  #agent(agent: Row, asked: string, given: Row): [number, unknown] {
    switch (asked) {
      case 'GET ':
        return [200, agent];
      case 'GET activation':
        return [200, this.#activation(agent)];
      case 'POST activate':
        return this.#activate(agent, given);
    }
    const status = { 'POST pause': 'paused', 'POST resume': 'active', 'POST stop': 'stopped' }[asked];
    if (status === undefined || agent.status === 'stopped') {
      return [409, 'agent_state_conflict'];
    }
    agent.status = status;
    return [200, agent];
  }

  #activation(agent: Row): Row {
    const open = agent.status === 'stopped' ? [] : steps(this.rounds.get(String(agent.agentId)) ?? 0);
    return { agentId: agent.agentId, status: agent.status, steps: open, expiresAt: null };
  }

  #activate(agent: Row, given: Row): [number, unknown] {
    const id = String(agent.agentId);
    const round = this.rounds.get(id) ?? 0;
    const want = [
      [{ step: 'deploy', txHash: transactionHash }],
      [
        { step: 'consent', signature: signatureOf('I agree.') },
        { step: 'session', signature: signatureOf(JSON.stringify(typedData)) },
      ],
    ][round];
    if (JSON.stringify(given.results) !== JSON.stringify(want)) {
      return [401, 'wallet_signature_invalid'];
    }
    this.rounds.set(id, round + 1);
    if (round === 1) {
      agent.status = 'active';
    }
    return [200, this.#activation(agent)];
  }
}

/** Tells whether the headers carry a message of the wallet for this host. */
function signedIn(headers: Headers, host: string): boolean {
  const message = Buffer.from(headers.get('X-Wallet-Message') ?? '', 'base64url').toString();
  const head = `${host} wants you to sign in with your Ethereum account:\n${headers.get('X-Wallet-Address')}\n`;
  return message.startsWith(head) && headers.get('X-Wallet-Signature') === signatureOf(message);
}

/** A page of two rows under a name. */
function paged(query: URLSearchParams, name: string, rows: Row[]): Row {
  const from = Number((query.get('cursor') ?? 'after-0').replace('after-', ''));
  const to = Math.min(from + 2, rows.length);
  return { [name]: rows.slice(from, to), nextCursor: to < rows.length ? `after-${to}` : null };
}

function leaderRow(rank: number, address: string, field: string): Row {
  return {
    rank,
    [field]: address,
    grade: 'A',
    confidence: null,
    assessment: { mirrorable: true, evidence: 'closed-trades', reasons: ['A copier would have gained.'] },
    extra: 1,
  };
}

function executions(agentId: string, wanted: string | null): Row[] {
  return ['executed', 'skipped', 'executed', 'failed', 'skipped'].flatMap((status, i) =>
    wanted !== null && wanted !== status
      ? []
      : [{ executionId: `ex_${i}`, agentId, status, skipReason: status === 'skipped' ? 'slippage_exceeded' : null, sizeUsd: '12.5' }],
  );
}

/** A wallet whose signatures the double knows, and that keeps what it was given. */
export class TestSigner implements Signer {
  readonly signed: string[] = [];
  /** Thrown instead of signing. */
  problem: Error | undefined;

  async signMessage(text: string): Promise<string> {
    return signatureOf(this.#keep(text));
  }

  async signTypedData(given: TypedData): Promise<string> {
    return signatureOf(this.#keep(JSON.stringify(given)));
  }

  async sendTransaction(sent: Transaction): Promise<string> {
    this.#keep(JSON.stringify(sent));
    return transactionHash;
  }

  #keep(text: string): string {
    this.signed.push(text);
    if (this.problem !== undefined) {
      throw this.problem;
    }
    return text;
  }
}

/** Makes a double, and a client of it with a wallet signed in. */
export function start(more: Partial<ClientOptions> = {}): { double: Double; client: Client } {
  const double = new Double();
  const wallet = new TestSigner();
  const signIn = getAuthHeaders({
    baseUrl: base,
    address: testWallet.toLowerCase(),
    chainId: 8453,
    signMessage: (text) => wallet.signMessage(text),
  });
  return { double, client: new Client({ baseUrl: base, apiKey: testKey, getAuthHeaders: signIn, fetch: double.fetch, ...more }) };
}
