/** A grade and how far it carries. A grade of little history looks like one: hollow, and with a thin bar under it. */
import { notMeasured, number, word } from '../words';

export type GradeLetter = 'A' | 'B' | 'C' | 'D' | 'F';

/** Below this confidence a grade is softened. */
const soft = 0.5;

/** The tone of a grade: A and B are positive, C and D caution, F negative, and none is unknown, which is never bad. */
export function toneOfGrade(grade: GradeLetter | null): string {
  switch (grade) {
    case 'A':
    case 'B':
      return 'good';
    case 'C':
    case 'D':
      return 'caution';
    case 'F':
      return 'bad';
    default:
      return 'unknown';
  }
}

/** A grade's letter. Without one it is a question mark. Confidence is 0 to 1. */
export function Grade(props: { grade: GradeLetter | null; confidence?: number | null; large?: boolean }) {
  const { grade, confidence = null } = props;
  const thin = grade !== null && confidence !== null && confidence < soft;
  const label = grade === null ? 'Unrated' : `Grade ${grade}${thin ? ', on little history' : ''}`;
  return (
    <span
      class={`grade tone-${toneOfGrade(grade)}${thin || grade === null ? ' hollow' : ''}${props.large ? ' large' : ''}`}
      role="img"
      aria-label={label}
      title={label}
    >
      {grade ?? '?'}
    </span>
  );
}

/** A verdict as a word: mirror-worthy, watch, avoid, or unrated, which is unknown and not bad. */
export function Verdict(props: { verdict: string | null }) {
  const tones: Record<string, string> = { 'mirror-worthy': 'good', watch: 'caution', avoid: 'bad' };
  return <span class={`tag tone-${tones[props.verdict ?? ''] ?? 'unknown'}`}>{word(props.verdict)}</span>;
}

/**
 * How much history backs a score, drawn as a line whose thickness is the confidence: a thin history looks thin. Confidence is 0 to 1.
 */
export function Confidence(props: { confidence: number | null; sampleSize?: number; of?: string }) {
  const { confidence, sampleSize } = props;
  const history = sampleSize === undefined ? '' : `, ${number(sampleSize, 0)} ${props.of ?? 'closed positions'}`;
  const text = confidence === null ? notMeasured : `${Math.round(confidence * 100)} %`;
  return (
    <span class="confidence" title="How much history backs the grade">
      <svg viewBox="0 0 64 16" aria-hidden="true" preserveAspectRatio="none">
        <rect class="track" x="0" y="0" width="64" height="16" rx="3" />
        {confidence !== null && (
          <rect
            class={confidence < soft ? 'thin' : 'thick'}
            x="0"
            width="64"
            y={8 - Math.max(0.5, 8 * confidence)}
            height={Math.max(1, 16 * confidence)}
            rx="1"
          />
        )}
      </svg>
      <span class="confidence-text">
        Confidence {text}
        {history}
      </span>
    </span>
  );
}
