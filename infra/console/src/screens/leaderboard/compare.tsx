/** Ranks the wallets that somebody brings along. */
import type { Answer } from '@mirrorworthy/client';
import { useId, useState } from 'preact/hooks';
import { useAnswer } from '../../answer';
import { ChainField } from '../../parts/form';
import { Answered } from '../../parts/state';
import { Address, traderRoute } from '../../parts/text';
import type { Chain } from '../../route';
import { count, number } from '../../words';
import { mostWallets, type Pasted, readAddresses } from './addresses';
import { GradedRow } from './board';

type Comparison = { chain: Chain; wallets: string[] };

export function Compare(props: { chain: Chain | undefined }) {
  const [chain, setChain] = useState<Chain>(props.chain ?? 'eth');
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const id = useId();
  const pasted = readAddresses(text);
  const asked = useAnswer(comparison && JSON.stringify(comparison), (client, signal) =>
    client.post('/trader-leaderboard', comparison ?? { chain, wallets: [] }, { signal }),
  );
  return (
    <>
      <form
        class="compare"
        onSubmit={(event) => {
          event.preventDefault();
          const problem = problemWith(pasted);
          setWrong(problem);
          if (problem === null) {
            setComparison({ chain, wallets: pasted.addresses });
          }
        }}
      >
        <div class="field">
          <label for={id}>Wallets, up to {mostWallets}, apart by spaces, commas or lines</label>
          <textarea
            id={id}
            rows={5}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            placeholder="0x…"
            spellcheck={false}
            autocomplete="off"
            aria-invalid={wrong !== null}
            aria-describedby={wrong === null ? `${id}-count` : `${id}-count ${id}-wrong`}
          />
          <p class="fine" id={`${id}-count`}>
            {number(pasted.addresses.length, 0)} of {mostWallets}
            {pasted.repeated > 0 && `, ${count(pasted.repeated, 'repetition')} left out`}
          </p>
          {wrong && (
            <p class="wrong" id={`${id}-wrong`} role="alert">
              {wrong}
            </p>
          )}
        </div>
        <div class="row">
          <ChainField value={chain} onChange={setChain} />
          <button type="submit" class="primary">
            Compare
          </button>
        </div>
      </form>
      <Answered asked={asked} what="Grading the wallets">
        {(answer) => <Ranked answer={answer} chain={comparison?.chain ?? chain} again={asked.again} asking={asked.asking} />}
      </Answered>
    </>
  );
}

/** Why a list cannot be compared; null when it can. */
function problemWith(pasted: Pasted): string | null {
  const [first] = pasted.wrong;
  if (first !== undefined) {
    const others = pasted.wrong.length - 1;
    return `“${first}”${others > 0 ? ` and ${count(others, 'other')}` : ''}: an address is 0x and 40 hexadecimal digits.`;
  }
  if (pasted.addresses.length === 0) {
    return 'Give at least one address.';
  }
  if (pasted.addresses.length > mostWallets) {
    return `At most ${mostWallets} wallets are compared at once; these are ${number(pasted.addresses.length, 0)}.`;
  }
  return null;
}

function Ranked(props: { answer: Answer<'TraderLeaderboard'>; chain: Chain; again: () => void; asking: boolean }) {
  const { answer, chain } = props;
  const failed = answer.failed?.length ?? 0;
  return (
    <>
      {failed > 0 && (
        <p class="board-note" role="status">
          {count(failed, 'wallet')} could not be graded, and {failed === 1 ? 'says' : 'say'} why below; the others are ranked.{' '}
          <button type="button" onClick={props.again} disabled={props.asking}>
            Ask again
          </button>
        </p>
      )}
      <ol class="rows">
        {answer.rows.map((row) =>
          row.error === undefined ? (
            <li key={row.wallet}>
              <GradedRow rank={row.rank} wallet={row.wallet} chain={chain} graded={row} />
            </li>
          ) : (
            <li key={row.wallet}>
              <div class="graded">
                <div class="lead">
                  <span class="rank">no rank</span>
                </div>
                <div class="graded-body problem slot-problem" role="alert">
                  <Address address={row.wallet} to={traderRoute(row.wallet, chain)} />
                  <p>This wallet could not be graded: {row.message}</p>
                  <p class="fine">
                    <code>{row.error}</code>
                  </p>
                </div>
              </div>
            </li>
          ),
        )}
      </ol>
    </>
  );
}
