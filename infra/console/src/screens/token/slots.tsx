/** What each slot of a token's page shows. */
import type { Answer } from '@mirrorworthy/client';
import { Meter } from '../../parts/meter';
import { RiskVerdict, type Tone, toneOfRisk, Word } from '../../parts/risk';
import { Measure, Measures, Reasons } from '../../parts/text';
import { PriceStructure } from '../../pictures/price-structure';
import { duration, number, percent, share, word } from '../../words';

const yesOrNo = (value: boolean | null) => (value === null ? null : value ? 'Yes' : 'No');

const profileTones: Record<string, Tone> = { favourable: 'good', neutral: 'plain', caution: 'caution', avoid: 'bad' };

/** The flags are the head's unless they differ. */
export function Profile(props: { slot: Answer<'TokenIntelAnswer'>; flagsAbove: readonly string[] | null }) {
  const { slot, flagsAbove } = props;
  const { risk, momentum, entry, activity } = slot;
  const same = flagsAbove !== null && flagsAbove.length === risk.flags.length && flagsAbove.every((flag, i) => flag === risk.flags[i]);
  return (
    <>
      <p class="row">
        <Word of={slot.verdict} tones={profileTones} /> <RiskVerdict verdict={risk.risk} />
      </p>
      <Reasons reasons={slot.reasons} />
      {!same && <Reasons reasons={risk.flags} label="Flags" />}
      <div class="profile">
        <div>
          <h3>Momentum</h3>
          <Measures>
            <Measure label="Trend">{word(momentum.trend)}</Measure>
            <Measure label="Last hour">{percent(momentum.return1hPct, { sign: true })}</Measure>
            <Measure label="Last day">{percent(momentum.return24hPct, { sign: true })}</Measure>
            <Measure label="Last week">{percent(momentum.return7dPct, { sign: true })}</Measure>
            <Measure label="Last day against usual" hint="In standard deviations of the token's own returns">
              {deviations(momentum.zScore24h)}
            </Measure>
            <Measure label="Volume against usual" hint="In standard deviations of the token's own volumes">
              {deviations(momentum.volumeZScore)}
            </Measure>
          </Measures>
        </div>
        <div>
          <h3>Entry</h3>
          <Measures>
            <Measure label="Moment">{word(entry.quality)}</Measure>
            <Measure label="In the 20-hour range" hint="0 % at the bottom, 100 % at the top">
              {share(entry.rangePosition)}
            </Measure>
            <Measure label="Above the day's average" hint="The distance from the last day's volume-weighted price">
              {entry.aboveAverageAtr === null ? null : `${number(entry.aboveAverageAtr, 1)} average ranges`}
            </Measure>
            <Measure label="Run too far">{yesOrNo(entry.extended)}</Measure>
            <Measure label="Cost of entering" hint="Of a small position: low is below 1 %, moderate below 3 %">
              {word(entry.impact)}
            </Measure>
          </Measures>
        </div>
        <div>
          <h3>Activity</h3>
          <Measures>
            <Measure label="Level">{word(activity.level)}</Measure>
            <Measure label="Trades an hour" hint="The mean over the last day">
              {number(activity.tradesPerHour, 1)}
            </Measure>
            <Measure label="Trades in the last hour">{number(activity.lastHourTrades, 0)}</Measure>
          </Measures>
        </div>
      </div>
      <Meter label="Buys, of trades" value={activity.buyShare} of={1} text={share(activity.buyShare)} mark={{ at: 0.5, label: 'half' }} />
    </>
  );
}

function deviations(value: number | null): string | null {
  return value === null ? null : `${number(value, 1)} σ`;
}

export function Risk(props: { answer: Answer<'TokenRiskAnswer'> }) {
  const { answer } = props;
  return (
    <>
      <p class="row">
        <RiskVerdict verdict={answer.verdict} />
      </p>
      <Meter label="Score" value={answer.score} of={100} text={`${number(answer.score)} of 100`} tone={toneOfRisk(answer.verdict)} />
      <p class="fine">The higher, the riskier. The flags are above.</p>
      <Reasons reasons={answer.reasons} />
    </>
  );
}

const buyingTones: Record<string, Tone> = { 'Proven traders are buying': 'good', 'Proven traders are not buying': 'plain' };

export function SmartMoney(props: { slot: Answer<'SmartMoneyFlowAnswer'> }) {
  const { slot } = props;
  const buying =
    slot.smartMoneyBuying === null
      ? 'Too few buyers could be graded'
      : slot.smartMoneyBuying
        ? 'Proven traders are buying'
        : 'Proven traders are not buying';
  return (
    <>
      <p class="row">
        <Word of={buying} tones={buyingTones} />
      </p>
      <Measures>
        <Measure label="Proven buyers">{number(slot.mirrorWorthyBuyers, 0)}</Measure>
        <Measure label="Buyers really graded" hint="Accounts funded from the same source count as one buyer">
          {number(slot.buyersAnalyzed, 0)}
        </Measure>
        <Measure label="Their net flow">{word(slot.netFlow)}</Measure>
      </Measures>
      <Reasons reasons={slot.reasons} />
    </>
  );
}

