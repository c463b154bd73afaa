/** The token screen: what a token is, whether it is safe, and what changes about it. Without a token it asks for one. */
import { AddressForm } from '../parts/form';
import { Samples } from '../parts/samples';
import { type Chain, hrefOf, isChain, type Route } from '../route';
import { useSession } from '../session';
import { TokenPage } from './token/page';

export function Token(props: { route: Extract<Route, { screen: 'token' }> }) {
  const { token, chain } = props.route;
  return token !== undefined && chain !== undefined ? <TokenPage token={token} chain={chain} /> : <Choice />;
}

function Choice() {
  const { market } = useSession();
  return (
    <>
      <div class="page-head">
        <h1>Is this token safe?</h1>
      </div>
      <section class="card" aria-label="Choose a token">
        <AddressForm
          what="Token contract"
          chain="eth"
          onSubmit={(token: string, chain: Chain) => {
            window.location.hash = hrefOf({ screen: 'token', chain, token });
          }}
        />
      </section>
      {market && (
        <Samples
          title="Tokens of the simulated market"
          samples={market.tokens}
          to={({ address, chain }) => (isChain(chain) ? { screen: 'token', chain, token: address } : null)}
        />
      )}
    </>
  );
}
