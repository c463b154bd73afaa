/** The track record: what became of the entries that leaders made after they were first graded, against those that the gate turned away. */
import type { Answer } from '@mirrorworthy/client';
import { Answered, Empty } from '../../parts/state';
import { Address, Measure, Measures, Reasons, Tag, traderRoute } from '../../parts/text';
import { CalibrationPicture } from '../../pictures/calibration';
import { type Interval, rates, scaleOf } from '../../pictures/interval';
import { IntervalPicture } from '../../pictures/interval-picture';
import { instant, notMeasured, number, percent, share, word } from '../../words';
import { examinedWords, More } from './board';
import { usePages } from './pages';

type Figures = Answer<'TrackrecordFigures'>;
type Entry = Answer<'TrackrecordEntry'>;

export function TrackRecord() {
  const pages = usePages('track-record', (client, cursor, signal) =>
    client.get('/traders/track-record', { source: 'spot-leader-gate', ...(cursor ? { cursor } : {}) }, { signal }),
  );
  return (
    <Answered asked={pages.first} what="Reading the track record">
      {(record) => (
        <>
          <p class="soft">{examinedWords(record)}</p>
          <div class="row">
            <Tag tone={record.status === 'tracked' ? 'good' : 'unknown'}>{word(record.status)}</Tag>
            <span>{statusWords(record.status, record.firstResolutionExpected)}</span>
          </div>
          <Reasons reasons={record.reasons} />
          <h2>How often a copy gained</h2>
          <IntervalPicture
            intervals={[groupInterval('Mirrorable leaders', record.mirrorable), groupInterval('Gated out (control)', record.control)]}
            scale={rates}
            write={(rate) => share(rate)}
            what="Hit rate"
            caption="Dots are the part of resolved entries that gained after costs, whiskers where the true rate likely is (95 %)."
          />
          <h2>What the gate is worth</h2>
          <GateValue difference={record.gateValue} />
          <h2>The figures</h2>
          <FiguresTable mirrorable={record.mirrorable} control={record.control} />
          <h2>Forecasts against outcomes</h2>
          {record.calibration.length === 0 ? (
            <p class="unmeasured">No forecast is resolved yet: {notMeasured}.</p>
          ) : (
            <CalibrationPicture rows={record.calibration} />
          )}
          <h2>The leaders</h2>
          {record.rows.length === 0 ? (
            <Empty note={record.note} otherwise="No leader is followed yet." />
          ) : (
            <>
              {record.note && <p class="board-note">{record.note}</p>}
              <Entries entries={pages.rows} />
              <More pages={pages} total={record.total} noun="leader" />
            </>
          )}
        </>
      )}
    </Answered>
  );
}

/** What a status means. */
export function statusWords(status: string, firstResolutionExpected: string | null): string {
  if (status !== 'accruing') {
    return 'Ten outcomes or more are known.';
  }
  return firstResolutionExpected === null
    ? 'Fewer than ten outcomes are known, too few to read a rate.'
    : `The first outcome is expected on ${instant(firstResolutionExpected)}. It takes ten to read a rate.`;
}

/** A group's hit rate beside the base rate. */
export function groupInterval(label: string, figures: Figures): Interval {
  return {
    label,
    estimate: figures.hitRate,
    low: figures.hitRateInterval.low,
    high: figures.hitRateInterval.high,
    mark: { at: figures.baseRate, label: 'Random entries in comparable tokens' },
  };
}

function points(value: number): string {
  return `${percent(value, { sign: true }).replace(/ %$/, '')} points`;
}

function GateValue(props: { difference: Answer<'ShownDifference'> }) {
  const { differencePct, lowPct, highPct } = props.difference;
  const interval: Interval = { label: 'Mirrorable less control', estimate: differencePct, low: lowPct, high: highPct };
  return (
    <IntervalPicture
      intervals={[interval]}
      scale={scaleOf([interval])}
      write={points}
      what="Difference of hit rates"
      caption={
        differencePct === null
          ? 'Both groups need outcomes before they can be compared.'
          : 'The hit rate of mirrorable leaders less that of the control group, with its 95 % interval. An interval across zero does not tell them apart.'
      }
    />
  );
}

