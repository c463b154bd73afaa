/** Walking a wallet through the steps that make an agent active. */
import { AnswerError, ApiError, NotActivatedError, PendingError, StepError, UnknownStepError } from './errors.js';
import type { Step } from './explain.js';
import { pause } from './retry.js';
import type { Schemas } from './schemas.js';
import { holdsInexactNumber, isTypedData, type Signer, type SignerOptions } from './signer.js';
import type { CallOptions, Transport } from './transport.js';

/** How far an agent's activation is. `steps` are those of this round; none once the agent is active. */
export type Activation = Schemas['AgentSteps'];

/** What else an activation takes. */
export interface ActivateOptions extends CallOptions {
  /**
   * Called with the steps of each round before the first of them is done. What it throws ends the activation before anything of the round
   * is signed: it is where a person says no.
   */
  onRound?: ((steps: readonly Step[]) => void | Promise<void>) | undefined;
}

/** What came of a step. */
interface Result {
  step: string;
  signature?: string;
  txHash?: string;
}

/** Bounds the rounds of an activation. */
const mostRounds = 20;

/** Bounds how often the results of a round are sent while a transaction is on its way. */
const mostPending = 100;

/** Asks what the wallet must do next for an agent to be active. */
export function askActivation(transport: Transport, path: string, options: CallOptions | undefined): Promise<Activation> {
  return transport.call<Activation>({ signal: options?.signal, method: 'GET', path: `${path}/activation`, wallet: true });
}

/** Has a wallet do all steps of an agent's activation, round after round, until the agent is active. */
export async function activate(transport: Transport, path: string, signer: Signer, options: ActivateOptions): Promise<Activation> {
  let at = await askActivation(transport, path, options);
  for (let round = 0; stepsOf(at).length > 0; round++) {
    if (round === mostRounds) {
      throw new NotActivatedError(`the agent is not active after ${round} rounds`);
    }
    at = await doRound(transport, path, stepsOf(at), signer, options);
  }
  if (at.status !== 'active') {
    throw new NotActivatedError(`the agent is not active: it is ${at.status}`);
  }
  return at;
}

function stepsOf(at: Activation): readonly Step[] {
  if (!Array.isArray(at.steps)) {
    throw new AnswerError('an activation without steps');
  }
  return at.steps;
}

/** Does the steps of a round and sends what came of them. */
async function doRound(
  transport: Transport,
  path: string,
  steps: readonly Step[],
  signer: Signer,
  { onRound, signal }: ActivateOptions,
): Promise<Activation> {
  // All are looked at before the first is done: what cannot be finished is not begun.
  const todo = steps.map((step) => ({ step, act: actOf(step) }));
  await onRound?.([...steps]);
  const results: Result[] = [];
  for (const { step, act } of todo) {
    signal?.throwIfAborted();
    try {
      results.push({ step: step.step, ...(await act(signer, { signal })) });
    } catch (error) {
      // Of a transaction that was sent its hash is told, whoever ended the wait for it.
      if (signal?.aborted && !(error instanceof PendingError)) {
        throw signal.reason;
      }
      throw new StepError(step.step, error);
    }
  }
  for (let tried = 1; ; tried++) {
    try {
      return await transport.call<Activation>({ signal, method: 'POST', path: `${path}/activate`, body: { results }, wallet: true });
    } catch (error) {
      // A transaction that is in no block yet may take longer than a request is repeated for.
      const wait = error instanceof ApiError && error.status === 409 ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      if (wait === 0 || wait > transport.maximumWaitMs || tried === mostPending) {
        throw error;
      }
      await pause(wait, signal);
    }
  }
}

type Act = (signer: Signer, options: SignerOptions) => Promise<Omit<Result, 'step'>>;

/** What the wallet is to do in a step. It throws where this version does not know the kind of step, or its content is not there. */
function actOf(step: Step): Act {
  const { message, typedData, transaction } = step;
  switch (step.kind) {
    case 'sign_message':
      if (!message) {
        break;
      }
      return async (signer, options) => ({ signature: await signer.signMessage(message, options) });
    case 'sign_typed_data':
      if (!isTypedData(typedData) || holdsInexactNumber(typedData)) {
        break;
      }
      return async (signer, options) => ({ signature: await signer.signTypedData(typedData, options) });
    case 'send_transaction':
      if (!transaction) {
        break;
      }
      return async (signer, options) => ({ txHash: await signer.sendTransaction(transaction, options) });
    default:
      throw new UnknownStepError(`${String(step.kind)} of step ${String((step as Step).step)} is not known`);
  }
  throw new AnswerError(`step ${step.step} has nothing to sign`);
}
