/** First buyers of tokens that rose: those that a delayed copier could have followed, and those that the gate turned away, with why. */
import type { Answer } from '@mirrorworthy/client';
import { useState } from 'preact/hooks';
import { Meter } from '../../parts/meter';
import { Disclosure, Measure, Measures, Reasons } from '../../parts/text';
import type { Chain } from '../../route';
import { count, number, percent, share } from '../../words';
import { GradedRow, PagedBoard, probability } from './board';
import { usePages } from './pages';
import { Evidence, Mirrorable } from './top-traders';

export function SpotLeaders(props: { chain: Chain | undefined }) {
  const { chain } = props;
  const [mirrorableOnly, setMirrorableOnly] = useState(false);
  const pages = usePages(`spot-leaders ${chain ?? ''} ${mirrorableOnly}`, (client, cursor, signal) =>
    client.get(
      '/copy/spot-leaders',
      { ...(chain ? { chain } : {}), ...(mirrorableOnly ? { mirrorableOnly: '1' } : {}), ...(cursor ? { cursor } : {}) },
      { signal },
    ),
  );
  return (
    <>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          aria-checked={mirrorableOnly}
          checked={mirrorableOnly}
          onChange={(event) => setMirrorableOnly(event.currentTarget.checked)}
        />
        Mirrorable only
      </label>
      <PagedBoard
        pages={pages}
        what="Reading the spot leaders"
        noun="leader"
        empty={mirrorableOnly ? 'No leader on this board is mirrorable.' : 'There are no leaders on this board.'}
        row={(row) => (
          <GradedRow
            rank={row.rank}
            wallet={row.wallet}
            chain={row.chain}
            graded={row}
            examined={row}
            copyable={row.assessment.mirrorable}
            tags={
              <>
                <Mirrorable mirrorable={row.assessment.mirrorable} />
                <Evidence evidence={row.assessment.evidence} />
              </>
            }
          >
            <Assessment assessment={row.assessment} disclosure={row.disclosure} />
          </GradedRow>
        )}
      />
    </>
  );
}

/** Whether a leader can be mirrored: why, the simulation behind it, and what must be said beside it. */
function Assessment(props: { assessment: Answer<'LeaderAssessment'>; disclosure: string }) {
  const { simulation, discovery, forecast, mirrorable, reasons } = props.assessment;
  return (
    <div class="assessment">
      <h3>{mirrorable ? 'Why it can be mirrored' : 'Why the gate turned it away'}</h3>
      <Reasons reasons={reasons} label="Reasons of the assessment" />
      <Disclosure text={props.disclosure} />
      {simulation === null ? (
        <p class="unmeasured">A delayed copier was not simulated.</p>
      ) : (
        <>
          <h4>A simulated copier, delayed to the close of the hour</h4>
          <Meter
            label="Copies won"
            value={simulation.winRate}
            of={1}
            text={share(simulation.winRate)}
            {...(simulation.baseWinRate === null
              ? {}
              : { mark: { at: simulation.baseWinRate, label: `random entries ${share(simulation.baseWinRate)}` } })}
          />
          <Meter label="Random entries" value={simulation.baseWinRate} of={1} text={share(simulation.baseWinRate)} tone="unknown" />
          <Measures>
            <Measure label="Middle result">{percent(simulation.medianReturnPct, { sign: true })}</Measure>
            <Measure label="All compounded">{percent(simulation.compoundedReturnPct, { sign: true })}</Measure>
            <Measure label="Price moved before the copy">{percent(simulation.medianRunUpPct, { sign: true })}</Measure>
            <Measure label="Simulated to the end">
              {`${count(simulation.trades, 'entry', 'entries')} in ${count(simulation.tokens, 'token')}`}
            </Measure>
          </Measures>
          {!simulation.rated && <p class="fine">Fewer than three results are known, which is too few for a rate.</p>}
        </>
      )}
      {discovery && (
        <>
          <h4>How it was found</h4>
          <Measures>
            <Measure label="Launches bought early">{number(discovery.launches, 0)}</Measure>
            <Measure label="Of them rose">{`${number(discovery.rose, 0)}, by chance ${number(discovery.expected)}`}</Measure>
            <Measure label="Luck, older launches">{probability(discovery.adjustedP)}</Measure>
            <Measure label="Luck, newer launches">{probability(discovery.confirmedP)}</Measure>
            <Measure label="Share that rose">{`${share(discovery.hitRate)}, of all launches ${share(discovery.baseRate)}`}</Measure>
            <Measure label="Of the same hand">{count(discovery.siblings, 'other wallet')}</Measure>
          </Measures>
        </>
      )}
      {forecast && (
        <>
          <h4>What is expected of its next entries</h4>
          <Measures>
            <Measure label="A copy wins">{share(forecast.winProbability)}</Measure>
            <Measure label="A random entry wins">{share(forecast.baseProbability)}</Measure>
          </Measures>
        </>
      )}
    </div>
  );
}
