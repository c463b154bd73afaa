/** The portfolio screen: what a wallet holds and what that risks. Without a wallet it asks for one. */
import { AddressForm } from '../parts/form';
import { Samples } from '../parts/samples';
import { type Chain, hrefOf, isChain, type Route } from '../route';
import { useSession } from '../session';
import { PortfolioPage } from './portfolio/page';

export function Portfolio(props: { route: Extract<Route, { screen: 'portfolio' }> }) {
  const { wallet, chain } = props.route;
  return wallet !== undefined && chain !== undefined ? <PortfolioPage wallet={wallet} chain={chain} /> : <Choice />;
}

function Choice() {
  const { market } = useSession();
  return (
    <>
      <div class="page-head">
        <h1>What does this wallet risk?</h1>
      </div>
      <section class="card" aria-label="Choose a wallet">
        <AddressForm
          what="Wallet"
          chain="eth"
          onSubmit={(wallet: string, chain: Chain) => {
            window.location.hash = hrefOf({ screen: 'portfolio', chain, wallet });
          }}
        />
      </section>
      {market && (
        <Samples
          title="Wallets of the simulated market"
          samples={market.wallets}
          to={({ address, chain }) => (isChain(chain) ? { screen: 'portfolio', chain, wallet: address } : null)}
        />
      )}
    </>
  );
}
