/** How much should follow a leader on a chain: the plan of the service as a sheet to confirm, and what else the wallet copies already. */
import type { PostAnswer } from '@mirrorworthy/client';
import { useEffect, useState } from 'preact/hooks';
import { useAnswer } from '../../answer';
import { Confidence, Grade, Verdict } from '../../parts/grade';
import { Meter } from '../../parts/meter';
import { Answered } from '../../parts/state';
import { Disclosure, Measure, Measures, Reasons, Tag } from '../../parts/text';
import { type Chain, isAddress } from '../../route';
import { useSession } from '../../session';
import { number, percent, share, word } from '../../words';
import { Choice, Field } from './field';
import type { Advice } from './flow';
import { Overlap } from './overlap';
import { Says } from './says';

type Plan = PostAnswer<'/copy-plan'>;
type Profile = Plan['riskProfile'];

const profiles: readonly { value: Profile; label: string }[] = [
  { value: 'conservative', label: 'Conservative: half of it' },
  { value: 'moderate', label: 'Moderate' },
  { value: 'aggressive', label: 'Aggressive: half more, where no cap is in the way' },
];

/** What a plan means for the choice of a copy. */
export function adviceOfPlan(plan: Plan): Advice {
  const risk = plan.riskConfig;
  return {
    copy: plan.copy,
    lines: [...plan.warnings, ...plan.plan.exclusions],
    suggested:
      risk === null
        ? { source: 'The plan suggests no limits, since there is nothing to copy or no money is known to copy with.' }
        : {
            maxUsd: risk.maxUsd,
            copyPercent: String(risk.copyPercent),
            perPositionCapPct: String(risk.perPositionCapPct),
            excludeTokens: risk.excludeTokens,
            source: 'The limits are those of the plan.',
          },
  };
}

const limitNames: Record<Plan['limits'][number]['name'], string> = {
  kelly: 'What past copies support',
  volatility: 'How far copies swing',
  grade: 'The leader’s grade',
  trial: 'A trial',
  maximum: 'The most for one leader',
  'running-copies': 'What runs already',
};

function PlanSheet(props: { plan: Plan; disclosure: string | null }) {
  const { plan } = props;
  const { copier, coverage } = plan;
  const most = Math.max(1, ...plan.limits.map((limit) => limit.pct ?? 0));
  return (
    <section class="sheet" aria-label="The plan">
      <Says copy={plan.copy} trial={plan.trial} />
      <p class="row">
        <Grade grade={plan.grade} confidence={plan.confidence} /> <Verdict verdict={plan.verdict} />
        <Confidence confidence={plan.confidence} sampleSize={plan.sampleSize} />
        <Tag>{word(plan.riskProfile)}</Tag>
      </p>
      <Reasons reasons={plan.reasons} label="Reasons of the plan" />
      <Measures>
        <Measure label="Of your money on the chain">{percent(plan.plan.capitalPct, { digits: 2 })}</Measure>
        <Measure label="That is">{plan.plan.allocationUsd === null ? null : `${number(plan.plan.allocationUsd, 2)} USD`}</Measure>
        <Measure label="A position at most">{percent(plan.plan.perPositionCapPct, { digits: 2 })}</Measure>
      </Measures>
      <h3>What limits it</h3>
      <div class="limits">
        {plan.limits.map((limit) => (
          <Meter
            key={limit.name}
            label={limitNames[limit.name] ?? word(limit.name)}
            value={limit.pct}
            of={most}
            text={`${percent(limit.pct, { digits: 2 })}${limit.binds ? ' · binds' : ''}`}
            tone={limit.binds ? 'caution' : 'plain'}
          />
        ))}
      </div>
      {plan.plan.exclusions.length > 0 && (
        <>
          <h3>Left out</h3>
          <Reasons reasons={plan.plan.exclusions} label="Exclusions" />
        </>
      )}
      {plan.warnings.length > 0 && (
        <section class="warnings" aria-label="Warnings">
          <h3>Warnings</h3>
          <Reasons reasons={plan.warnings} label="Warnings" />
        </section>
      )}
      <h3>How a delayed copier would have fared, simulated</h3>
      <Measures>
        <Measure label="Trades simulated">{number(copier.simulatedTrades, 0)}</Measure>
        <Measure label="Won">{share(copier.winRate)}</Measure>
        <Measure label="Result in the middle">{percent(copier.medianReturnPct, { sign: true })}</Measure>
        <Measure label="Result on average">{percent(copier.meanReturnPct, { sign: true })}</Measure>
        <Measure label="Swing in a year">{percent(copier.volatilityPct)}</Measure>
      </Measures>
      <Disclosure text={props.disclosure} />
      <h3>What it rests on</h3>
      <Measures>
        <Measure label="Tokens whose risk was looked at">{number(coverage.tokensAssessed, 0)}</Measure>
        <Measure label="Tokens not looked at">{number(coverage.tokensUnassessed, 0)}</Measure>
        <Measure label="Running copies compared">{number(coverage.copiesCompared, 0)}</Measure>
        <Measure label="Running copies not compared">{number(coverage.copiesUncompared, 0)}</Measure>
      </Measures>
    </section>
  );
}

