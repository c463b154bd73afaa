/** The board of traders: wallets that were found on chain and that hold among all that were looked at. */
import { Tag } from '../../parts/text';
import type { Chain } from '../../route';
import { instant, word } from '../../words';
import { GradedRow, PagedBoard } from './board';
import { usePages } from './pages';

export function Traders(props: { chain: Chain | undefined }) {
  const { chain } = props;
  const pages = usePages(`trader-board ${chain ?? ''}`, (client, cursor, signal) =>
    client.get('/trader-board', { ...(chain ? { chain } : {}), ...(cursor ? { cursor } : {}) }, { signal }),
  );
  return (
    <PagedBoard
      pages={pages}
      what="Reading the board of traders"
      noun="trader"
      empty="There are no traders on this board."
      row={(row) => (
        <GradedRow
          rank={row.rank}
          wallet={row.wallet}
          chain={row.chain}
          graded={row}
          examined={row}
          tags={row.found.map((found) => (
            <span key={found.source} title={`Found ${instant(found.foundAt)}`}>
              <Tag>{word(found.source)}</Tag>
            </span>
          ))}
        />
      )}
    />
  );
}
