/** The trader screen. */
import { hrefOf, type Route } from '../route';

export function Trader(props: { route: Route }) {
  return <h1>{hrefOf(props.route)}</h1>;
}
