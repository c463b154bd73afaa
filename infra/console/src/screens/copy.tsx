/** The copy screen. */
import { hrefOf, type Route } from '../route';

export function Copy(props: { route: Route }) {
  return <h1>{hrefOf(props.route)}</h1>;
}
