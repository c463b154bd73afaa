/** How much should follow a leader on perpetuals: what the service decides of one of its trades. */
import type { PostAnswer } from '@mirrorworthy/client';
import { useEffect, useState } from 'preact/hooks';
import { useAnswer } from '../../answer';
import type { GradeLetter } from '../../parts/grade';
import { Answered } from '../../parts/state';
import { Measure, Measures, Reasons, Tag } from '../../parts/text';
import { count, number, percent, share, word } from '../../words';
import { type DecisionErrors, type DecisionForm, decisionFormOf, decisionOf, numbers } from './decision';
import { Choice, Field } from './field';
import type { Advice } from './flow';
import { Says } from './says';

type Decision = PostAnswer<'/perp-copy-decision'>;

/** The highest leverage that an agent takes. */
const highest = 20;

/** What a decision means for the choice of a copy. */
export function adviceOfDecision(decision: Decision): Advice {
  return {
    copy: decision.copy,
    lines: decision.flags,
    suggested: decision.copy
      ? {
          copyPercent: String(Number((100 * decision.sizeFactor).toFixed(4))),
          maxLeverage: String(Math.min(highest, decision.maxLeverage)),
          source: `Copy percent and leverage are those of the decision on one trade: the size factor of ${decision.sizeFactor}, and the highest leverage.`,
        }
      : { source: 'The decision suggests no limits, since it is against the copy.' },
  };
}

/** What the decision used, with where each figure is from. */
const assumed: readonly { name: keyof Decision['assumptions']; label: string; text: (value: number | null) => string }[] = [
  { name: 'maxLeverage', label: 'The venue’s highest leverage', text: (value) => (value === null ? number(null) : `${number(value)}x`) },
  { name: 'maintenanceMarginRate', label: 'Maintenance margin', text: (value) => share(value, 2) },
  { name: 'dailyVolPct', label: 'Daily volatility', text: (value) => percent(value, { digits: 2 }) },
  { name: 'holdHours', label: 'Held for', text: (value) => (value === null ? number(null) : count(value, 'hour')) },
];

const sources: Record<string, string> = { request: 'as you gave it', venue: 'from the venue', default: 'assumed' };

function DecisionSheet(props: { decision: Decision }) {
  const { decision } = props;
  return (
    <section class="sheet" aria-label="The decision">
      <Says copy={decision.copy} />
      {decision.flags.length > 0 && (
        <p class="row" role="note" aria-label="Flags">
          {decision.flags.map((flag) => (
            <Tag key={flag} tone="caution">
              {flag}
            </Tag>
          ))}
        </p>
      )}
      <Reasons reasons={decision.reasons} label="Reasons of the decision" />
      <Measures>
        <Measure label="Size of a full copy">{share(decision.sizeFactor)}</Measure>
        <Measure label="Highest leverage">{decision.maxLeverage === 0 ? 'None: funding rules it out' : `${decision.maxLeverage}x`}</Measure>
        <Measure label="Liquidation is away by">{percent(decision.liqDistancePct, { digits: 2 })}</Measure>
        <Measure label="Chance to touch it">{share(decision.touchProbability, 1)}</Measure>
        <Measure label="Funding a day">{percent(decision.fundingCostDaily, { digits: 3, sign: true })}</Measure>
        <Measure label="Your margin for it">{decision.allocationUsd === null ? null : `${number(decision.allocationUsd, 2)} USD`}</Measure>
      </Measures>
      <h3>What it assumes</h3>
      <Measures>
        {assumed.map(({ name, label, text }) => {
          const { value, source } = decision.assumptions[name];
          return (
            <Measure key={name} label={label}>
              {text(value)} <Tag tone={source === 'default' ? 'caution' : 'plain'}>{sources[source] ?? word(source)}</Tag>
            </Measure>
          );
        })}
      </Measures>
    </section>
  );
}

