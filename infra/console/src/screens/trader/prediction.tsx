/** A wallet on the prediction market: how it trades in six signals, and what is left of its edge for a follower. */
import type { Answer } from '@mirrorworthy/client';
import { useAnswer } from '../../answer';
import { Answered, Card } from '../../parts/state';
import { Measure, Measures, Reasons, Tag } from '../../parts/text';
import { type Interval, scaleOf } from '../../pictures/interval';
import { IntervalPicture } from '../../pictures/interval-picture';
import { count, number, share, word } from '../../words';
import { probability } from '../leaderboard/board';
import { TraderHead } from './head';

type Profile = Answer<'WalletAnswer'>;

export function PredictionTrader(props: { wallet: string }) {
  const { wallet } = props;
  const asked = useAnswer(`prediction-wallet ${wallet}`, (client, signal) => client.post('/prediction-wallet', { wallet }, { signal }));
  const profile = asked.answer;
  return (
    <>
      <TraderHead
        wallet={wallet}
        place="Prediction markets"
        venue="predictvenue-markets"
        of="decided events"
        graded={profile && { ...profile, grade: profile.grade ?? null }}
      >
        {profile && <MirrorableTag profile={profile} />}
      </TraderHead>
      <Answered asked={asked} what="Looking at the wallet">
        {(answer) => <PredictionProfile profile={answer} />}
      </Answered>
    </>
  );
}

/** Whether a follower could have done it too. Of a wallet without trades or rating nothing is said against it. */
function MirrorableTag(props: { profile: Profile }) {
  const { profile } = props;
  if (profile.mirrorable) {
    return <Tag tone="good">Mirrorable</Tag>;
  }
  return <Tag tone={profile.active && profile.verdict !== 'unrated' ? 'caution' : 'unknown'}>Not mirrorable</Tag>;
}

/** What each signal tells; `execution` says whether a follower can do the same. */
const signals: { name: string; of: (profile: Profile) => string | null; hint: string }[] = [
  { name: 'Execution', of: (p) => p.execution, hint: 'How orders are filled. Maker fills cannot be reproduced by a follower.' },
  { name: 'Entries', of: (p) => p.entries, hint: 'The prices at which the wallet buys.' },
  { name: 'Consistency', of: (p) => p.consistency, hint: 'How evenly results come.' },
  { name: 'Diversification', of: (p) => p.diversification, hint: 'Over how many events the wallet spreads.' },
  { name: 'Cadence', of: (p) => p.cadence, hint: 'How often the wallet trades.' },
  { name: 'Activity', of: (p) => p.activity, hint: 'Whether the wallet still trades as it did.' },
];

function PredictionProfile(props: { profile: Profile }) {
  const { profile } = props;
  const edges = [edge('The wallet', profile.edgeCents), edge('A follower a minute later', profile.copiedEdgeCents)];
  return (
    <>
      <div class="grid">
        <Card title="Assessment">
          {!profile.active && (
            <p class="board-note" role="status">
              Not active: no trade in the last {count(profile.windowDays, 'day')}. That is unknown, not bad.
            </p>
          )}
          <Measures>
            <Measure label="Score, 0 to 100">{number(profile.score)}</Measure>
            <Measure label="Decided events">{number(profile.sampleSize, 0)}</Measure>
            <Measure label="Events won">{share(profile.winRate)}</Measure>
            <Measure label="Fair luck does as well">{probability(profile.chanceProbability)}</Measure>
            <Measure label="Looked at">{`the last ${count(profile.windowDays, 'day')}`}</Measure>
          </Measures>
          {profile.truncated && <p class="fine">Older history exists that was not read.</p>}
          <Reasons reasons={profile.reasons} />
        </Card>
        <Card title="Six signals">
          <dl class="signals">
            {signals.map((signal) => {
              const value = signal.of(profile);
              return (
                <div key={signal.name}>
                  <dt>{signal.name}</dt>
                  <dd class={value === null ? 'unmeasured' : ''}>
                    {value === 'maker' ? <Tag tone="caution">{word(value)}</Tag> : word(value)}
                  </dd>
                  <dd class="fine">{signal.hint}</dd>
                </div>
              );
            })}
          </dl>
        </Card>
      </div>
      <Card title="Edge, and what is left of it">
        <IntervalPicture
          intervals={edges}
          scale={scaleOf(edges)}
          write={cents}
          what="Edge a share"
          caption="How many cents less than it was worth a share cost on average, with 90 % intervals: for the wallet, and for a follower who buys a minute later. Below zero, copying costs money."
        />
      </Card>
    </>
  );
}

function edge(label: string, interval: Answer<'PredictionInterval'> | null): Interval {
  return { label, estimate: interval?.mean ?? null, low: interval?.low ?? null, high: interval?.high ?? null };
}

/** An amount in cents with its sign. */
function cents(value: number): string {
  return `${value > 0 ? '+' : ''}${number(value)} ¢`;
}
