/** The whole flow of copying a leader against the real service, on the sample market: its wallets, its chains and its time. */
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyLeader } from '../../example/copy-leader.js';
import {
  ApiError,
  Client,
  type CreateAgentRequest,
  type Execution,
  explainStep,
  getAuthHeaders,
  type Leader,
  NotActivatedError,
  type Signer,
  type Step,
} from '../../src/index.js';
import { injectedWallet, type Provider, requestAccounts } from '../../src/injected.js';
import { type LocalWallet, localWallet } from '../../src/local-wallet.js';
import { chainOf, Market } from './market.js';
import { Receiver } from './receiver.js';

const service = inject('service');
const baseUrl = `${service.url}/v1`;
const risk: CreateAgentRequest['riskConfig'] = { maxUsd: '250', copyPercent: 100, copyExisting: true };

let market: Market;
let wallet: LocalWallet;
let client: Client;
let receiver: Receiver;
let spotLeader: Leader;
let perpsLeader: Leader;
let spotAgent: string;
let perpsAgent: string;
/** All agents of the wallet that were activated. */
const agents: string[] = [];

/** A client with a wallet signed in; the address may be said to be another. */
function clientOf(signer: LocalWallet, address: string = signer.address): Client {
  const signIn = getAuthHeaders({ baseUrl, address, chainId: 8453, signMessage: signer.signMessage, now: market.now });
  return new Client({ baseUrl, apiKey: service.key, getAuthHeaders: signIn, now: market.now });
}

async function refusal(promise: PromiseLike<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) {
    throw new Error(`not from the service: ${error}`);
  }
  return error;
}

async function first(venue: Leader['venue']): Promise<Leader> {
  for await (const leader of client.listLeaders({ venue })) {
    return leader;
  }
  throw new Error(`nobody can be copied at ${venue}`);
}

beforeAll(async () => {
  market = await Market.open(service.url);
  wallet = localWallet(generatePrivateKey(), market.nodes, { pollMs: 20 });
  client = clientOf(wallet);
  receiver = new Receiver(market.now);
  await receiver.open();
});

afterAll(() => {
  receiver?.close();
});

test('leaders are browsed', async () => {
  const venues = await client.listVenues();
  expect(venues.map(({ venue }) => venue).sort()).toEqual(['dexvenue-spot', 'perpvenue-perps', 'predictvenue-markets']);
  spotLeader = await first('dexvenue-spot');
  perpsLeader = await first('perpvenue-perps');
  for (const leader of [spotLeader, perpsLeader]) {
    expect(leader).toMatchObject({ rank: 1, grade: expect.stringMatching(/^[A-F]$/), assessment: { mirrorable: true } });
    expect(leader.assessment.reasons.length).toBeGreaterThan(0);
  }
  const all = await client.listLeaders({ venue: 'dexvenue-spot' });
  expect(all.map(({ rank }) => rank)).toEqual(all.map((_, i) => i + 1));
  const board = await client.get('/copy/leaders', { venue: 'dexvenue-spot', limit: 1 });
  expect(board.total).toBe(all.length);
  const mirrorable = await client.spotLeaders({ mirrorableOnly: true });
  expect(mirrorable.map(({ address }) => address)).toEqual(all.map(({ address }) => address));
  expect((await client.spotLeaders()).length).toBeGreaterThan(mirrorable.length);
});

test('a leader is vetted, and the copy is sized', async () => {
  const chain = chainOf(spotLeader.chain);
  const overview = await client.walletOverview({ wallet: spotLeader.address, chain, tradesLimit: 3 });
  expect([overview.wallet, overview.chain, overview.bundle, overview.failed]).toEqual([
    spotLeader.address,
    chain,
    'wallet-overview',
    undefined,
  ]);
  expect('error' in overview.traderScore ? undefined : overview.traderScore.grade).toBe(spotLeader.grade);
  const plan = await client.copyPlan({ wallet: wallet.address, leadWallet: spotLeader.address, chain });
  expect(plan.plan.capitalPct).toBeGreaterThanOrEqual(0);
  expect(plan.reasons.length).toBeGreaterThan(0);
  const decision = await client.perpCopyDecision({ side: 'long', leverage: 3, fundingRateHourly: 0.00001 });
  expect(typeof decision.copy).toBe('boolean');
  const overlap = await client.copyOverlap({
    wallet: wallet.address,
    leadWallet: spotLeader.address,
    chain,
    leaders: [perpsLeader.address],
  });
  expect(['additive', 'overlapping', 'redundant', 'unknown']).toContain(overlap.verdict);
});

test('webhooks are delivered and believed', async () => {
  expect((await refusal(client.getWebhook())).code).toBe('not_found');
  const { secret = '' } = await client.putWebhook({ url: receiver.url });
  receiver.secret = secret;
  expect(await client.testWebhook()).toMatchObject({ delivered: true, status: 204 });
  expect([receiver.events.size, receiver.refused]).toEqual([1, []]);
  expect(await client.getWebhook()).toMatchObject({ url: receiver.url, status: 'active' });
});

