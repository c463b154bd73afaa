/** The spot leaderboard: traders by our grade, beside what their venue publishes of them. */
import { Tag } from '../../parts/text';
import { type Chain, chainIds } from '../../route';
import { venueName, word } from '../../words';
import { GradedRow, PagedBoard } from './board';
import { usePages } from './pages';
import { VenueFigures } from './venue';

export function TopTraders(props: { chain: Chain | undefined }) {
  const { chain } = props;
  const pages = usePages(`top-traders ${chain ?? ''}`, (client, cursor, signal) =>
    client.get('/copy/top-traders', { ...(chain ? { chainId: chainIds[chain] } : {}), ...(cursor ? { cursor } : {}) }, { signal }),
  );
  return (
    <PagedBoard
      pages={pages}
      what="Reading the top traders"
      noun="trader"
      empty="There are no traders on this board."
      row={(row) => (
        <GradedRow
          rank={row.rank}
          wallet={row.wallet}
          chain={row.chain}
          venue={row.venue}
          graded={row.intel}
          examined={row.intel}
          copyable={row.intel.mirrorable === true}
          tags={
            <>
              <Tag>{venueName(row.venue)}</Tag>
              <Evidence evidence={row.intel.evidence} />
              <Mirrorable mirrorable={row.intel.mirrorable} />
            </>
          }
        >
          <VenueFigures venue={row.venue} figures={row} />
        </GradedRow>
      )}
    />
  );
}

/** What a grade rests on. */
export function Evidence(props: { evidence: string | null }) {
  return props.evidence === null ? (
    <Tag tone="unknown">No evidence</Tag>
  ) : (
    <Tag tone={props.evidence === 'venue-only' ? 'unknown' : 'plain'}>{word(props.evidence)}</Tag>
  );
}

/** Whether a follower could do the same. Nobody having looked is not a no. */
export function Mirrorable(props: { mirrorable: boolean | null }) {
  switch (props.mirrorable) {
    case true:
      return <Tag tone="good">Mirrorable</Tag>;
    case false:
      return <Tag tone="caution">Gated out</Tag>;
    case null:
      return <Tag tone="unknown">Mirrorable: not measured</Tag>;
  }
}
