/** What all boards have in common: what was examined, the filter of chains, rows that go on, and a grade with all that backs it. */
import type { Answer } from '@mirrorworthy/client';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Confidence, Grade, Verdict } from '../../parts/grade';
import { Meter } from '../../parts/meter';
import { Answered, Empty, ProblemNote } from '../../parts/state';
import { Address, Reasons, Tag, traderRoute } from '../../parts/text';
import { type Board, type Chain, chains, hrefOf, isChain } from '../../route';
import { count, instant, notMeasured, number, percent, word } from '../../words';
import type { Page, Pages, RowOf } from './pages';

/** What every board tells of itself. */
export type BoardFacts = { publishedAt: string | null; total: number; examined?: number; mirrorWorthy?: number; note: string | null };

/** What every row tells of its grade. */
export type Graded = Pick<Answer<'LeaderboardRow'>, 'grade' | 'verdict' | 'score' | 'subscores' | 'confidence' | 'sampleSize' | 'reasons'>;

/** What boards of leaders tell besides. */
export type Examined = Pick<Answer<'LeaderIntel'>, 'mirrorWorthy' | 'adjustedP' | 'holdStyle' | 'lastEntryAt' | 'gradedAt'>;

/** A probability of luck, which the service never shows below 0.001. */
export function probability(p: number | null): string {
  if (p === null) {
    return notMeasured;
  }
  return p <= 0.001 ? 'at most 0.1 %' : percent(p * 100, { digits: 1 });
}

/** Chooses a chain, or all. */
export function ChainFilter(props: { board: Board; chain: Chain | undefined }) {
  return (
    <nav class="chips" aria-label="Chains">
      <a href={hrefOf({ screen: 'leaderboard', board: props.board })} aria-current={props.chain === undefined ? 'true' : undefined}>
        All chains
      </a>
      {chains.map((chain) => (
        <a
          key={chain}
          href={hrefOf({ screen: 'leaderboard', board: props.board, chain })}
          aria-current={props.chain === chain ? 'true' : undefined}
        >
          {chain}
        </a>
      ))}
    </nav>
  );
}

/** How many were looked at and how many of them stand, in words, and when that was. */
export function examinedWords(facts: BoardFacts): string {
  if (facts.publishedAt === null) {
    return 'Not published yet.';
  }
  const sentences: string[] = [];
  if (facts.examined !== undefined && facts.mirrorWorthy !== undefined) {
    sentences.push(
      `Of ${count(facts.examined, 'wallet')} examined, ${number(facts.mirrorWorthy, 0)} ${facts.mirrorWorthy === 1 ? 'is' : 'are'} mirror-worthy, with luck among so many allowed for.`,
    );
  }
  sentences.push(`Published ${instant(facts.publishedAt)}.`);
  return sentences.join(' ');
}

/** A board's rows with what it tells of itself, and a way to more of them. */
export function PagedBoard<Of extends Page & BoardFacts>(props: {
  pages: Pages<Of>;
  what: string;
  noun: string;
  plural?: string;
  empty: string;
  /** Shows one row, within an item of the list. */
  row: (row: RowOf<Of>) => ComponentChildren;
  class?: string;
  children?: ComponentChildren;
}) {
  const { pages } = props;
  return (
    <Answered asked={pages.first} what={props.what}>
      {(first) => (
        <>
          <p class="soft">{examinedWords(first)}</p>
          {props.children}
          {first.rows.length === 0 ? (
            <>
              <Empty note={first.note} otherwise={props.empty} />
              <p class="fine">It is asked again every few seconds until rows come.</p>
            </>
          ) : (
            <>
              {first.note && <p class="board-note">{first.note}</p>}
              <RowList rows={pages.rows} row={props.row} class={props.class ?? 'rows'} />
              <More pages={pages} total={first.total} noun={props.noun} plural={props.plural} />
            </>
          )}
        </>
      )}
    </Answered>
  );
}