const grades: readonly { value: GradeLetter | ''; label: string }[] = [
  { value: '', label: 'Unrated' },
  ...(['A', 'B', 'C', 'D', 'F'] as const).map((grade) => ({ value: grade, label: grade })),
];

export function SizePerps(props: { leader: string; grade: GradeLetter | null; onAdvice: (advice: Advice | null) => void }) {
  const [form, setForm] = useState<DecisionForm>(() => decisionFormOf({ grade: props.grade }));
  const [errors, setErrors] = useState<DecisionErrors>({});
  const [asked, setAsked] = useState<ReturnType<typeof decisionOf>['asked']>(null);
  const positions = useAnswer(`perp ${props.leader}`, (client, signal) =>
    client.post('/perp-wallet', { wallet: props.leader }, { signal }),
  );
  const decision = useAnswer(asked === null ? null : `decision ${JSON.stringify(asked)}`, (client, signal) => {
    if (asked === null) {
      throw new Error('nothing is asked');
    }
    return client.perpCopyDecision(asked, { signal });
  });
  useEffect(() => {
    props.onAdvice(decision.answer ? adviceOfDecision(decision.answer) : null);
  }, [decision.answer]);
  const change = (part: Partial<DecisionForm>) => {
    setForm((before) => ({ ...before, ...part }));
    setAsked(null);
  };
  const field = ({ name, label }: (typeof numbers)[number]) => (
    <Field
      key={name}
      label={label}
      value={form[name]}
      onChange={(text) => change({ [name]: text })}
      error={errors[name]}
      decimal
      {...(name === 'fundingRateHourly'
        ? { hint: 'As a fraction of the position: 0.0000125 is 0.00125 %. Positive when longs pay.', placeholder: '0.0000125' }
        : name === 'holdHours'
          ? { placeholder: '24' }
          : {})}
    />
  );
  return (
    <>
      <p>The service decides about one trade of the leader: whether to copy it now, how large, and at which leverage.</p>
      <Answered asked={positions} what="Asking for the leader’s open positions">
        {(wallet) =>
          wallet.positions.length === 0 ? (
            <p class="fine">The leader has no position open now. Describe a trade that you would copy.</p>
          ) : (
            <fieldset class="row">
              <legend>Open now: take one over</legend>
              {wallet.positions.map((position) => (
                <button
                  type="button"
                  key={`${position.coin} ${position.side}`}
                  onClick={() =>
                    change({
                      coin: position.coin,
                      side: position.side,
                      leverage: position.leverage === null ? '' : String(position.leverage),
                    })
                  }
                >
                  {position.side} {position.coin}, leverage {position.leverage === null ? 'not measured' : `${position.leverage}x`}
                </button>
              ))}
            </fieldset>
          )
        }
      </Answered>
      <form
        class="size-form"
        onSubmit={(event) => {
          event.preventDefault();
          const read = decisionOf(form);
          setErrors(read.errors ?? {});
          setAsked(read.asked);
        }}
      >
        <div class="fields">
          <Choice
            label="Side"
            value={form.side}
            options={[
              { value: 'long', label: 'Long' },
              { value: 'short', label: 'Short' },
            ]}
            onChange={(side) => change({ side })}
          />
          <Field
            label="Contract"
            value={form.coin}
            onChange={(coin) => change({ coin })}
            placeholder="BTC"
            hint="With it, what is left out is read from the venue."
            error={errors.coin}
          />
          {numbers.slice(0, 3).map(field)}
          <Choice
            label="The leader’s grade"
            value={form.leaderGrade}
            options={grades}
            onChange={(leaderGrade) => change({ leaderGrade })}
          />
        </div>
        <details class="unfold">
          <summary>More figures</summary>
          <div class="fields">{numbers.slice(3).map(field)}</div>
        </details>
        <button type="submit" class="primary">
          Decide
        </button>
      </form>
      {asked !== null && (
        <Answered asked={decision} what="Deciding">
          {(answer) => <DecisionSheet decision={answer} />}
        </Answered>
      )}
    </>
  );
}
