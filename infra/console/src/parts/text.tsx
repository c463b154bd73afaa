/** Sentences and values of answers: reasons, notes, disclosures, measures, addresses. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { hrefOf, isChain, type Route } from '../route';
import { notMeasured, shortAddress } from '../words';

/** The reasons of an assessment, as the service gave them. */
export function Reasons(props: { reasons: readonly string[]; label?: string }) {
  if (props.reasons.length === 0) {
    return null;
  }
  return (
    <ul class="reasons" aria-label={props.label ?? 'Reasons'}>
      {props.reasons.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
}

/** What must be shown beside simulated numbers, word for word. */
export function Disclosure(props: { text: string | null | undefined }) {
  return props.text ? (
    <p class="disclosure" role="note">
      {props.text}
    </p>
  ) : null;
}

/** A list of named values. */
export function Measures(props: { children: ComponentChildren }) {
  return <dl class="measures">{props.children}</dl>;
}

/** One named value. What was not measured is said to be so, and looks different from any value. */
export function Measure(props: { label: string; children: ComponentChildren; hint?: string }) {
  const missing = props.children === null || props.children === undefined || props.children === notMeasured;
  return (
    <div class="measure">
      <dt title={props.hint}>{props.label}</dt>
      <dd class={missing ? 'unmeasured' : ''}>{missing ? notMeasured : props.children}</dd>
    </div>
  );
}

/** A word of the service on a ground of its tone. */
export function Tag(props: { tone?: 'good' | 'caution' | 'bad' | 'unknown' | 'plain'; children: ComponentChildren }) {
  return <span class={`tag tone-${props.tone ?? 'plain'}`}>{props.children}</span>;
}

/** Where a wallet's page is, by the venue and the chain that it trades on; null where it has none. */
export function traderRoute(wallet: string, chain: string | null, venue?: string): Route | null {
  if (venue === 'perpvenue-perps') {
    return { screen: 'trader', kind: 'perp', wallet };
  }
  if (venue === 'predictvenue-markets') {
    return { screen: 'trader', kind: 'prediction', wallet };
  }
  return isChain(chain) ? { screen: 'trader', kind: 'spot', chain, wallet } : null;
}

/** An address, shortened, with its whole text for copying and for screen readers; a link where it leads somewhere. */
export function Address(props: { address: string; to?: Route | null; whole?: boolean }) {
  const [copied, setCopied] = useState(false);
  const text = <code title={props.address}>{props.whole ? props.address : shortAddress(props.address)}</code>;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.address);
      setCopied(true);
    } catch {
      setCopied(false);
    }
  };
  return (
    <span class="address">
      {props.to ? (
        <a href={hrefOf(props.to)} aria-label={`Wallet ${props.address}`}>
          {text}
        </a>
      ) : (
        text
      )}
      <button type="button" class="quiet" onClick={copy} aria-label={`Copy address ${props.address}`}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          {copied ? <path d="M3 8.5l3.2 3.2L13 5" /> : <path d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z" />}
        </svg>
      </button>
    </span>
  );
}
