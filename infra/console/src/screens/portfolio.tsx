/** The portfolio screen. */
import { hrefOf, type Route } from '../route';

export function Portfolio(props: { route: Route }) {
  return <h1>{hrefOf(props.route)}</h1>;
}
