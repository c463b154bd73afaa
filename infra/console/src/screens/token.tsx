/** The token screen. */
import { hrefOf, type Route } from '../route';

export function Token(props: { route: Route }) {
  return <h1>{hrefOf(props.route)}</h1>;
}
