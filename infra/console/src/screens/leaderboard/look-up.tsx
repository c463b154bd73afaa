/** The way to any wallet's page. */
import { useId, useState } from 'preact/hooks';
import { AddressForm } from '../../parts/form';
import { hrefOf } from '../../route';

const kinds = { spot: 'Spot', perp: 'Perpetuals', prediction: 'Prediction markets' } as const;
type Kind = keyof typeof kinds;

function isKind(text: string): text is Kind {
  return Object.hasOwn(kinds, text);
}

export function LookUp() {
  const [kind, setKind] = useState<Kind>('spot');
  const id = useId();
  return (
    <details class="look-up">
      <summary>Look up a wallet</summary>
      <div class="row">
        <div class="field">
          <label for={id}>Trades</label>
          <select
            id={id}
            value={kind}
            onChange={(event) => {
              if (isKind(event.currentTarget.value)) {
                setKind(event.currentTarget.value);
              }
            }}
          >
            {Object.entries(kinds).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <AddressForm
          what="Wallet"
          {...(kind === 'spot' ? { chain: 'eth' as const } : {})}
          onSubmit={(wallet, chain) => {
            window.location.hash = hrefOf(kind === 'spot' ? { screen: 'trader', kind, chain, wallet } : { screen: 'trader', kind, wallet });
          }}
        />
      </div>
    </details>
  );
}
