/** Estimates as dots on whiskers that reach as far as the truth likely does, one below the other on one scale. */
import type { ComponentChildren } from 'preact';
import { notMeasured } from '../words';
import { type Interval, intervalWords, placeOn, type Scale } from './interval';
import './interval.css';
import { Numbers } from './plot';

export function IntervalPicture(props: {
  intervals: Interval[];
  scale: Scale;
  /** Writes a value of the scale. */
  write: (value: number) => string;
  /** What the dots are of, as the head of their column. */
  what: string;
  caption: ComponentChildren;
}) {
  const { intervals, scale, write } = props;
  const left = (value: number) => `${100 * placeOn(scale, value)}%`;
  const cell = (value: number | null) => (value === null ? notMeasured : write(value));
  const mark = intervals.find((interval) => interval.mark)?.mark?.label;
  return (
    <figure class="picture">
      <div class="intervals" role="img" aria-label={intervals.map((interval) => intervalWords(interval, write)).join(' ')}>
        {intervals.map((interval) => (
          <div class="interval" key={interval.label}>
            <span class="interval-label">{interval.label}</span>
            <span class={`interval-track${interval.estimate === null ? ' none' : ''}`}>
              {scale.ticks.map((tick) => (
                <span key={tick} class={`interval-tick${tick === 0 ? ' zero' : ''}`} style={{ left: left(tick) }} />
              ))}
              {interval.estimate !== null && interval.low !== null && interval.high !== null && (
                <span
                  class="interval-whisker"
                  style={{ left: left(interval.low), width: `${100 * (placeOn(scale, interval.high) - placeOn(scale, interval.low))}%` }}
                />
              )}
              {interval.mark && interval.mark.at !== null && <span class="interval-mark" style={{ left: left(interval.mark.at) }} />}
              {interval.estimate !== null && <span class="interval-dot" style={{ left: left(interval.estimate) }} />}
            </span>
            <span class={`interval-text${interval.estimate === null ? ' unmeasured' : ''}`}>
              {cell(interval.estimate)}
              {interval.low !== null && interval.high !== null && (
                <span class="fine">
                  {' '}
                  {write(interval.low)} to {write(interval.high)}
                </span>
              )}
            </span>
          </div>
        ))}
        <div class="interval interval-axis">
          <span />
          <span class="interval-ticks">
            {scale.ticks.map((tick) => (
              <span key={tick} style={{ left: left(tick) }}>
                {write(tick)}
              </span>
            ))}
          </span>
          <span />
        </div>
      </div>
      <figcaption>
        {props.caption}
        {mark !== undefined && (
          <>
            {' '}
            <span class="interval-key" aria-hidden="true" /> {mark}.
          </>
        )}
      </figcaption>
      <Numbers
        table={{
          head: ['Of', props.what, 'Likely from', 'Likely to', ...(mark === undefined ? [] : [mark])],
          rows: intervals.map((interval) => [
            interval.label,
            cell(interval.estimate),
            cell(interval.low),
            cell(interval.high),
            ...(mark === undefined ? [] : [cell(interval.mark?.at ?? null)]),
          ]),
        }}
      />
    </figure>
  );
}
