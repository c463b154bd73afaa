/** What a sample market has to try: its wallets or tokens, with what they are. */
import { hrefOf, isChain, type Route } from '../route';
import type { Sample } from '../session';
import { shortAddress, word } from '../words';
import './samples.css';

/** A list of links to the pages of wallets or tokens. Those on a chain without a page are left out. */
export function Samples(props: { title: string; samples: readonly Sample[]; to: (sample: Sample & { chain: string }) => Route | null }) {
  return (
    <section class="card" aria-labelledby="samples-title">
      <header class="card-head">
        <h2 id="samples-title">{props.title}</h2>
      </header>
      <ul class="samples">
        {props.samples.map((sample) => {
          const to = isChain(sample.chain) ? props.to(sample) : null;
          return (
            to && (
              <li key={`${sample.kind} ${sample.chain} ${sample.address}`}>
                <a href={hrefOf(to)}>
                  {word(sample.kind)} on {sample.chain} <code>{shortAddress(sample.address)}</code>
                </a>
                <span class="fine">{sample.about}</span>
              </li>
            )
          );
        })}
      </ul>
    </section>
  );
}
