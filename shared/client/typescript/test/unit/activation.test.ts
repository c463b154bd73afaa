/** Walking a wallet through an activation, and where that stops. */
import { expect, test } from 'vitest';
import {
  AnswerError,
  ApiError,
  type Client,
  NotActivatedError,
  PendingError,
  type Signer,
  type Step,
  StepError,
  UnknownStepError,
} from '../../src/index.js';
import { json, leaderOne, start, TestSigner, testWallet, transactionHash } from './double.js';

async function create(client: Client): Promise<string> {
  const { agentId } = await client.createAgent({
    venue: 'dexvenue-spot',
    smartAccountAddress: testWallet,
    leaderWalletAddress: leaderOne,
    riskConfig: { maxUsd: '250', copyPercent: 50 },
  });
  return agentId;
}

test('a wallet does all steps, round after round', async () => {
  const { client, double } = start();
  const agentId = await create(client);
  expect((await client.getActivation(agentId)).steps.map(({ step }) => step)).toEqual(['deploy']);
  const wallet = new TestSigner();
  const rounds: string[][] = [];
  const done = await client.activate(agentId, wallet, {
    onRound: (steps) => {
      // Nothing of the round is signed yet.
      rounds.push([...steps.map(({ step }) => step), String(wallet.signed.length)]);
    },
  });
  expect([done.status, done.steps]).toEqual(['active', []]);
  expect(rounds).toEqual([
    ['deploy', '0'],
    ['consent', 'session', '1'],
  ]);
  expect(wallet.signed).toEqual([
    `{"chainId":8453,"from":"${testWallet}","to":"${leaderOne}","data":"0x01","value":"0x0"}`,
    'I agree.',
    expect.stringContaining('"primaryType":"Session"'),
  ]);
  // What is active already has no steps.
  expect((await client.activate(agentId, new TestSigner())).status).toBe('active');
  expect(double.asked.filter(({ path }) => path.endsWith('/activate'))).toHaveLength(2);
});

test('a person says no before anything of the round is signed', async () => {
  const { client, double } = start();
  const agentId = await create(client);
  const wallet = new TestSigner();
  const no = new Error('no');
  const says = [
    () => {
      throw no;
    },
    () => Promise.reject(no),
  ];
  for (const onRound of says) {
    await expect(client.activate(agentId, wallet, { onRound })).rejects.toBe(no);
  }
  expect(wallet.signed).toEqual([]);
  wallet.problem = no;
  const error = await client.activate(agentId, wallet).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StepError);
  expect(error).toMatchObject({ step: 'deploy', cause: no, message: 'step deploy: no' });
  expect(double.rounds.size).toBe(0);
  // What the callback does with the steps changes nothing.
  const changed = (steps: readonly Step[]) => {
    (steps as Step[]).pop();
  };
  expect((await client.activate(agentId, new TestSigner(), { onRound: changed })).status).toBe('active');
});

const step = (more: object) => ({
  status: 'pending_activation',
  steps: [
    { step: 'a', kind: 'sign_message', message: 'x' },
    { step: 'b', ...more },
  ],
});
const typed = (message: unknown) => ({ types: { T: [{ name: 'n', type: 'uint256' }] }, primaryType: 'T', domain: {}, message });

test.each<[string, unknown, new (...given: never[]) => Error]>([
  ['a kind that is not known', step({ kind: 'scan_eye' }), UnknownStepError],
  ['a message that is not there', step({ kind: 'sign_message' }), AnswerError],
  ['a transaction that is not there', step({ kind: 'send_transaction', transaction: null }), AnswerError],
  ['typed data that are not there', step({ kind: 'sign_typed_data' }), AnswerError],
  ['typed data without types', step({ kind: 'sign_typed_data', typedData: { primaryType: 'T', domain: {}, message: {} } }), AnswerError],
  ['typed data of a type that is not there', step({ kind: 'sign_typed_data', typedData: { ...typed({}), primaryType: 'U' } }), AnswerError],
  ['stopped', { status: 'stopped', steps: [] }, NotActivatedError],
  ['no steps', { status: 'active' }, AnswerError],
  ['not JSON', '<html>', AnswerError],
])('nothing is signed where the answer is not understood: %s', async (_, body, want) => {
  const { client, double } = start();
  const agentId = await create(client);
  double.trouble = () => json(body);
  const wallet = new TestSigner();
  await expect(client.activate(agentId, wallet)).rejects.toThrow(want);
  expect(wallet.signed).toEqual([]);
});

test('a number that JSON does not carry exactly is not signed', async () => {
  const { client, double } = start();
  const agentId = await create(client);
  const wallet = new TestSigner();
  for (const number of ['9007199254740993', '1e300']) {
    double.trouble = () =>
      json(
        `{"status":"pending_activation","steps":[{"step":"a","kind":"sign_typed_data","typedData":${JSON.stringify(typed({ n: [1] })).replace('[1]', `[${number}]`)}}]}`,
      );
    await expect(client.activate(agentId, wallet)).rejects.toThrow(AnswerError);
  }
  expect(wallet.signed).toEqual([]);
});

test('an activation that never ends is given up, and can be done again', async () => {
  const { client, double } = start();
  const agentId = await create(client);
  const wallet = new TestSigner();
  double.trouble = () => json({ status: 'pending_activation', steps: [{ step: 'a', kind: 'sign_message', message: 'x' }] });
  await expect(client.activate(agentId, wallet)).rejects.toThrow(NotActivatedError);
  expect(wallet.signed).toHaveLength(20);
  double.trouble = undefined;
  expect((await client.activate(agentId, new TestSigner())).status).toBe('active');
});

test('results that the service refuses are an error of the service', async () => {
  const { client } = start();
  const agentId = await create(client);
  const liar: Signer = { signMessage: async () => '0x', signTypedData: async () => '0x', sendTransaction: async () => '0x' };
  const error = await client.activate(agentId, liar).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toHaveProperty('code', 'wallet_signature_invalid');
});

test('a signal ends an activation, and a hash is told nevertheless', async () => {
  const { client } = start();
  const agentId = await create(client);
  const abort = new AbortController();
  const wallet = new TestSigner();
  const enough = new Error('enough');
  await expect(client.activate(agentId, wallet, { signal: abort.signal, onRound: () => abort.abort(enough) })).rejects.toBe(enough);
  expect(wallet.signed).toEqual([]);
  const waiting = new AbortController();
  wallet.sendTransaction = async (_, options?: { signal?: AbortSignal | undefined }) => {
    waiting.abort(enough);
    throw new PendingError(transactionHash, options?.signal?.reason);
  };
  const error = await client.activate(agentId, wallet, { signal: waiting.signal }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ step: 'deploy', cause: { hash: transactionHash, cause: enough } });
});
