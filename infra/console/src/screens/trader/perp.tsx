/** An account at the perpetuals venue: what is open, how near it is to liquidation, and what closed trades came to. */
import type { Answer } from '@mirrorworthy/client';
import { useAnswer } from '../../answer';
import { Meter } from '../../parts/meter';
import { Answered, Card } from '../../parts/state';
import { Measure, Measures, Reasons, Tag } from '../../parts/text';
import { rates } from '../../pictures/interval';
import { IntervalPicture } from '../../pictures/interval-picture';
import { count, minutesAgo, notMeasured, number, percent, share, word } from '../../words';
import { TraderHead } from './head';
import { nearness, nearnessWords } from './nearness';

type Profile = Answer<'PerpWalletAnswer'>;

export function PerpTrader(props: { wallet: string }) {
  const { wallet } = props;
  const asked = useAnswer(`perp-wallet ${wallet}`, (client, signal) => client.post('/perp-wallet', { wallet }, { signal }));
  const profile = asked.answer;
  return (
    <>
      <TraderHead wallet={wallet} place="Perpetuals" venue="perpvenue-perps">
        {profile && (
          <>
            <Tag>{word(profile.bias)}</Tag>
            <span class={profile.accountBand === null ? 'unmeasured' : 'soft'}>
              Account {profile.accountBand === null ? notMeasured : `${profile.accountBand} USD`}
            </span>
          </>
        )}
      </TraderHead>
      <Answered asked={asked} what="Looking at the account">
        {(answer) => <PerpProfile profile={answer} />}
      </Answered>
    </>
  );
}

function PerpProfile(props: { profile: Profile }) {
  const { profile } = props;
  const { coverage } = profile;
  return (
    <div class="grid">
      <Card
        title="Closed trades"
        wide
        head={<Tag tone={coverage.reason === 'ok' ? 'plain' : 'unknown'}>Coverage: {word(coverage.reason).toLowerCase()}</Tag>}
      >
        <p class="coverage" role="note">
          {coverage.note}
        </p>
        <IntervalPicture
          intervals={[
            {
              label: 'Win rate',
              estimate: profile.winRate,
              low: profile.winRateInterval?.low ?? null,
              high: profile.winRateInterval?.high ?? null,
            },
          ]}
          scale={rates}
          write={(rate) => share(rate)}
          what="Win rate"
          caption="The part of closing trades that made money after their own fees, and where the true rate likely is (95 %)."
        />
        <Measures>
          <Measure label="Closing trades">{number(profile.closedTrades, 0)}</Measure>
          <Measure label="Positions from flat to flat">{number(profile.closedPositions, 0)}</Measure>
          <Measure label="Gained for every 1 lost">{number(profile.profitFactor, 2)}</Measure>
          <Measure label="Funding paid in 30 days">{percent(profile.fundingPaidPct, { sign: true, digits: 2 })}</Measure>
          <Measure label="Liquidations">{liquidationWords(profile)}</Measure>
        </Measures>
        {profile.truncated && <p class="fine">Older trades exist than could be read.</p>}
        <Reasons reasons={profile.reasons} />
      </Card>
      <Card title="Open positions" wide>
        <Measures>
          <Measure label="Bias">{word(profile.bias)}</Measure>
          <Measure label="Leverage of the whole">
            {profile.effectiveLeverage === null ? notMeasured : `${number(profile.effectiveLeverage, 2)}×`}
          </Measure>
          <Measure label="Nearest liquidation">{nearestWords(profile.nearestLiquidation)}</Measure>
          <Measure label="All prices together liquidate at" hint="Not measured when no move does, or when it is unknown">
            {percent(profile.stressMovePct, { sign: true })}
          </Measure>
        </Measures>
        {profile.positions.length === 0 ? (
          <p class="empty">No position is open.</p>
        ) : (
          <Positions positions={profile.positions} nearest={profile.nearestLiquidation?.coin ?? null} />
        )}
      </Card>
    </div>
  );
}

function liquidationWords(profile: Profile): string {
  const days = profile.lastLiquidationDaysAgo;
  return days === null ? number(profile.liquidations, 0) : `${number(profile.liquidations, 0)}, the last ${minutesAgo(days * 1440)}`;
}

function nearestWords(nearest: Answer<'PerpNearest'> | null): string {
  return nearest === null ? notMeasured : `${nearest.coin}, ${percent(nearest.distancePct)} away`;
}

/** The bars end where a position is this far from its liquidation, in percent. */
const farthest = 50;

function Positions(props: { positions: Profile['positions']; nearest: string | null }) {
  return (
    <>
      <p class="fine">
        Bars show how far the price is from the venue's liquidation price: a short bar is near, which is dangerous; a full one is {farthest}{' '}
        % or more.
      </p>
      <ul class="rows positions" aria-label="Open positions">
        {props.positions.map((position) => (
          <li key={`${position.coin} ${position.side}`}>
            <div class="graded-body">
              <div class="row">
                <strong>{position.coin}</strong>
                <Tag>{position.side}</Tag>
                <Tag>{position.sizeBand}</Tag>
                <span>
                  {position.leverage === null ? <span class="unmeasured">leverage {notMeasured}</span> : `${number(position.leverage, 1)}×`}{' '}
                  {position.leverageType}
                </span>
                <span class="soft">
                  {position.pnlDirection === null ? `result ${notMeasured}` : `stands ${position.pnlDirection}`}
                  {position.returnOnEquityPct !== null && `, ${percent(position.returnOnEquityPct, { sign: true })} of its margin`}
                </span>
                <span class="soft">{position.weightPct === null ? `weight ${notMeasured}` : `${percent(position.weightPct)} of all`}</span>
                {position.coin === props.nearest && <Tag tone="caution">Liquidated first</Tag>}
              </div>
              <Meter
                label="To liquidation"
                value={position.liquidationDistancePct}
                of={farthest}
                text={nearnessWords(position.liquidationDistancePct)}
                tone={nearness(position.liquidationDistancePct).tone}
              />
            </div>
          </li>
        ))}
      </ul>
      <p class="fine">{count(props.positions.length, 'position')}, the largest first.</p>
    </>
  );
}