const exitTones: Record<string, Tone> = { low: 'good', medium: 'caution', high: 'bad', extreme: 'bad' };
const exitDirections: Record<string, string> = { rising: '↑ rising', stable: '→ stable', falling: '↓ falling', unknown: 'Unknown' };

export function ExitRisk(props: { slot: Answer<'ExitRiskAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <p class="row">
        <Word of={slot.exitRisk} tones={exitTones} />
      </p>
      <Meter label="Score" value={slot.score} of={100} text={`${number(slot.score)} of 100`} tone={exitTones[slot.exitRisk] ?? 'unknown'} />
      <Measures>
        <Measure label="The risk is">{exitDirections[slot.direction] ?? word(slot.direction)}</Measure>
        <Measure label="Can be sold" hint="The size band of what can be sold at a tenth below the price">
          {word(slot.sellableBand)}
        </Measure>
      </Measures>
      <Reasons reasons={slot.reasons} />
    </>
  );
}

const inflectionTones: Record<string, Tone> = { coiled: 'caution', coiling: 'caution', expanding: 'plain', neutral: 'plain' };

/** Both meters have one scale, so that the chance reads against what is usual. */
export function Inflection(props: { slot: Answer<'TokenInflectionAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <p class="row">
        <Word of={slot.state} tones={inflectionTones} />
      </p>
      <Meter label="A large move" value={slot.moveProbability} of={1} text={share(slot.moveProbability)} />
      <Meter label="All tokens" value={slot.baseRate} of={1} text={share(slot.baseRate)} tone="unknown" />
      <p class="fine">The chance of a move of three times the usual range within a day, beside how often that happens to all tokens.</p>
      <Reasons reasons={slot.reasons} />
    </>
  );
}

const holderTones: Record<string, Tone> = { accumulating: 'good', stable: 'plain', bleeding: 'bad' };
const originTones: Record<string, Tone> = { organic: 'good', mixed: 'caution', 'bot-driven': 'bad' };

export function Holders(props: { slot: Answer<'TokenHoldersInsightAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <Measures>
        <Measure label="Holders">
          <Word of={slot.trend} tones={holderTones} />
        </Measure>
        <Measure label="Buyers">
          <Word of={slot.origin} tones={originTones} />
        </Measure>
      </Measures>
      <Meter label="The ten largest" value={slot.topHoldersPct} of={100} text={`${percent(slot.topHoldersPct)} of supply`} />
      <Reasons reasons={slot.reasons} />
    </>
  );
}

const valuationTones: Record<string, Tone> = {
  'over-extended': 'bad',
  rich: 'caution',
  'in-line': 'plain',
  cheap: 'good',
  'under-extended': 'good',
};

export function Valuation(props: { slot: Answer<'TokenValuationAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <p class="row">
        <Word of={slot.valuation} tones={valuationTones} />
      </p>
      <Measures>
        <Measure label="Against its peers" hint="In robust standard deviations, above zero for dear">
          {deviations(slot.zScore)}
        </Measure>
        <Measure label="Peers">{number(slot.peerCount, 0)}</Measure>
        <Measure label="They are">{slot.peerGroup}</Measure>
        <Measure label="Compared by">{slot.compared.length === 0 ? null : slot.compared.join(', ')}</Measure>
      </Measures>
      <Reasons reasons={slot.reasons} />
    </>
  );
}

const narrativeTones: Record<string, Tone> = { positive: 'good', mixed: 'caution', negative: 'bad' };

export function Narrative(props: { slot: Answer<'TokenNarrativeAnswer'> }) {
  const { slot } = props;
  return (
    <>
      {slot.available && slot.narrative !== null ? (
        <>
          <p class="row">
            <Word of={slot.tone} tones={narrativeTones} />
          </p>
          <p>{slot.narrative}</p>
        </>
      ) : (
        <p class="unmeasured">There is no narrative.</p>
      )}
      <Reasons reasons={slot.reasons} />
    </>
  );
}

export function PriceAction(props: { slot: Answer<'TokenPriceActionAnswer'> }) {
  const { slot } = props;
  if (!slot.available) {
    return (
      <>
        <p class="unmeasured">There is no chart of this price.</p>
        <Reasons reasons={slot.reasons} />
      </>
    );
  }
  return (
    <>
      <Measures>
        <Measure label="Trend">{word(slot.trend)}</Measure>
        <Measure label="Structure">{word(slot.structure)}</Measure>
        <Measure label="Breakout">{word(slot.breakout)}</Measure>
        <Measure label="Volatility">{word(slot.volatility)}</Measure>
        <Measure label="From the highest close">{percent(slot.distanceFromHighPct)}</Measure>
        <Measure label="That was" hint="Before the latest trade">
          {slot.hoursSinceHigh === null ? null : `${duration(slot.hoursSinceHigh * 3600)} before the latest trade`}
        </Measure>
      </Measures>
      {slot.swings.length === 0 && <p class="unmeasured">The price has not turned yet, so there is no structure to draw.</p>}
      <PriceStructure answer={slot} />
      <Reasons reasons={slot.reasons} />
    </>
  );
}
