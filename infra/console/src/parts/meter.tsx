/** Horizontal bars for shares and distances, in plain elements: what a picture is too much for. */
import { notMeasured } from '../words';

/**
 * A bar from 0 to `of`. A null value has no bar at all, so that it cannot be taken for zero. `mark` draws a line to compare with.
 */
export function Meter(props: {
  label: string;
  value: number | null;
  of: number;
  text: string;
  tone?: 'good' | 'caution' | 'bad' | 'unknown' | 'plain';
  mark?: { at: number; label: string };
}) {
  const { value, of } = props;
  const part = (n: number) => `${Math.min(100, Math.max(0, (100 * n) / of))}%`;
  return (
    <div class="meter">
      <span class="meter-label">{props.label}</span>
      <span
        class={`meter-track${value === null ? ' none' : ''}`}
        role="img"
        aria-label={`${props.label}: ${value === null ? notMeasured : props.text}${props.mark ? `; ${props.mark.label}` : ''}`}
      >
        {value !== null && <span class={`meter-bar tone-${props.tone ?? 'plain'}`} style={{ width: part(value) }} />}
        {props.mark && <span class="meter-mark" style={{ left: part(props.mark.at) }} title={props.mark.label} />}
      </span>
      <span class={`meter-text${value === null ? ' unmeasured' : ''}`}>{value === null ? notMeasured : props.text}</span>
    </div>
  );
}
