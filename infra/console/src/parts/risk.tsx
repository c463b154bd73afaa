/** How risky a token is, in the service's word. Unknown is a word of its own, neutral in colour: it is neither good nor bad. */
import { notMeasured, word } from '../words';
import { Tag } from './text';

export type Tone = 'good' | 'caution' | 'bad' | 'unknown' | 'plain';

const tones: Record<string, Tone> = { low: 'good', medium: 'caution', high: 'bad', critical: 'bad' };

/** The tone of a verdict of token-risk. */
export function toneOfRisk(verdict: string | null | undefined): Tone {
  return tones[verdict ?? ''] ?? 'unknown';
}

/** The verdict of token-risk, named as what it is. */
export function RiskVerdict(props: { verdict: string | null | undefined }) {
  return <Tag tone={toneOfRisk(props.verdict)}>Risk: {props.verdict ?? notMeasured}</Tag>;
}

/** A word of the service whose tone is looked up; what is not in the table is unknown, which is never bad. */
export function Word(props: { of: string | null | undefined; tones: Record<string, Tone> }) {
  return <Tag tone={props.tones[props.of ?? ''] ?? 'unknown'}>{word(props.of)}</Tag>;
}
