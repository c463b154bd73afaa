/** The trader screen: one wallet, as a spot trader on a chain, at the perpetuals venue, or on the prediction market. */
import { chains, hrefOf, type Route } from '../route';
import './trader/trader.css';
import { PerpTrader } from './trader/perp';
import { PredictionTrader } from './trader/prediction';
import { SpotTrader } from './trader/spot';

type TraderRoute = Extract<Route, { screen: 'trader' }>;

export function Trader(props: { route: TraderRoute }) {
  const { route } = props;
  return (
    <>
      <nav class="tabs" aria-label="Where the wallet trades">
        {placesOf(route.wallet).map(({ name, to }) => (
          <a key={name} href={hrefOf(to)} aria-current={hrefOf(to) === hrefOf(route) ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      {route.kind === 'spot' ? (
        <SpotTrader wallet={route.wallet} chain={route.chain} />
      ) : route.kind === 'perp' ? (
        <PerpTrader wallet={route.wallet} />
      ) : (
        <PredictionTrader wallet={route.wallet} />
      )}
    </>
  );
}

/** Everywhere that a wallet can be looked at. */
function placesOf(wallet: string): { name: string; to: TraderRoute }[] {
  return [
    ...chains.map((chain) => ({ name: `Spot ${chain}`, to: { screen: 'trader', kind: 'spot', chain, wallet } as const })),
    { name: 'Perpetuals', to: { screen: 'trader', kind: 'perp', wallet } },
    { name: 'Prediction markets', to: { screen: 'trader', kind: 'prediction', wallet } },
  ];
}
