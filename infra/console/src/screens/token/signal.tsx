/** The head of a token's page: the signal, never without the risk verdict, and the flags. */
import type { Answer } from '@mirrorworthy/client';
import type { Asked } from '../../answer';
import { Meter } from '../../parts/meter';
import { RiskVerdict, type Tone } from '../../parts/risk';
import { Reasons, Tag } from '../../parts/text';
import { number } from '../../words';

const signalTones: Record<string, Tone> = { BUY: 'good', ACCUMULATE: 'good', HOLD: 'plain', AVOID: 'bad' };

/** A signal and the risk verdict in one group. Without a verdict there is no signal either. */
export function SignalWithRisk(props: { signal: string; riskVerdict: string | null | undefined }) {
  if (!props.riskVerdict) {
    return <p class="unmeasured">The signal is not shown, because it came without a risk verdict.</p>;
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and these are words.
    <div class="verdict-pair large" role="group" aria-label="Signal and risk verdict">
      <Tag tone={signalTones[props.signal] ?? 'unknown'}>{props.signal}</Tag>
      <RiskVerdict verdict={props.riskVerdict} />
    </div>
  );
}

/** How strong a conviction of 0 to 100 is, by the service's own bounds. */
export function convictionWord(conviction: number): string {
  return conviction < 35 ? 'low' : conviction > 65 ? 'high' : 'middling';
}

export function SignalHead(props: {
  signal: Answer<'TokenSignalAnswer'>;
  risk: Asked<Answer<'TokenRiskAnswer'>>;
  /** The flags of the profile, for where the risk itself could not be asked. */
  otherwise: readonly string[] | null;
}) {
  const { signal, risk } = props;
  const flags = risk.answer?.flags ?? props.otherwise;
  return (
    <div class="signal-head">
      <div>
        <SignalWithRisk signal={signal.signal} riskVerdict={signal.riskVerdict} />
        {signal.riskVerdict && (
          <>
            <Meter label="Conviction" value={signal.conviction} of={100} text={`${number(signal.conviction)} of 100`} />
            {signal.conviction !== null && (
              <p class="fine">The conviction is {convictionWord(signal.conviction)}: low is below 35, high above 65.</p>
            )}
            <p>{signal.rationale}</p>
            <Reasons reasons={signal.reasons} />
          </>
        )}
      </div>
      <div>
        <h3>Flags</h3>
        {flags === null ? (
          <p class={risk.asking ? 'waiting' : 'unmeasured'}>{risk.asking ? 'Asking for the risk…' : 'not measured'}</p>
        ) : flags.length === 0 ? (
          <p class="soft">None was found.</p>
        ) : (
          <ul class="flags">
            {flags.map((flag) => (
              <li key={flag}>{flag}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
