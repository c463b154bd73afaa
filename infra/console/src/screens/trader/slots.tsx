/** The smaller answers of a spot trader's page. */
import type { Answer } from '@mirrorworthy/client';
import { Meter } from '../../parts/meter';
import { Measure, Measures, Reasons, Tag } from '../../parts/text';
import { count, duration, notMeasured, number, percent, share, word } from '../../words';
import { probability } from '../leaderboard/board';

type Tone = 'good' | 'caution' | 'bad' | 'unknown' | 'plain';

/** The tone of a word; one that is not known is neutral. */
function tone(tones: Record<string, Tone>, text: string): Tone {
  return tones[text] ?? 'unknown';
}

const edges: Record<string, Tone> = { strong: 'good', moderate: 'good', thin: 'caution', none: 'caution', negative: 'bad' };

export function Edge(props: { slot: Answer<'TraderEdgeAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <div class="row">
        <Tag tone={tone(edges, slot.edge)}>{word(slot.edge)}</Tag>
        <span class="soft">Holds: {word(slot.holdStyle)}</span>
      </div>
      {slot.bestAt.length > 0 ? (
        <>
          <h3>Best at</h3>
          <ul class="plain">
            {slot.bestAt.map((best) => (
              <li key={`${best.kind} ${best.name}`}>
                <strong>{word(best.name)}</strong> <span class="soft">({word(best.kind).toLowerCase()})</span>:{' '}
                {count(best.trades, 'trade')}, average {percent(best.averageReturnPct, { sign: true })}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p class="soft">No kind of trade stands out by more than chance.</p>
      )}
      <Reasons reasons={slot.reasons} />
    </>
  );
}

const qualities: Record<string, Tone> = { skill: 'good', luck: 'caution', 'wash-suspected': 'bad' };

export function PnLQuality(props: { slot: Answer<'WalletPnLQualityAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <Tag tone={tone(qualities, slot.verdict)}>{word(slot.verdict)}</Tag>
      {slot.verdict === 'luck' && <p class="fine">Luck means not distinguishable from chance.</p>}
      <Measures>
        <Measure label="Effective trades">{number(slot.effectiveTrades)}</Measure>
        <Measure label="Largest gain's part">{percent(slot.topTradeSharePct)}</Measure>
        <Measure label="Mean without the best">{percent(slot.withoutBestPct, { sign: true })}</Measure>
        <Measure label="Random hours do as well">{probability(slot.timingP)}</Measure>
      </Measures>
      <Reasons reasons={slot.reasons} />
    </>
  );
}

export function Archetype(props: { slot: Answer<'WalletArchetypeAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <div class="row">
        <Tag tone={slot.archetype === 'unclassified' ? 'unknown' : 'plain'}>{word(slot.archetype)}</Tag>
        {slot.traits.map((trait) => (
          <Tag key={trait}>{word(trait)}</Tag>
        ))}
      </div>
      <p class="soft">A machine trades: {slot.automated}</p>
      <Reasons reasons={slot.reasons} />
    </>
  );
}

export function Style(props: { slot: Answer<'TraderStyleAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <div class="row">
        <Tag tone={slot.style === 'insufficient-data' ? 'unknown' : 'plain'}>{word(slot.style)}</Tag>
        <Tag>{word(slot.tempo)}</Tag>
      </div>
      <Measures>
        <Measure label="Held, in the middle">{slot.medianHoldHours === null ? notMeasured : duration(slot.medianHoldHours * 3600)}</Measure>
        <Measure label="Entries in active weeks">{number(slot.entriesPerActiveWeek)}</Measure>
        <Measure label="Burstiness" hint="-1 for clockwork, 0 for chance, towards 1 for bursts">
          {number(slot.burstiness, 2)}
        </Measure>
        <Measure label="A machine's timing">{word(slot.automated)}</Measure>
      </Measures>
      <Reasons reasons={slot.reasons} />
    </>
  );
}

const healths: Record<string, Tone> = { healthy: 'good', fair: 'caution', 'at-risk': 'caution', exposed: 'bad' };

export function Health(props: { slot: Answer<'WalletHealthAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <Tag tone={tone(healths, slot.health)}>{word(slot.health)}</Tag>
      <Measures>
        <Measure label="Health score, 0 to 100">{number(slot.healthScore)}</Measure>
        <Measure label="Exposed part">{percent(slot.exposedSharePct)}</Measure>
        <Measure label="Approvals">{`${number(slot.openApprovals, 0)}, ${number(slot.unlimitedApprovals, 0)} without a limit`}</Measure>
        <Measure label="To risky spenders">{number(slot.riskyApprovals, 0)}</Measure>
        <Measure label="Account handed to a contract">{slot.delegated ? 'yes (EIP-7702)' : 'no'}</Measure>
      </Measures>
      {slot.recommendedActions.length > 0 && (
        <>
          <h3>What its owner should do</h3>
          <ol class="actions">
            {slot.recommendedActions.map((action) => (
              <li key={action}>{action}</li>
            ))}
          </ol>
        </>
      )}
      <Reasons reasons={slot.reasons} />
    </>
  );
}

export function Netflow(props: { slot: Answer<'WalletNetflowAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <Tag tone={slot.posture === 'inactive' ? 'unknown' : 'plain'}>{word(slot.posture)}</Tag>
      <Meter label="Bought" value={slot.buyShare} of={1} text={`${share(slot.buyShare)} of value`} mark={{ at: 0.5, label: 'half' }} />
      <p class="soft">
        {count(slot.trades, 'trade')} in {count(slot.windowDays, 'day')}
      </p>
      <Reasons reasons={slot.reasons} />
    </>
  );
}
