/** The leaderboard screen: who is worth mirroring, by the boards of the service. */
import { type Board, boards, hrefOf, type Route } from '../route';
import { word } from '../words';

export function Leaderboard(props: { route: Extract<Route, { screen: 'leaderboard' }> }) {
  return (
    <>
      <div class="page-head">
        <h1>Who is worth mirroring?</h1>
      </div>
      <nav class="tabs" aria-label="Boards">
        {boards.map((board: Board) => (
          <a key={board} href={hrefOf({ ...props.route, board })} aria-current={board === props.route.board ? 'page' : undefined}>
            {word(board)}
          </a>
        ))}
      </nav>
    </>
  );
}