/** Rows in a list. When more come, whoever uses the keyboard goes on at the first of them. */
function RowList<Row>(props: { rows: Row[]; row: (row: Row) => ComponentChildren; class: string }) {
  const list = useRef<HTMLOListElement>(null);
  const before = useRef(props.rows.length);
  useEffect(() => {
    const known = before.current;
    before.current = props.rows.length;
    const item = list.current?.children[known];
    if (known > 0 && props.rows.length > known && item instanceof HTMLElement) {
      item.focus({ preventScroll: true });
    }
  }, [props.rows.length]);
  return (
    <ol class={props.class} ref={list}>
      {props.rows.map((row, i) => (
        <li key={i} tabIndex={-1}>
          {props.row(row)}
        </li>
      ))}
    </ol>
  );
}

/** How much of a board is shown, and the way to more. */
export function More<Of extends Page>(props: { pages: Pages<Of>; total: number; noun: string; plural?: string | undefined }) {
  const { pages, total } = props;
  return (
    <div class="more">
      {pages.problem && <ProblemNote problem={pages.problem} again={pages.again} />}
      <p class="fine" role="status">
        {pages.asking ? 'Reading more…' : `${number(pages.rows.length, 0)} of ${count(total, props.noun, props.plural)} shown`}
      </p>
      {pages.more && (
        <button type="button" onClick={pages.more} disabled={pages.asking}>
          Show more
        </button>
      )}
    </div>
  );
}

/** A wallet's rank, grade, verdict and reasons. `children` stand below our grade. */
export function GradedRow(props: {
  rank: number | null;
  wallet: string;
  chain: string | null;
  venue?: string;
  graded: Graded;
  examined?: Examined;
  tags?: ComponentChildren;
  /** Whether a follower can copy it, so that a link leads there. */
  copyable?: boolean;
  children?: ComponentChildren;
}) {
  const { graded, examined, venue } = props;
  return (
    <div class="graded">
      <div class="lead">
        <span class="rank">{props.rank === null ? 'no rank' : `#${number(props.rank, 0)}`}</span>
        <Grade grade={graded.grade} confidence={graded.confidence} />
      </div>
      <div class="graded-body">
        <div class="row">
          <Address address={props.wallet} to={traderRoute(props.wallet, props.chain, venue)} />
          {props.chain && <Tag>{props.chain}</Tag>}
          <Verdict verdict={graded.verdict} />
          {props.tags}
          {props.copyable && (
            <a
              class="button small"
              aria-label={`Copy this leader, wallet ${props.wallet}`}
              href={hrefOf({
                screen: 'copy',
                leader: props.wallet,
                venue: venue ?? 'dexvenue-spot',
                ...(isChain(props.chain) ? { chain: props.chain } : {}),
              })}
            >
              Copy this leader
            </a>
          )}
        </div>
        <div class="row facts">
          <span>
            Score <Value text={number(graded.score)} />
          </span>
          <Confidence confidence={graded.confidence} {...(graded.sampleSize === null ? {} : { sampleSize: graded.sampleSize })} />
          {examined && (
            <>
              <span>
                Luck among all examined <Value text={probability(examined.adjustedP)} />
              </span>
              <span>
                Holds <Value text={word(examined.holdStyle)} />
              </span>
              <span>
                Last entry <Value text={instant(examined.lastEntryAt)} />
              </span>
              <span>
                Graded <Value text={instant(examined.gradedAt)} />
              </span>
            </>
          )}
        </div>
        {examined && graded.verdict === 'mirror-worthy' && !examined.mirrorWorthy && (
          <p class="fine">Its own page calls it mirror-worthy; among so many wallets examined, luck cannot be ruled out.</p>
        )}
        {graded.subscores && <Subscores subscores={graded.subscores} />}
        <Reasons reasons={graded.reasons} />
        {props.children}
      </div>
    </div>
  );
}

/** A value in a line of facts. */
export function Value(props: { text: string }) {
  return props.text === notMeasured ? <span class="unmeasured">{notMeasured}</span> : <strong>{props.text}</strong>;
}

/** The three parts of a score. */
export function Subscores(props: { subscores: Answer<'WalletSubscores'> }) {
  const { winRate, profitability, consistency } = props.subscores;
  return (
    <div class="subscores">
      <Meter label="Win rate" value={winRate} of={100} text={`${number(winRate, 0)} of 100`} />
      <Meter label="Profitability" value={profitability} of={100} text={`${number(profitability, 0)} of 100`} />
      <Meter label="Consistency" value={consistency} of={100} text={`${number(consistency, 0)} of 100`} />
    </div>
  );
}
