/** Weight against risk as a picture: bars as wide as a position's weight and as high as its risk. */
import { Numbers } from '../../pictures/plot';
import { number, percent } from '../../words';
import { barsOf, kindNames, type Position, rowsOf, saysOf, sharesOf } from './positions';

export function Weights(props: { positions: readonly Position[]; weightedRisk: number | null }) {
  const { positions, weightedRisk } = props;
  const unmeasured = positions.filter((position) => position.weightPct === null).length;
  return (
    <figure class="picture weights">
      <div class="weights-plot" role="img" aria-label={saysOf(positions, weightedRisk)}>
        <div class="weights-scale" aria-hidden="true">
          <span>100</span>
          <span>50</span>
          <span>0</span>
        </div>
        <div class="weights-bars" aria-hidden="true">
          {barsOf(positions).map(({ place, position, kind, left, width, height }) => (
            <div
              key={place}
              class="weights-column"
              style={{ left: `${left}%`, width: `${width}%` }}
              title={`${position.symbol}: ${percent(position.weightPct)} of the value, ${kindNames[kind]}, ${
                position.riskScore === null ? 'counts as 50' : `risk ${number(position.riskScore)} of 100`
              }`}
            >
              <div class={`weights-bar kind-${kind}`} style={{ height: `${height}%` }} />
              <div
                class="weights-label"
                style={height > 70 ? { top: `calc(${100 - height}% + 13px)` } : { bottom: `calc(${height}% + 2px)` }}
              >
                <strong>
                  {place} <span class="weights-name">{position.symbol}</span>
                </strong>
                <span class="weights-name">{kindNames[kind]}</span>
                <span class="weights-name">{percent(position.weightPct, { digits: 0 })}</span>
              </div>
            </div>
          ))}
          {weightedRisk !== null && <div class="weights-line" style={{ bottom: `${weightedRisk}%` }} />}
        </div>
      </div>
      <ul class="weights-legend">
        {sharesOf(positions).map(({ kind, weightPct }) => (
          <li key={kind}>
            <span class={`weights-swatch kind-${kind}`} aria-hidden="true" />
            {kindNames[kind]} {percent(weightPct)}
          </li>
        ))}
        {weightedRisk !== null && (
          <li>
            <span class="weights-swatch line" aria-hidden="true" />
            weighted risk {number(weightedRisk)}
          </li>
        )}
      </ul>
      <figcaption>
        Each bar is a position: as wide as its part of the value assessed, as high as its risk of 0 to 100, so that its area is what it adds
        to the weighted risk. Cash is stablecoins; they and the chain's own coin count by their kind. Hatched is unknown: it counts as 50,
        and is no verdict. The figures in the bars are those of the list below.
        {unmeasured > 0 && ` The weight of ${number(unmeasured, 0)} was not measured, so they are not drawn.`}
      </figcaption>
      <Numbers open table={{ head: ['Position', 'Weight', 'Risk', 'Score'], rows: rowsOf(positions) }} />
    </figure>
  );
}
