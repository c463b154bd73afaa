/** A spot trader's page: nine answers about one wallet, each in its own place. */
import { useAnswer } from '../../answer';
import { Answered, isSlotError, Slot } from '../../parts/state';
import { Measure, Measures, Reasons } from '../../parts/text';
import type { Chain } from '../../route';
import { number } from '../../words';
import { Subscores } from '../leaderboard/board';
import { CopySimulation } from './copy-simulation';
import { TraderHead } from './head';
import { Archetype, Edge, Health, Netflow, PnLQuality, Style } from './slots';
import { Trades } from './trades';

export function SpotTrader(props: { wallet: string; chain: Chain }) {
  const { wallet, chain } = props;
  const asked = useAnswer(`wallet-overview ${chain} ${wallet}`, (client, signal) =>
    client.post('/wallet-overview', { wallet, chain }, { signal }),
  );
  const score = asked.answer?.traderScore;
  const { again } = asked;
  return (
    <>
      <TraderHead
        wallet={wallet}
        place={chain}
        venue="dexvenue-spot"
        chain={chain}
        graded={score && !isSlotError(score) ? score : undefined}
      />
      <Answered asked={asked} what="Looking at the wallet">
        {(overview) => (
          <>
            {overview.partial && (
              <p class="disclosure" role="status">
                {overview.failed?.length ?? 'Some'} of nine parts could not be answered; each says why in its own place.
              </p>
            )}
            <div class="grid">
              <Slot title="Trader score" slot={overview.traderScore} again={again}>
                {(slot) => (
                  <>
                    <Measures>
                      <Measure label="Score, 0 to 100">{number(slot.score)}</Measure>
                      <Measure label="Closed positions">{number(slot.sampleSize, 0)}</Measure>
                    </Measures>
                    {slot.subscores ? (
                      <Subscores subscores={slot.subscores} />
                    ) : (
                      <p class="unmeasured">The parts of the score: not measured</p>
                    )}
                    <Reasons reasons={slot.reasons} />
                  </>
                )}
              </Slot>
              <Slot title="Trader edge" slot={overview.traderEdge} again={again}>
                {(slot) => <Edge slot={slot} />}
              </Slot>
              <Slot title="Skill or luck" slot={overview.walletPnlQuality} again={again}>
                {(slot) => <PnLQuality slot={slot} />}
              </Slot>
            </div>
            <div class="grid">
              <Slot title="Copied with a delay" slot={overview.copySimulate} again={again} wide>
                {(slot) => <CopySimulation slot={slot} />}
              </Slot>
            </div>
            <div class="grid">
              <Slot title="Archetype" slot={overview.walletArchetype} again={again}>
                {(slot) => <Archetype slot={slot} />}
              </Slot>
              <Slot title="Style" slot={overview.traderStyle} again={again}>
                {(slot) => <Style slot={slot} />}
              </Slot>
              <Slot title="Buying or selling" slot={overview.walletNetflow} again={again}>
                {(slot) => <Netflow slot={slot} />}
              </Slot>
            </div>
            <div class="grid">
              <Slot title="Wallet health" slot={overview.walletHealth} again={again}>
                {(slot) => <Health slot={slot} />}
              </Slot>
              <Slot title="Latest trades" slot={overview.walletTrades} again={again}>
                {(slot) => <Trades slot={slot} wallet={wallet} chain={chain} />}
              </Slot>
            </div>
          </>
        )}
      </Answered>
    </>
  );
}