/** Makes an agent and has a wallet activate it; gives what was shown on the way. */
async function create(
  venue: Leader['venue'],
  leader: Leader,
  signer: Signer,
  owner: LocalWallet,
  of: Client,
): Promise<{ agentId: string; shown: Step[][] }> {
  const request: CreateAgentRequest = { venue, smartAccountAddress: owner.address, leaderWalletAddress: leader.address, riskConfig: risk };
  if (leader.chain !== null) {
    request.chain = chainOf(leader.chain);
    request.smartAccountAddress = await market.smartAccount(request.chain, owner.address);
  }
  const agent = await of.createAgent(request);
  expect(agent).toMatchObject({
    venue,
    status: 'pending_activation',
    riskConfig: { maxUsd: '250' },
    walletAddress: owner.address.toLowerCase(),
  });
  expect((await of.getActivation(agent.agentId)).steps.length).toBeGreaterThan(0);
  const shown: Step[][] = [];
  const active = await of.activate(agent.agentId, signer, {
    onRound: (steps) => {
      shown.push([...steps]);
    },
  });
  expect([active.status, active.steps]).toEqual(['active', []]);
  expect(Date.parse((await of.getAgent(agent.agentId)).credentialsExpireAt ?? '')).toBeGreaterThan(market.now());
  return { agentId: agent.agentId, shown };
}

test('agents are made and activated by a wallet', async () => {
  const spot = await create('dexvenue-spot', spotLeader, wallet, wallet, client);
  spotAgent = spot.agentId;
  const perps = await create('perpvenue-perps', perpsLeader, wallet, wallet, client);
  perpsAgent = perps.agentId;
  const steps = [...spot.shown, ...perps.shown].flat();
  expect(new Set(steps.map(({ kind }) => kind)).size).toBeGreaterThan(1);
  for (const step of steps) {
    const { cost, ...words } = explainStep(step);
    expect(words).toEqual({ title: step.title, what: step.what, why: step.why, safety: step.safety, walletShows: step.walletShows });
    expect(['no gas', 'network fee', 'network fee (may be covered)']).toContain(cost);
  }
  agents.push(spotAgent, perpsAgent);
  // Which leader does something next is as on a real market: several are followed, those first that have something open.
  for (const venue of ['perpvenue-perps', 'predictvenue-markets'] as const) {
    for (const leader of (await busiest(venue)).slice(0, 3)) {
      agents.push((await create(venue, leader, wallet, wallet, client)).agentId);
    }
  }
  expect((await client.listAgents()).map(({ agentId }) => agentId)).toEqual(agents.toReversed());
});

/** The leaders of a venue, those first that have something open where that can be told. */
async function busiest(venue: Leader['venue']): Promise<Leader[]> {
  const leaders = (await client.listLeaders({ venue })).slice(0, 10);
  const open = new Map<string, number>();
  for (const { address } of venue === 'perpvenue-perps' ? leaders : []) {
    open.set(address, (await client.post('/perp-wallet', { wallet: address })).positions.length);
  }
  const has = ({ address }: Leader) => Number((open.get(address) ?? 0) > 0);
  return leaders.toSorted((a, b) => has(b) - has(a));
}

/** A browser's wallet, with a key in memory behind it. */
function providerOf(signer: LocalWallet): Provider {
  let chainId = 8453;
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_requestAccounts: () => [signer.address],
    eth_chainId: () => `0x${chainId.toString(16)}`,
    wallet_switchEthereumChain: ([to]) => {
      chainId = Number((to as { chainId: string }).chainId);
      return null;
    },
    personal_sign: ([text]) => signer.signMessage(Buffer.from(String(text).slice(2), 'hex').toString()),
    eth_signTypedData_v4: ([, text]) => signer.signTypedData(JSON.parse(String(text))),
    eth_sendTransaction: ([sent]) => {
      const { from, to, data, value } = sent as { from: Hex; to: Hex; data: Hex; value: Hex };
      return signer.sendTransaction({ chainId, from, to, data, value });
    },
    eth_getTransactionReceipt: async (params) => {
      const answer = await fetch(String(market.nodes[chainId]), {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params }),
        headers: { 'Content-Type': 'application/json' },
        signal: AbortSignal.timeout(10_000),
      });
      return ((await answer.json()) as { result: unknown }).result;
    },
  };
  return { request: async ({ method, params = [] }) => answers[method]?.(params) };
}

test('a wallet of a browser activates agents as well', async () => {
  const owner = localWallet(generatePrivateKey(), market.nodes, { pollMs: 20 });
  const provider = providerOf(owner);
  const [address = ''] = await requestAccounts(provider);
  const injected = injectedWallet(provider, address, { pollMs: 20 });
  const signIn = getAuthHeaders({ baseUrl, address, chainId: 8453, signMessage: injected.signMessage, now: market.now });
  const own = new Client({ baseUrl, apiKey: service.key, getAuthHeaders: signIn, now: market.now });
  for (const [venue, leader] of [
    ['dexvenue-spot', spotLeader],
    ['perpvenue-perps', perpsLeader],
  ] as const) {
    const { agentId } = await create(venue, leader, injected, owner, own);
    expect((await own.stop(agentId)).status).toBe('stopped');
  }
});

