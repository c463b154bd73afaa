/** What can be copied, by venue and by what its leaders have in common, with every leader's grade. */
import type { Answer } from '@mirrorworthy/client';
import { Tag } from '../../parts/text';
import { type Chain, chainIds } from '../../route';
import { count, number, venueName, word } from '../../words';
import { GradedRow, PagedBoard } from './board';
import { usePages } from './pages';
import { Evidence, Mirrorable } from './top-traders';
import { VenueFigures } from './venue';

/** A strategy brings ten leaders along, so that few of them fill a page. */
const perPage = 3;

export function Strategies(props: { chain: Chain | undefined }) {
  const { chain } = props;
  const pages = usePages(`strategies ${chain ?? ''}`, (client, cursor, signal) =>
    client.get(
      '/copy/strategies',
      { limit: perPage, ...(chain ? { chainId: chainIds[chain] } : {}), ...(cursor ? { cursor } : {}) },
      { signal },
    ),
  );
  return (
    <PagedBoard
      pages={pages}
      what="Reading the strategies"
      noun="strategy"
      plural="strategies"
      empty="There are no strategies on this board."
      class="strategies"
      row={(strategy) => <Strategy strategy={strategy} />}
    />
  );
}

function Strategy(props: { strategy: Answer<'StrategyRow'> }) {
  const { strategy } = props;
  const id = `strategy-${strategy.strategyId}`;
  return (
    <section aria-labelledby={id}>
      <div class="row">
        <h2 id={id}>{strategy.title}</h2>
        <Tag>{venueName(strategy.venue)}</Tag>
        {strategy.chain && <Tag>{strategy.chain}</Tag>}
        {strategy.window && <Tag>{word(strategy.window)}</Tag>}
        {strategy.category && <Tag>{word(strategy.category)}</Tag>}
      </div>
      <p>{strategy.about}</p>
      <p class="soft">
        {count(strategy.leadersFound, 'leader')} found, {number(strategy.leadersGraded, 0)} graded,{' '}
        {number(strategy.leadersMirrorWorthy, 0)} mirror-worthy among all that were looked at.
      </p>
      {strategy.leaders.length === 0 ? (
        <p class="empty">No leader of it can be listed.</p>
      ) : (
        <ol class="rows">
          {strategy.leaders.map((leader) => (
            <li key={leader.wallet}>
              <GradedRow
                rank={leader.rank}
                wallet={leader.wallet}
                chain={strategy.chain}
                venue={strategy.venue}
                graded={leader.intel}
                examined={leader.intel}
                copyable={leader.intel.mirrorable === true}
                tags={
                  <>
                    <Evidence evidence={leader.intel.evidence} />
                    <Mirrorable mirrorable={leader.intel.mirrorable} />
                  </>
                }
              >
                <VenueFigures venue={strategy.venue} figures={leader} />
              </GradedRow>
            </li>
          ))}
        </ol>
      )}
      {strategy.leaders.length < strategy.leadersFound && strategy.leaders.length > 0 && (
        <p class="fine">The first {number(strategy.leaders.length, 0)} by our grades are listed.</p>
      )}
    </section>
  );
}
