/** The first stage: the venues, their leaders, and what is known of the one that was chosen. */
import type { Leader, Venue } from '@mirrorworthy/client';
import { useState } from 'preact/hooks';
import { useAnswer } from '../../answer';
import { Confidence, Grade, Verdict } from '../../parts/grade';
import { Answered, Empty } from '../../parts/state';
import { Address, Disclosure, Measure, Measures, Reasons, Tag, traderRoute } from '../../parts/text';
import { type Chain, chains, hrefOf, isChain, type Route } from '../../route';
import { instant, minutesAgo, number, percent, share, word } from '../../words';
import { Choice } from './field';
import type { VenueName } from './venue';

/** What the verdict on a leader rests on. */
function Evidence(props: { evidence: Leader['assessment']['evidence'] }) {
  return props.evidence === 'closed-trades' ? (
    <Tag>Evidence: its closed trades</Tag>
  ) : (
    <Tag tone="caution">Evidence: the venue’s own figures only</Tag>
  );
}

/** Who a leader is and how it is graded, what speaks for and against mirroring it, and on demand the figures behind. */
export function LeaderCard(props: { leader: Leader; now: number; open?: boolean }) {
  const { leader } = props;
  const { simulation, discovery, forecast, ...assessment } = leader.assessment;
  const entered = leader.lastEntryAt === null ? null : Math.floor((props.now - Date.parse(leader.lastEntryAt)) / 60_000);
  return (
    <div class="leader">
      <p class="row">
        <Grade grade={leader.grade} confidence={leader.confidence} />
        <Address address={leader.address} to={traderRoute(leader.address, leader.chain, leader.venue)} />
        {leader.chain && <Tag>{leader.chain}</Tag>}
        <Verdict verdict={leader.verdict} />
        <Evidence evidence={assessment.evidence} />
        <Confidence confidence={leader.confidence} sampleSize={leader.sampleSize} />
      </p>
      {!assessment.mirrorable && <p>Its trades could not have been mirrored:</p>}
      <Reasons reasons={assessment.reasons} label="Why it can or cannot be mirrored" />
      <Disclosure text={leader.disclosure} />
      <details class="unfold" open={props.open}>
        <summary>Figures and grade</summary>
        {simulation && (
          <>
            <h4>A delayed copier, simulated</h4>
            <Measures>
              <Measure label="Trades simulated">{number(simulation.trades, 0)}</Measure>
              <Measure label="Won">{share(simulation.winRate)}</Measure>
              <Measure label="Random entries won">{share(simulation.baseWinRate)}</Measure>
              <Measure label="Result in the middle">{percent(simulation.medianReturnPct, { sign: true })}</Measure>
              <Measure label="Compounded">{percent(simulation.compoundedReturnPct, { sign: true, digits: 0 })}</Measure>
              <Measure label="Price moved before a copier">{percent(simulation.medianRunUpPct, { sign: true })}</Measure>
            </Measures>
            <Disclosure text={leader.disclosure} />
          </>
        )}
        {discovery && (
          <p>
            Found as one of the first buyers: {number(discovery.rose, 0)} of {number(discovery.launches, 0)} launches rose, where chance
            gives {number(discovery.expected)}.
          </p>
        )}
        {forecast && (
          <p>
            Its next entries are expected to win with a chance of {share(forecast.winProbability)}, ordinary ones with{' '}
            {share(forecast.baseProbability)}.
          </p>
        )}
        <h4>Its grade as a trader</h4>
        <Measures>
          <Measure label="Score">{number(leader.score)}</Measure>
          <Measure label="Holds">{word(leader.holdStyle)}</Measure>
          <Measure label="Adjusted probability of luck">{number(leader.adjustedP, 3)}</Measure>
          <Measure label="Last entry">{entered === null ? null : minutesAgo(Math.max(0, entered))}</Measure>
          <Measure label="Graded">{instant(leader.gradedAt)}</Measure>
        </Measures>
        <Reasons reasons={leader.reasons} label="Reasons of the grade" />
      </details>
    </div>
  );
}

function Leaders(props: { venue: VenueName; chain: Chain | null; cursor: string | null; now: () => number }) {
  const { venue, chain, cursor } = props;
  const [more, setMore] = useState(false);
  const asked = useAnswer(`leaders ${venue} ${chain} ${cursor}`, (client, signal) =>
    client.get(
      '/copy/leaders',
      { venue, limit: 8, ...(chain === null ? {} : { chain }), ...(cursor === null ? {} : { cursor }) },
      { signal },
    ),
  );
  return (
    <Answered asked={asked} what="Asking for the leaders">
      {(answer) => (
        <>
          {cursor === null && (
            <p class="fine">
              {number(answer.total, 0)} of {number(answer.examined, 0)} wallets looked at passed the gate of this venue.
              {answer.note && answer.rows.length > 0 ? ` ${answer.note}` : ''}
            </p>
          )}
          {answer.rows.length === 0 && <Empty note={answer.note} otherwise="No leader passed the gate of this venue." />}
          <ol class="rows leaders" start={answer.rows[0]?.rank ?? 1} aria-label="Leaders">
            {answer.rows.map((leader) => (
              <li key={`${leader.chain} ${leader.address}`}>
                <span class="rank">{leader.rank}</span>
                <div>
                  <LeaderCard leader={leader} now={props.now()} />
                  <a class="button" href={hrefOf(routeOf(venue, leader.address, leader.chain))} aria-label={`Choose ${leader.address}`}>
                    Choose
                  </a>
                </div>
              </li>
            ))}
          </ol>
          {answer.nextCursor !== null &&
            (more ? (
              <Leaders venue={venue} chain={chain} cursor={answer.nextCursor} now={props.now} />
            ) : (
              <button type="button" onClick={() => setMore(true)}>
                More leaders
              </button>
            ))}
        </>
      )}
    </Answered>
  );
}

function routeOf(venue: VenueName, leader: string, chain: string | null): Route {
  return { screen: 'copy', leader, venue, ...(isChain(chain) ? { chain } : {}) };
}

/** The venues, and the leaders of one. */
export function ChooseLeader(props: { venues: readonly Venue[]; venue: VenueName; chain: Chain | null; now: () => number }) {
  const { venues, venue } = props;
  const [chain, setChain] = useState<Chain | 'all'>(props.chain ?? 'all');
  const at = venues.find((each) => each.venue === venue);
  const offered = chains.filter((each) => at?.chains.includes(each));
  return (
    <>
      <nav class="venues" aria-label="Venues">
        {venues.map((each) => (
          <a key={each.venue} href={hrefOf({ screen: 'copy', venue: each.venue })} aria-current={each.venue === venue ? 'true' : undefined}>
            <strong>{each.title}</strong>
            <span>{each.about}</span>
            <span class="fine">{each.modes.map((mode) => word(mode)).join(', ')}</span>
          </a>
        ))}
      </nav>
      {at && offered.length > 1 && (
        <Choice
          label="Chain"
          value={chain}
          options={[{ value: 'all' as const, label: 'All chains' }, ...offered.map((each) => ({ value: each, label: each }))]}
          onChange={setChain}
        />
      )}
      <Leaders
        key={`${venue} ${chain}`}
        venue={venue}
        chain={chain !== 'all' && offered.length > 1 ? chain : null}
        cursor={null}
        now={props.now}
      />
    </>
  );
}
