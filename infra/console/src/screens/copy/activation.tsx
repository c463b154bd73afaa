/** Walking a person and their wallet through what makes an agent active. */
import { explainStep, type Signer, type Step } from '@mirrorworthy/client';
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { ProblemNote } from '../../parts/state';
import { Tag } from '../../parts/text';
import { walletProblemOf } from './problems';
import { idle, type Progress, roundsAfter } from './rounds';
import { useWallet } from './use-wallet';

/** The person said no to a round. */
class Declined extends Error {}

/** A signer that tells when it is given something to do, and when that is done. */
function watched(signer: Signer, tell: (event: 'given' | 'done') => void): Signer {
  const watch = async <T,>(call: Promise<T>): Promise<T> => {
    const did = await call;
    tell('done');
    return did;
  };
  return {
    signMessage: (text, options) => {
      tell('given');
      return watch(signer.signMessage(text, options));
    },
    signTypedData: (typedData, options) => {
      tell('given');
      return watch(signer.signTypedData(typedData, options));
    },
    sendTransaction: (transaction, options) => {
      tell('given');
      return watch(signer.sendTransaction(transaction, options));
    },
  };
}

const progressWords: Record<Progress, string> = {
  waiting: 'Not yet',
  'at-wallet': 'In your wallet now',
  done: 'Done',
  failed: 'Not done',
};

const progressTones: Record<Progress, 'unknown' | 'plain' | 'good' | 'caution'> = {
  waiting: 'unknown',
  'at-wallet': 'plain',
  done: 'good',
  failed: 'caution',
};

function StepCard(props: { step: Step; progress: Progress }) {
  const told = explainStep(props.step);
  const { message, typedData, transaction } = props.step;
  return (
    <li class={`step is-${props.progress}`} aria-current={props.progress === 'at-wallet' ? 'step' : undefined}>
      <p class="row">
        <strong>{told.title}</strong>
        <Tag>{told.cost}</Tag>
        <Tag tone={progressTones[props.progress]}>{progressWords[props.progress]}</Tag>
      </p>
      <p class="safety">{told.safety}</p>
      <dl>
        <dt>What</dt>
        <dd>{told.what}</dd>
        <dt>Why</dt>
        <dd>{told.why}</dd>
        <dt>Your wallet shows</dt>
        <dd>{told.walletShows}</dd>
      </dl>
      <details class="unfold">
        <summary>Exactly what is {props.step.kind === 'send_transaction' ? 'sent' : 'signed'}</summary>
        {message !== undefined && <pre>{message}</pre>}
        {typedData !== undefined && <pre>{JSON.stringify(typedData, null, 2)}</pre>}
        {transaction !== undefined && <pre>{JSON.stringify(transaction, null, 2)}</pre>}
      </details>
    </li>
  );
}

export function ActivateAgent(props: { agentId: string; again: boolean; onActive: () => void }) {
  const { wallet, noteOf } = useWallet();
  const [rounds, tell] = useReducer(roundsAfter, idle);
  const answer = useRef<((yes: boolean) => void) | null>(null);
  const run = useRef<AbortController | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const client = wallet?.client ?? null;
  const address = wallet?.address;

  // Whoever leaves the page, or whose wallet is gone, has said yes to nothing more.
  useEffect(() => () => run.current?.abort(), [address]);
  useEffect(() => {
    if (rounds.phase === 'deciding') {
      heading.current?.focus();
    }
  }, [rounds.phase, rounds.phase === 'deciding' ? rounds.round : 0]);

  const begin = async () => {
    if (client === null || wallet === null) {
      return;
    }
    run.current?.abort();
    const given = new AbortController();
    run.current = given;
    tell({ type: 'begun' });
    try {
      await client.activate(
        props.agentId,
        watched(wallet.signer, (type) => !given.signal.aborted && tell({ type })),
        {
          signal: given.signal,
          onRound: async (steps) => {
            tell({ type: 'round', steps });
            const yes = await new Promise<boolean>((resolve) => {
              answer.current = resolve;
              given.signal.addEventListener('abort', () => resolve(false), { once: true });
            });
            answer.current = null;
            if (!yes) {
              throw new Declined();
            }
            tell({ type: 'yes' });
          },
        },
      );
      tell({ type: 'active' });
      props.onActive();
    } catch (error) {
      if (given.signal.aborted) {
        return;
      }
      if (error instanceof Declined) {
        tell({ type: 'no' });
        return;
      }
      noteOf(error);
      tell({ type: 'failed', problem: walletProblemOf(error) });
    }
  };

  const steps = 'steps' in rounds ? rounds.steps : [];
  const progress = 'progress' in rounds ? rounds.progress : [];
  const allDone = progress.length > 0 && progress.every((each) => each === 'done');
  return (
    <div class="activation" aria-busy={rounds.phase === 'asking' || rounds.phase === 'doing'}>
      {rounds.phase === 'idle' && (
        <>
          {rounds.notice && (
            <p class="notice" role="status">
              {rounds.notice}
            </p>
          )}
          <p>
            The service asks your wallet for a few steps, in rounds. You see each round with what it is for before your wallet asks
            anything, and nothing is signed before you say yes.
          </p>
          <button type="button" class="primary" onClick={begin} disabled={client === null}>
            {props.again ? 'Activate again' : 'Begin the activation'}
          </button>
        </>
      )}
      {rounds.phase === 'asking' && (
        <p class="waiting" role="status">
          Asking what your wallet has to do…
        </p>
      )}
      {steps.length > 0 && 'round' in rounds && (
        <>
          <h3 tabIndex={-1} ref={heading}>
            Round {rounds.round}: {steps.length === 1 ? 'one step' : `${steps.length} steps`}
          </h3>
          <ol class="steps">
            {steps.map((step, i) => (
              <StepCard key={step.step} step={step} progress={progress[i] ?? 'waiting'} />
            ))}
          </ol>
        </>
      )}
      {rounds.phase === 'deciding' && (
        <p class="row decide">
          <button type="button" class="primary" onClick={() => answer.current?.(true)}>
            Yes, hand this round to my wallet
          </button>
          <button type="button" onClick={() => answer.current?.(false)}>
            No
          </button>
        </p>
      )}
      {rounds.phase === 'doing' && (
        <p class="waiting" role="status">
          {allDone ? 'Everything is signed. Waiting for the service…' : 'Waiting for your wallet…'}
        </p>
      )}
      {rounds.phase === 'failed' && (
        <>
          <ProblemNote problem={rounds.problem} />
          <button type="button" class="primary" onClick={begin} disabled={client === null}>
            Try again
          </button>
          <p class="fine">It goes on where the service saw it last.</p>
        </>
      )}
    </div>
  );
}