const measures: { name: string; of: (figures: Figures) => string }[] = [
  { name: 'Leaders', of: (f) => number(f.leaders, 0) },
  { name: 'Tokens entered', of: (f) => number(f.tokens, 0) },
  { name: 'Entries', of: (f) => number(f.entries, 0) },
  { name: 'Resolved', of: (f) => number(f.resolved, 0) },
  { name: 'Open', of: (f) => number(f.open, 0) },
  { name: 'Seen too late, in no figure', of: (f) => number(f.late, 0) },
  { name: 'Gained after costs', of: (f) => number(f.hits, 0) },
  { name: 'Could not be sold', of: (f) => number(f.lost, 0) },
  { name: 'Hit rate', of: (f) => share(f.hitRate) },
  { name: 'Base rate', of: (f) => share(f.baseRate) },
  { name: 'Hit rate over base rate', of: (f) => number(f.lift, 2) },
  { name: 'Mean result after costs', of: (f) => percent(f.meanNetPct, { sign: true }) },
  { name: 'Middle result after costs', of: (f) => percent(f.medianNetPct, { sign: true }) },
  { name: 'Mean forecast', of: (f) => share(f.meanForecast) },
  { name: 'Error of forecasts (Brier)', of: (f) => number(f.brier, 3) },
  { name: 'Skill over base rates', of: (f) => number(f.brierSkill, 3) },
  { name: 'Evidence against chance', of: (f) => word(f.evidence) },
  { name: 'Evidence score', of: (f) => number(f.evidenceScore, 2) },
  { name: 'Entries that count each for itself', of: (f) => number(f.independentEntries, 0) },
];

function FiguresTable(props: { mirrorable: Figures; control: Figures }) {
  return (
    <section class="scroll" tabIndex={0} aria-label="Figures of both groups">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col">Mirrorable</th>
            <th scope="col">Gated out</th>
          </tr>
        </thead>
        <tbody>
          {measures.map((measure) => (
            <tr key={measure.name}>
              <th scope="row">{measure.name}</th>
              <Cell text={measure.of(props.mirrorable)} />
              <Cell text={measure.of(props.control)} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell(props: { text: string }) {
  return <td class={props.text === notMeasured ? 'unmeasured' : ''}>{props.text}</td>;
}

function Entries(props: { entries: Entry[] }) {
  return (
    <ol class="rows entries">
      {props.entries.map((entry) => (
        <li key={`${entry.chain} ${entry.wallet}`}>
          <div class="graded-body">
            <div class="row">
              <Address address={entry.wallet} to={traderRoute(entry.wallet, entry.chain)} />
              <Tag>{entry.chain}</Tag>
              <Tag tone={entry.mirrorable ? 'good' : 'caution'}>{entry.mirrorable ? 'Mirrorable' : 'Gated out'}</Tag>
              <Tag tone="unknown">{word(entry.status)}</Tag>
            </div>
            <Measures>
              <Measure label="First graded">{instant(entry.gradedAt)}</Measure>
              <Measure label="Forecast, random entries">{`${share(entry.winProbability)}, ${share(entry.baseProbability)}`}</Measure>
              <Measure label="Entries since">{entryWords(entry)}</Measure>
              <Measure label="Hit rate">{hitRateWords(entry)}</Measure>
              <Measure label="Middle result">{percent(entry.medianNetPct, { sign: true })}</Measure>
              {entry.firstResolutionExpected && <Measure label="First outcome expected">{instant(entry.firstResolutionExpected)}</Measure>}
            </Measures>
          </div>
        </li>
      ))}
    </ol>
  );
}

function entryWords(entry: Entry): string {
  const late = entry.late > 0 ? `, ${number(entry.late, 0)} seen too late` : '';
  return `${number(entry.entries, 0)}: ${number(entry.resolved, 0)} resolved, ${number(entry.open, 0)} open, ${number(entry.hits, 0)} gained${late}`;
}

function hitRateWords(entry: Entry): string {
  if (entry.hitRate === null) {
    return notMeasured;
  }
  const interval = entry.hitRateInterval;
  return interval === null ? share(entry.hitRate) : `${share(entry.hitRate)}, likely ${share(interval.low)} to ${share(interval.high)}`;
}
