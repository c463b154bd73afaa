/** What a delayed copier of the wallet would have made, copy by copy, beside what random entries made. */
import type { Answer } from '@mirrorworthy/client';
import { Meter } from '../../parts/meter';
import { Disclosure, Measure, Measures, Reasons, Tag } from '../../parts/text';
import { CopySimulationPicture } from '../../pictures/copy-simulation';
import { count, notMeasured, number, percent, share, word } from '../../words';

export function CopySimulation(props: { slot: Answer<'CopySimulateAnswer'> }) {
  const { slot } = props;
  const { terms } = slot;
  return (
    <>
      <Disclosure text={slot.note} />
      <p class="fine">
        A copy enters at the {terms.entry}, is held for {count(terms.horizonDays, 'day')}, pays {percent(terms.roundTripHaircutPct)} for
        entering and leaving together, and takes {percent(terms.stakePct)} of equity where results are compounded.
      </p>
      {!slot.simulated && <p class="unmeasured">Nothing could be simulated: {slot.reason ?? notMeasured}</p>}
      <div class="against">
        <Meter
          label="Copies won"
          value={slot.winRate}
          of={1}
          text={share(slot.winRate)}
          {...(slot.baseWinRate === null ? {} : { mark: { at: slot.baseWinRate, label: `random entries ${share(slot.baseWinRate)}` } })}
        />
        <Meter label="Random entries" value={slot.baseWinRate} of={1} text={share(slot.baseWinRate)} tone="unknown" />
        <p>{againstWords(slot.winRate, slot.baseWinRate)}</p>
      </div>
      <Measures>
        <Measure label="Middle result">{percent(slot.medianReturnPct, { sign: true })}</Measure>
        <Measure label="All compounded">{percent(slot.compoundedReturnPct, { sign: true })}</Measure>
        <Measure label="Best copy">{extremeWords(slot.best)}</Measure>
        <Measure label="Worst copy">{extremeWords(slot.worst)}</Measure>
        <Measure label="Form">
          {slot.form && <Tag tone={slot.form === 'hot' ? 'good' : slot.form === 'cold' ? 'caution' : 'unknown'}>{word(slot.form)}</Tag>}
        </Measure>
        <Measure label="Simulated to the end">{number(slot.simulatedTrades, 0)}</Measure>
        <Measure label="Pending">{number(slot.pendingTrades, 0)}</Measure>
        <Measure label="Skipped, no entry price">{number(slot.skippedTrades, 0)}</Measure>
        <Measure label="Closed positions of its own">{number(slot.closedPositions, 0)}</Measure>
      </Measures>
      {slot.perTrade.length > 0 && <CopySimulationPicture perTrade={slot.perTrade} />}
      <Reasons reasons={slot.reasons} />
    </>
  );
}

function extremeWords(extreme: Answer<'SimulatedExtreme'> | null): string {
  return extreme === null ? notMeasured : `${extreme.symbol} ${percent(extreme.netPct, { sign: true })}`;
}

/** The win rate beside the base rate in words. */
export function againstWords(winRate: number | null, baseWinRate: number | null): string {
  if (winRate === null) {
    return 'The win rate of copies is not measured: too few results are known. Single copies are below.';
  }
  if (baseWinRate === null) {
    return `Copies won ${share(winRate)} of the time; what random entries in the same tokens won is not measured.`;
  }
  const points = Math.round(100 * winRate) - Math.round(100 * baseWinRate);
  const compared = points === 0 ? 'the same' : `${count(Math.abs(points), 'percentage point')} ${points > 0 ? 'more' : 'less'}`;
  return `Copies won ${share(winRate)} of the time, ${compared} ${points === 0 ? 'as' : 'than'} random entries in the same tokens, which won ${share(baseWinRate)}.`;
}
