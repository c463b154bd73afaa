/** The head of a wallet's page: its grade, how sure that is, and the ways on. */
import type { ComponentChildren } from 'preact';
import { Confidence, Grade, type GradeLetter, Verdict } from '../../parts/grade';
import { Address, Tag } from '../../parts/text';
import { type Chain, hrefOf } from '../../route';

export type Verdicted = { grade: GradeLetter | null; verdict: string; confidence: number | null; sampleSize: number };

export function TraderHead(props: {
  wallet: string;
  place: string;
  venue: string;
  chain?: Chain;
  /** Undefined where this place makes no grade, or could not. */
  graded?: Verdicted | undefined;
  /** What the sample counts. */
  of?: string;
  children?: ComponentChildren;
}) {
  const { graded, chain } = props;
  return (
    <div class="page-head trader-head">
      <div class="row">
        {graded && <Grade grade={graded.grade} confidence={graded.confidence} large />}
        <div>
          <h1>Trader</h1>
          <div class="row">
            <Address address={props.wallet} whole />
            <Tag>{props.place}</Tag>
          </div>
          <div class="row">
            {graded && (
              <>
                <Verdict verdict={graded.verdict} />
                <Confidence confidence={graded.confidence} sampleSize={graded.sampleSize} {...(props.of ? { of: props.of } : {})} />
              </>
            )}
            {props.children}
          </div>
        </div>
      </div>
      <div class="row">
        <a class="primary" href={hrefOf({ screen: 'copy', leader: props.wallet, venue: props.venue, ...(chain ? { chain } : {}) })}>
          Copy this trader
        </a>
        {chain && (
          <a class="button" href={hrefOf({ screen: 'portfolio', chain, wallet: props.wallet })}>
            Its portfolio
          </a>
        )}
      </div>
    </div>
  );
}