export function SizeSpot(props: {
  leader: string;
  chain: Chain;
  wallet: string | null;
  disclosure: string | null;
  onAdvice: (advice: Advice | null) => void;
}) {
  const { market } = useSession();
  const [wallet, setWallet] = useState(props.wallet ?? '');
  const [profile, setProfile] = useState<Profile>('moderate');
  const [wrong, setWrong] = useState(false);
  const [asked, setAsked] = useState<{ wallet: string; profile: Profile } | null>(null);
  const plan = useAnswer(asked === null ? null : `plan ${asked.wallet} ${asked.profile} ${props.leader} ${props.chain}`, (client, signal) =>
    client.copyPlan(
      { wallet: asked?.wallet ?? '', leadWallet: props.leader, chain: props.chain, riskProfile: asked?.profile ?? 'moderate' },
      { signal },
    ),
  );
  useEffect(() => {
    props.onAdvice(plan.answer ? adviceOfPlan(plan.answer) : null);
  }, [plan.answer]);
  const offers = (market?.wallets ?? [])
    .filter((sample) => sample.chain === props.chain)
    .map((sample) => ({ value: sample.address, label: sample.about }));
  return (
    <>
      <p>The service plans with what a wallet holds on {props.chain}: its dollar coins and native coin.</p>
      <form
        class="size-form"
        onSubmit={(event) => {
          event.preventDefault();
          const text = wallet.trim();
          setWrong(!isAddress(text));
          if (isAddress(text)) {
            setAsked({ wallet: text, profile });
          }
        }}
      >
        <Field
          label="Your wallet"
          value={wallet}
          onChange={(text) => {
            setWallet(text);
            setAsked(null);
          }}
          placeholder="0x…"
          error={wrong ? 'An address is 0x and 40 hexadecimal digits.' : undefined}
          {...(offers.length > 0 ? { offers, hint: 'Of the simulated market: any of its wallets.' } : {})}
        />
        <Choice
          label="Risk"
          value={profile}
          options={profiles}
          onChange={(chosen) => {
            setProfile(chosen);
            setAsked((before) => (before === null ? null : { ...before, profile: chosen }));
          }}
        />
        <button type="submit" class="primary">
          Plan the copy
        </button>
      </form>
      {asked !== null && (
        <Answered asked={plan} what="Planning">
          {(answer) => <PlanSheet plan={answer} disclosure={props.disclosure} />}
        </Answered>
      )}
      <Overlap leader={props.leader} chain={props.chain} wallet={isAddress(wallet.trim()) ? wallet.trim() : null} />
    </>
  );
}
