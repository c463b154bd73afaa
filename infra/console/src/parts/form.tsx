/** Asking for what a page is about. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type Chain, chains, isAddress } from '../route';

/** Chooses a chain. */
export function ChainField(props: { value: Chain; onChange: (chain: Chain) => void; label?: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label ?? 'Chain'}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value as Chain)}>
        {chains.map((chain) => (
          <option key={chain} value={chain}>
            {chain}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Takes an address, and a chain where `chain` is given. What has not the form of an address is told at once. */
export function AddressForm(props: {
  what: string;
  chain?: Chain;
  address?: string;
  submit?: string;
  onSubmit: (address: string, chain: Chain) => void;
  children?: ComponentChildren;
}) {
  const id = useId();
  const [address, setAddress] = useState(props.address ?? '');
  const [chain, setChain] = useState<Chain>(props.chain ?? 'eth');
  const [wrong, setWrong] = useState(false);
  return (
    <form
      class="address-form"
      onSubmit={(event) => {
        event.preventDefault();
        const text = address.trim();
        setWrong(!isAddress(text));
        if (isAddress(text)) {
          props.onSubmit(text, chain);
        }
      }}
    >
      {props.chain && <ChainField value={chain} onChange={setChain} />}
      <div class="field grow">
        <label for={id}>{props.what}</label>
        <input
          id={id}
          value={address}
          onInput={(event) => setAddress(event.currentTarget.value)}
          placeholder="0x…"
          spellcheck={false}
          autocomplete="off"
          aria-invalid={wrong}
          aria-describedby={wrong ? `${id}-wrong` : undefined}
        />
        {wrong && (
          <p class="wrong" id={`${id}-wrong`} role="alert">
            An address is 0x and 40 hexadecimal digits.
          </p>
        )}
      </div>
      {props.children}
      <button type="submit" class="primary">
        {props.submit ?? 'Look'}
      </button>
    </form>
  );
}