test('the example of the README runs', async () => {
  const owner = localWallet(generatePrivateKey(), market.nodes, { pollMs: 20 });
  const asked: string[] = [];
  const confirm = (text: string) => {
    asked.push(text);
    return true;
  };
  const copied = await copyLeader(baseUrl, service.key, providerOf(owner), confirm);
  expect(copied).toEqual({ agentId: expect.stringMatching(/^ag_/), executions: [] });
  expect(asked.length).toBeGreaterThan(0);
  await expect(copyLeader(baseUrl, service.key, providerOf(owner), () => false)).rejects.toThrow('not confirmed');
});

test('another wallet is refused', async () => {
  const stranger = localWallet(generatePrivateKey(), market.nodes);
  const others = clientOf(stranger);
  expect((await refusal(others.getAgent(perpsAgent))).code).toBe('not_found');
  expect((await refusal(others.stop(perpsAgent))).code).toBe('not_found');
  expect(await others.listAgents()).toEqual([]);
  // Who says to be another wallet is not believed.
  const liar = clientOf(stranger, wallet.address);
  expect(await refusal(liar.listAgents())).toMatchObject({ status: 401, code: 'wallet_signature_invalid' });
  // What another wallet signs does not activate an agent.
  const { agentId } = await client.createAgent({
    venue: 'perpvenue-perps',
    smartAccountAddress: wallet.address,
    leaderWalletAddress: perpsLeader.address,
    riskConfig: risk,
  });
  const error = await refusal(client.activate(agentId, stranger));
  expect([error.status, error.code]).toEqual([401, 'wallet_signature_invalid']);
  expect((await client.getAgent(agentId)).status).toBe('pending_activation');
  const wrongKey = new Client({ baseUrl, apiKey: `${service.key.slice(0, -1)}${service.key.endsWith('a') ? 'b' : 'a'}` });
  expect(await refusal(wrongKey.listVenues())).toMatchObject({ status: 401, code: 'unauthorized' });
});

test('what agents did is listed, with what was skipped', async () => {
  const hour = 3600_000;
  let all: Execution[] = [];
  const done = () => {
    const opened = all.some(({ status, leg }) => leg === 'open' && (status === 'executed' || status === 'partial'));
    return opened && all.some(({ status }) => status === 'skipped');
  };
  await market.advance('1m', 60_000);
  // Fourteen days at most.
  for (let step = 0; step < 56 && !done(); step++) {
    await market.advance('6h', 6 * hour);
    all = [];
    for (const agentId of agents) {
      for await (const execution of client.listExecutions(agentId)) {
        all.push(execution);
      }
    }
  }
  expect(done()).toBe(true);
  expect(new Set(all.map(({ executionId }) => executionId)).size).toBe(all.length);
  for (const execution of all) {
    expect(execution.skipReason !== null).toBe(execution.status === 'skipped');
    expect(execution.reason).not.toBe('');
    expect(execution.sizeUsd === null || /^-?\d+(\.\d+)?$/.test(execution.sizeUsd)).toBe(true);
  }
  const skipped = all.find(({ status }) => status === 'skipped');
  const { executions } = await client.listExecutions(skipped?.agentId ?? '', { status: 'skipped', limit: 1 });
  expect(executions).toHaveLength(1);
  expect(executions[0]?.status).toBe('skipped');
  expect([...receiver.events.values()].map(({ type }) => type)).toContain('execution.skipped');
  expect(receiver.refused).toEqual([]);
}, 300_000);

test('agents are paused, resumed and stopped', async () => {
  expect((await client.pause(spotAgent)).status).toBe('paused');
  expect((await client.resume(spotAgent)).status).toBe('active');
  expect((await client.stop(spotAgent)).status).toBe('stopped');
  expect((await client.getAgent(spotAgent)).status).toBe('stopped');
  expect((await refusal(client.resume(spotAgent))).status).toBe(409);
  await expect(client.activate(spotAgent, wallet)).rejects.toThrow(NotActivatedError);
});

test('an agent whose credentials lapsed is activated again', async () => {
  const { credentialsExpireAt } = await client.getAgent(perpsAgent);
  const hours = Math.ceil((Date.parse(credentialsExpireAt ?? '') - market.now()) / 3600_000) + 1;
  await market.advance(`${hours}h`, hours * 3600_000);
  expect((await client.getAgent(perpsAgent)).status).toBe('expired');
  expect(await refusal(client.resume(perpsAgent))).toMatchObject({ status: 409, code: 'agent_expired' });
  expect((await client.activate(perpsAgent, wallet)).status).toBe('active');
  expect((await client.stop(perpsAgent)).status).toBe('stopped');
  expect([...receiver.events.values()].map(({ type }) => type)).toContain('agent.expired');
  expect(await client.deleteWebhook()).toEqual({ removed: true });
}, 300_000);
