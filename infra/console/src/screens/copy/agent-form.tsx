/** The limits of a new agent, its account and its mode; and making it. */
import type { CreateAgentRequest, Venue } from '@mirrorworthy/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf } from '../../answer';
import { ProblemNote } from '../../parts/state';
import { type Chain, isAddress } from '../../route';
import { useSession } from '../../session';
import { Field, Tick } from './field';
import type { Suggested } from './flow';
import { walletProblemOf } from './problems';
import { repeatable } from './repeatable';
import { type RiskErrors, type RiskForm, riskConfigOf, riskFormOf } from './risk';
import { smartAccountOf } from './sample';
import { useWallet } from './use-wallet';
import { perps, spot } from './venue';

type Mode = NonNullable<CreateAgentRequest['mode']>;

export function AgentForm(props: {
  venue: Venue;
  leader: string;
  chain: Chain | null;
  suggested: Suggested;
  /** Why no other mode than paper is offered; null where others are. */
  paperAlone: string | null;
  onMade: (agentId: string) => void;
}) {
  const { venue, leader, chain, paperAlone } = props;
  const { market } = useSession();
  const { wallet, noteOf } = useWallet();
  const [risk, setRisk] = useState<RiskForm>(() => riskFormOf(props.suggested));
  const [errors, setErrors] = useState<RiskErrors & { account?: string; live?: string }>({});
  const [account, setAccount] = useState(venue.venue === spot ? '' : (wallet?.address ?? ''));
  const [accountProblem, setAccountProblem] = useState<Problem | null>(null);
  const [mode, setMode] = useState<Mode>('paper');
  const [accepted, setAccepted] = useState(false);
  const [making, setMaking] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const keys = useRef(repeatable(() => crypto.randomUUID()));
  const isPerps = venue.venue === perps;
  const live = venue.modes.includes('live') && paperAlone === null;

  // The sample market has a factory that tells which smart account a wallet has.
  useEffect(() => {
    if (venue.venue !== spot || market === null || chain === null || wallet === null) {
      return;
    }
    let gone = false;
    smartAccountOf(market.accountFactory, chain, wallet.address).then(
      (found) => {
        if (!gone) {
          setAccount(found);
        }
      },
      (error: unknown) => {
        if (!gone) {
          setAccountProblem(problemOf(error));
        }
      },
    );
    return () => {
      gone = true;
    };
  }, [venue.venue, market?.accountFactory, chain, wallet?.address]);

  const make = async () => {
    const read = riskConfigOf(risk, isPerps);
    const typed = account.trim();
    const wrong = {
      ...(read.errors ?? {}),
      ...(isAddress(typed) ? {} : { account: 'An address is 0x and 40 hexadecimal digits.' }),
      ...(mode === 'live' && !accepted ? { live: 'Say that you want real orders, or choose paper.' } : {}),
    };
    setErrors(wrong);
    const client = wallet?.client;
    if (read.risk === null || Object.keys(wrong).length > 0 || !client) {
      return;
    }
    const asked: CreateAgentRequest = {
      venue: venue.venue,
      leaderWalletAddress: leader,
      smartAccountAddress: typed,
      riskConfig: read.risk,
      mode,
      ...(venue.venue === spot && chain !== null ? { chain } : {}),
    };
    setMaking(true);
    setProblem(null);
    try {
      const made = await client.createAgent(asked, { idempotencyKey: keys.current.keyOf(asked) });
      props.onMade(made.agentId);
    } catch (error) {
      keys.current.failed(error);
      noteOf(error);
      setProblem(walletProblemOf(error));
    } finally {
      setMaking(false);
    }
  };

  const field = (name: Exclude<keyof RiskForm, 'copyExisting'>, label: string, hint: string, lines?: number) => (
    <Field
      label={label}
      value={risk[name]}
      onChange={(text) => setRisk((before) => ({ ...before, [name]: text }))}
      hint={hint}
      error={errors[name]}
      {...(lines ? { lines } : { decimal: true })}
    />
  );
  return (
    <form
      class="agent-form"
      aria-busy={making}
      onSubmit={(event) => {
        event.preventDefault();
        if (!making) {
          void make();
        }
      }}
    >
      {props.suggested.source && <p class="fine">{props.suggested.source}</p>}
      <div class="fields">
        {field('maxUsd', 'At most, USD', 'What open copies may cost together.')}
        {field('copyPercent', 'Copy percent', 'Of the leader’s proportions, above 0 to 100.')}
      </div>
      <details class="unfold" open={risk.perPositionCapPct !== '' || risk.excludeTokens !== '' || risk.maxLeverage !== ''}>
        <summary>More limits</summary>
        <div class="fields">
          {isPerps && field('maxLeverage', 'Highest leverage', 'From 1 to 20; 3 when left out.')}
          {field('perPositionCapPct', 'A position at most, %', 'Of the amount above; no such limit when left out.')}
          {field('maxSlippageBps', 'Highest slippage, bps', 'How much worse than the leader’s price, in hundredths of a percent.')}
          {field('dailyLossUsd', 'Loss a day, USD', 'After it nothing is opened until the next UTC day.')}
          {field('excludeTokens', 'Never open', 'Addresses of tokens or the venue’s names, one a line.', 3)}
        </div>
      </details>
      <Tick checked={risk.copyExisting} onChange={(copyExisting) => setRisk((before) => ({ ...before, copyExisting }))}>
        Also open what the leader holds already.
      </Tick>
      <Field
        label="Account that trades"
        value={account}
        onChange={setAccount}
        placeholder="0x…"
        hint={venue.smartAccountAddress}
        error={errors.account}
      />
      {accountProblem && <ProblemNote problem={accountProblem} />}
      <fieldset>
        <legend>Mode</legend>
        <label class="tick">
          <input type="radio" name="mode" checked={mode === 'paper'} onChange={() => setMode('paper')} />
          <span>Paper: orders are filled at the market’s price with the venue’s costs, and no money moves.</span>
        </label>
        {live ? (
          <>
            <label class="tick">
              <input type="radio" name="mode" checked={mode === 'live'} onChange={() => setMode('live')} />
              <span>Live: orders go to the venue, with your money.</span>
            </label>
            {mode === 'live' && (
              <>
                <Tick checked={accepted} onChange={setAccepted}>
                  I want real orders with real money, which can all be lost.
                </Tick>
                {errors.live && (
                  <p class="wrong" role="alert">
                    {errors.live}
                  </p>
                )}
              </>
            )}
          </>
        ) : (
          <p class="fine">{paperAlone ?? 'This venue is offered on paper only here.'}</p>
        )}
      </fieldset>
      {Object.keys(errors).length > 0 && (
        <p class="wrong" role="alert">
          Something above is not right yet.
        </p>
      )}
      {problem && <ProblemNote problem={problem} />}
      <button type="submit" class="primary" disabled={making || !wallet?.client}>
        {making ? 'Making the agent…' : 'Make the agent'}
      </button>
      <p class="fine">Made, it does nothing before you activate it on its own page.</p>
    </form>
  );
}
