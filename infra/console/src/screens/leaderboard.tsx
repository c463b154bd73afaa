/** The leaderboard screen: who is worth mirroring, by the boards of the service. */
import { lazy, Suspense } from 'preact/compat';
import { Tabs } from '../parts/tabs';
import { type Board, boards, hrefOf, type Route } from '../route';
import { word } from '../words';
import './leaderboard/leaderboard.css';
import { ChainFilter } from './leaderboard/board';
import { Compare } from './leaderboard/compare';
import { LookUp } from './leaderboard/look-up';
import { SpotLeaders } from './leaderboard/spot-leaders';
import { Strategies } from './leaderboard/strategies';
import { TopTraders } from './leaderboard/top-traders';
import { Traders } from './leaderboard/traders';

const TrackRecord = lazy(() => import('./leaderboard/track-record').then((m) => m.TrackRecord));

/** What each board holds. */
const abouts: Record<Board, string> = {
  traders: 'Wallets that were found on chain, graded, and held up among all that were looked at. The best score comes first.',
  'spot-leaders':
    'Wallets that were among the first buyers of tokens that rose, more often than chance gives. Those that a delayed copier could not follow are listed too, with why.',
  strategies: 'What can be copied at each venue, and who leads it. Grades are ours; profits are the venue’s.',
  'top-traders': 'Spot traders by our own grade of their closed positions, beside what their venue publishes of them.',
  compare: 'Bring wallets of your own: they are graded now and ranked.',
  'track-record': 'What became of every entry that leaders made after they were first graded. Nothing in it is chosen with hindsight.',
};

/** Boards that are not filtered by chain. */
const chainless: readonly Board[] = ['compare', 'track-record'];

export function Leaderboard(props: { route: Extract<Route, { screen: 'leaderboard' }> }) {
  const { board, chain } = props.route;
  return (
    <>
      <div class="page-head">
        <h1>Who is worth mirroring?</h1>
        <LookUp />
      </div>
      <Tabs label="Boards" present={props.route} tabs={boards.map((name) => ({ name: word(name), to: { ...props.route, board: name } }))} />
      <section class="card board" aria-labelledby="board-title">
        <h2 id="board-title">{word(board)}</h2>
        <p class="board-about">{abouts[board]}</p>
        {!chainless.includes(board) && <ChainFilter board={board} chain={chain} />}
        <BoardOf key={hrefOf(props.route)} route={props.route} />
      </section>
    </>
  );
}

function BoardOf(props: { route: Extract<Route, { screen: 'leaderboard' }> }) {
  const { board, chain } = props.route;
  switch (board) {
    case 'traders':
      return <Traders chain={chain} />;
    case 'spot-leaders':
      return <SpotLeaders chain={chain} />;
    case 'strategies':
      return <Strategies chain={chain} />;
    case 'top-traders':
      return <TopTraders chain={chain} />;
    case 'compare':
      return <Compare chain={chain} />;
    case 'track-record':
      return (
        <Suspense
          fallback={
            <p class="waiting" role="status">
              Loading…
            </p>
          }
        >
          <TrackRecord />
        </Suspense>
      );
  }
}
