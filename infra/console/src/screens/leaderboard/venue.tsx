/** What a venue publishes of a leader: its own figures, apart from our grade, which is never made of them. */
import type { Answer } from '@mirrorworthy/client';
import { instant, notMeasured, number, percent, venueName, word } from '../../words';
import { Value } from './board';

const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 0, signDisplay: 'exceptZero' });

/** A venue's figure of profit. */
export function dollars(usd: number | null): string {
  return usd === null ? notMeasured : money.format(usd).replace('-', '−');
}

type Figures = Pick<Answer<'StrategyLeader'>, 'venueRank' | 'venuePnlUsd' | 'venueReturnPct' | 'venueSeenAt' | 'window'>;

/** The figures of a venue, named as its own. */
export function VenueFigures(props: { venue: string; figures: Pick<Figures, 'venuePnlUsd'> & Partial<Figures> }) {
  const { venuePnlUsd, venueReturnPct, venueRank, venueSeenAt, window } = props.figures;
  const told = [venuePnlUsd, venueReturnPct, venueRank].some((figure) => figure !== null && figure !== undefined);
  return (
    <div class="venue-figures" role="note" aria-label="The venue's own figures">
      <span class="venue-title">
        The venue's own figures ({venueName(props.venue)}
        {window ? `, ${word(window).toLowerCase()}` : ''}), no part of our grade
      </span>
      <span>
        Profit <Value text={dollars(venuePnlUsd)} />
      </span>
      {told && (
        <>
          {venueReturnPct !== undefined && (
            <span>
              Return <Value text={percent(venueReturnPct, { sign: true })} />
            </span>
          )}
          {venueRank !== undefined && (
            <span>
              Rank there <Value text={number(venueRank, 0)} />
            </span>
          )}
          {venueSeenAt !== undefined && (
            <span>
              Seen <Value text={instant(venueSeenAt)} />
            </span>
          )}
        </>
      )}
    </div>
  );
}
