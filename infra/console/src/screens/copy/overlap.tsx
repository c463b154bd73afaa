/** Whether a leader adds anything to those that a wallet copies already. */
import type { PostAnswer } from '@mirrorworthy/client';
import { useState } from 'preact/hooks';
import { useAnswer } from '../../answer';
import { Meter } from '../../parts/meter';
import { Answered } from '../../parts/state';
import { Address, Measure, Measures, Reasons, Tag } from '../../parts/text';
import { type Chain, isAddress } from '../../route';
import { duration, notMeasured, percent, word } from '../../words';
import { Field } from './field';
import { namesOf } from './risk';

type Compared = PostAnswer<'/copy-overlap'>;

/** The most leaders that can be named. */
const most = 25;

/** Reads leaders to compare with, or says what is wrong with them. */
export function leadersIn(text: string): { leaders: string[]; error?: undefined } | { leaders: null; error: string } {
  const leaders = namesOf(text);
  if (leaders.length > most) {
    return { leaders: null, error: `At most ${most} leaders can be compared with; here are ${leaders.length}.` };
  }
  const wrong = leaders.find((leader) => !isAddress(leader));
  return wrong === undefined ? { leaders } : { leaders: null, error: `${wrong} is no address, which is 0x and 40 hexadecimal digits.` };
}

function tone(verdict: string) {
  return ({ additive: 'good', overlapping: 'caution', redundant: 'caution' } as const)[verdict] ?? 'unknown';
}

function lag(minutes: number | null): string {
  return minutes === null ? notMeasured : `${duration(Math.abs(minutes) * 60)} ${minutes < 0 ? 'before' : 'after'}`;
}

function OverlapAnswer(props: { answer: Compared; chain: Chain }) {
  const { answer } = props;
  return (
    <>
      <p class="row">
        <Tag tone={tone(answer.verdict)}>{word(answer.verdict)}</Tag>
        <span>
          {answer.redundant === null
            ? 'Whether it is redundant could not be told.'
            : answer.redundant
              ? 'It is redundant beside what runs already.'
              : 'It is not redundant.'}
        </span>
      </p>
      <Reasons reasons={answer.reasons} label="Reasons of the comparison" />
      <Meter label="Overlap" value={answer.overlapPct} of={100} text={percent(answer.overlapPct, { digits: 0 })} />
      <Measures>
        <Measure label="Most similar">{answer.mostSimilar && <Address address={answer.mostSimilar} />}</Measure>
        <Measure label="Daily results would vary by">{percent(answer.varianceChangePct, { sign: true, digits: 0 })}</Measure>
        <Measure label="Compared over">{duration(answer.windowDays * 86_400)}</Measure>
      </Measures>
      {answer.sharedTokens.length > 0 && <p>In common: {answer.sharedTokens.join(', ')}</p>}
      {answer.leaders.length > 0 && (
        <section class="scroll" tabIndex={0} aria-label="Leaders compared with">
          <table>
            <thead>
              <tr>
                <th scope="col">Leader</th>
                <th scope="col">Adds</th>
                <th scope="col">Overlap</th>
                <th scope="col">Same holdings</th>
                <th scope="col">Same buys</th>
                <th scope="col">Entries matched</th>
                <th scope="col">By chance</th>
                <th scope="col">Enters</th>
                <th scope="col">Same operator</th>
              </tr>
            </thead>
            <tbody>
              {answer.leaders.map((each) => (
                <tr key={each.leader}>
                  <th scope="row">
                    <Address address={each.leader} to={{ screen: 'trader', kind: 'spot', chain: props.chain, wallet: each.leader }} />
                  </th>
                  <td>{word(each.verdict)}</td>
                  <td>{percent(each.overlapPct, { digits: 0 })}</td>
                  <td>{percent(each.sharedHoldingsPct, { digits: 0 })}</td>
                  <td>{percent(each.sharedBuysPct, { digits: 0 })}</td>
                  <td>{percent(each.matchedPct, { digits: 0 })}</td>
                  <td>{percent(each.expectedPct, { digits: 0 })}</td>
                  <td>
                    {lag(each.medianLagMinutes)}
                    {each.direction === null ? '' : ` · ${each.direction}`}
                  </td>
                  <td>{each.sameOperator ? 'Yes' : 'No'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

export function Overlap(props: { leader: string; chain: Chain; wallet: string | null }) {
  const { wallet } = props;
  const [text, setText] = useState('');
  const [error, setError] = useState<string | undefined>(undefined);
  const [asked, setAsked] = useState<{ wallet: string; leaders: string[] } | null>(null);
  const answer = useAnswer(
    asked === null ? null : `overlap ${asked.wallet} ${props.leader} ${props.chain} ${asked.leaders.join(' ')}`,
    (client, signal) =>
      client.copyOverlap(
        {
          wallet: asked?.wallet ?? '',
          leadWallet: props.leader,
          chain: props.chain,
          ...(asked && asked.leaders.length > 0 ? { leaders: asked.leaders } : {}),
        },
        { signal },
      ),
  );
  return (
    <details class="unfold">
      <summary>Does it add anything to what runs already?</summary>
      <form
        class="size-form"
        onSubmit={(event) => {
          event.preventDefault();
          const read = leadersIn(text);
          setError(wallet === null ? 'Give your wallet above first.' : read.error);
          if (wallet !== null && read.leaders !== null) {
            setAsked({ wallet, leaders: read.leaders });
          }
        }}
      >
        <Field
          label="Leaders to compare with"
          value={text}
          onChange={setText}
          lines={2}
          placeholder="0x…, 0x…"
          hint={`Up to ${most} addresses on ${props.chain}; none for those that your wallet’s agents copy.`}
          error={error}
        />
        <button type="submit">Compare</button>
      </form>
      {asked !== null && (
        <Answered asked={answer} what="Comparing">
          {(compared) => <OverlapAnswer answer={compared} chain={props.chain} />}
        </Answered>
      )}
    </details>
  );
}
