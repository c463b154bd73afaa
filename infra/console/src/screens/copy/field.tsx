/** A named field of a form, with what it takes and what is wrong with what is in it. */
import { useId } from 'preact/hooks';

export function Field(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  error?: string | undefined;
  placeholder?: string;
  decimal?: boolean;
  /** Several lines. */
  lines?: number;
  /** What may be chosen besides typing. */
  offers?: readonly { value: string; label: string }[];
}) {
  const id = useId();
  const { hint, error, offers } = props;
  const described = [hint ? `${id}-hint` : '', error ? `${id}-wrong` : ''].filter((name) => name !== '').join(' ');
  const common = {
    id,
    value: props.value,
    placeholder: props.placeholder,
    spellcheck: false,
    autocomplete: 'off' as const,
    'aria-invalid': error !== undefined,
    'aria-describedby': described === '' ? undefined : described,
  };
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.lines ? (
        <textarea {...common} rows={props.lines} onInput={(event) => props.onChange(event.currentTarget.value)} />
      ) : (
        <input
          {...common}
          inputMode={props.decimal ? 'decimal' : 'text'}
          list={offers ? `${id}-offers` : undefined}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
      {offers && (
        <datalist id={`${id}-offers`}>
          {offers.map((offer) => (
            <option key={offer.value} value={offer.value}>
              {offer.label}
            </option>
          ))}
        </datalist>
      )}
      {hint && (
        <p class="fine" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="wrong" id={`${id}-wrong`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** A choice of a few words. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        value={props.value}
        onChange={(event) => {
          const chosen = props.options.find((option) => option.value === event.currentTarget.value);
          if (chosen) {
            props.onChange(chosen.value);
          }
        }}
      >
        {props.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A sentence with a box to tick. */
export function Tick(props: { checked: boolean; onChange: (checked: boolean) => void; children: string }) {
  return (
    <label class="tick">
      <input type="checkbox" checked={props.checked} onChange={(event) => props.onChange(event.currentTarget.checked)} />
      <span>{props.children}</span>
    </label>
  );
}
