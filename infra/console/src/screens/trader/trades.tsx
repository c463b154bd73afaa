/** The latest trades of a wallet, and more of them. */
import type { Answer } from '@mirrorworthy/client';
import { useId, useState } from 'preact/hooks';
import { useAnswer } from '../../answer';
import { ProblemNote } from '../../parts/state';
import { Reasons, Tag } from '../../parts/text';
import type { Chain } from '../../route';
import { minutesAgo, notMeasured, number, word } from '../../words';

/** How many trades can be listed; the page begins with the first. */
const limits = [20, 50, 100] as const;

/** Shows the page's trades; more of them are asked for alone, so that the rest of the page stays as it is. */
export function Trades(props: { slot: Answer<'WalletTradesAnswer'>; wallet: string; chain: Chain }) {
  const { wallet, chain } = props;
  const [limit, setLimit] = useState<number>(limits[0]);
  const id = useId();
  const asked = useAnswer(limit === limits[0] ? null : `wallet-trades ${chain} ${wallet} ${limit}`, (client, signal) =>
    client.post('/wallet-trades', { wallet, chain, tradesLimit: limit }, { signal }),
  );
  const slot = asked.answer ?? props.slot;
  const { summary } = slot;
  return (
    <>
      <div class="row spread">
        <span>
          <Tag>{word(summary.tilt)}</Tag>{' '}
          <span class="soft">
            {number(summary.buys, 0)} bought, {number(summary.sells, 0)} sold, {number(summary.swaps, 0)} swapped
          </span>
        </span>
        <span class="row">
          <label for={id}>List at most</label>
          <select id={id} value={limit} onChange={(event) => setLimit(Number(event.currentTarget.value))}>
            {limits.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        </span>
      </div>
      {summary.topTokens.length > 0 && <p class="soft">Most by value: {summary.topTokens.join(', ')}</p>}
      {asked.problem && <ProblemNote problem={asked.problem} again={asked.again} />}
      {slot.trades.length === 0 ? (
        <p class="empty">No trades were found.</p>
      ) : (
        <section class="scroll trades" tabIndex={0} aria-label="Trades" aria-busy={asked.asking}>
          <table>
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">Token</th>
                <th scope="col">Size</th>
                <th scope="col">When</th>
              </tr>
            </thead>
            <tbody>
              {slot.trades.map((trade, i) => (
                <tr key={i}>
                  <td>{word(trade.action)}</td>
                  <td>{trade.fromSymbol === null ? trade.symbol : `${trade.fromSymbol} for ${trade.symbol}`}</td>
                  <td class={trade.sizeBand === null ? 'unmeasured' : ''}>{trade.sizeBand ?? notMeasured}</td>
                  <td>{minutesAgo(trade.minsAgo)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Reasons reasons={slot.reasons} />
    </>
  );
}
