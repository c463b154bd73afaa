/** The log of a token's changes, and the control of looking for them. */

import { RiskVerdict, type Tone } from '../../parts/risk';
import { ProblemNote, type SlotError } from '../../parts/state';
import { Reasons, Tag } from '../../parts/text';
import { count, instant, word } from '../../words';
import { type Entry, namesSignal } from './change-log';
import type { Watch } from './use-changes';

const severityTones: Record<string, Tone> = { info: 'plain', medium: 'caution', high: 'bad', critical: 'bad' };
const directions: Record<string, string> = { up: '↑ up', down: '↓ down', changed: '→ changed' };

export function ChangesLog(props: {
  watch: Watch;
  on: boolean;
  /** Why the bundle's own look failed, where it did. */
  failed: SlotError | null;
}) {
  const { watch, on, failed } = props;
  const { log } = watch;
  return (
    <>
      {on && (
        <div class="row">
          <button type="button" aria-pressed={watch.paused} onClick={() => watch.setPaused(!watch.paused)}>
            {watch.paused ? 'Resume' : 'Pause'}
          </button>
          <button type="button" onClick={watch.look} disabled={watch.asking}>
            Check now
          </button>
          <span class="fine">{watch.paused ? 'Paused.' : 'Checks each minute while you look at this page.'}</span>
        </div>
      )}
      {on && <Beginning watch={watch} />}
      {failed && (
        <p class="fine">
          The look with the rest of the page failed: {failed.message} (<code>{failed.error}</code>)
        </p>
      )}
      {watch.problem && <ProblemNote problem={watch.problem} again={watch.look} />}
      {log.entries.length > 0 && (
        <section class="change-log" tabIndex={0} aria-label="Changes, newest first">
          <ol>
            {log.entries.map((entry) => (
              <ChangeEntry key={entry.id} entry={entry} />
            ))}
          </ol>
        </section>
      )}
      {log.latest && (
        <div role="status">
          {on && (
            <p class="fine">
              {count(log.looks, 'look')} since you opened this page, the latest at {instant(log.latest.at.toISOString())}
              {log.latest.answer.changes.length === 0 && !log.latest.answer.baseline ? ': nothing changed' : ''}.
            </p>
          )}
          <Reasons reasons={log.latest.answer.reasons} label="What the latest look says" />
        </div>
      )}
    </>
  );
}

/** What the changes are compared with at first. */
function Beginning(props: { watch: Watch }) {
  const { begins } = props.watch.log;
  if (begins === null) {
    return null;
  }
  return (
    <p class="fine">
      {begins.baseline
        ? `Baseline taken at ${instant(begins.at.toISOString())}, by your first scan of this token. Changes since then appear here.`
        : `The first look, at ${instant(begins.at.toISOString())}, is compared with the baseline of your scan before it, taken at ${instant(begins.since)}. Each look is the baseline of the next.`}
    </p>
  );
}

function ChangeEntry(props: { entry: Entry }) {
  const { change, at, since, risk } = props.entry;
  return (
    <li class="change">
      <span class="row">
        <Tag tone={severityTones[change.severity] ?? 'unknown'}>{word(change.severity)}</Tag>
        <strong>{metricName(change.metric)}</strong>
        <span>{directions[change.direction] ?? word(change.direction)}</span>
      </span>
      <span class={namesSignal(change) ? 'verdict-pair' : undefined}>
        <span>{change.detail}</span>
        {namesSignal(change) && <RiskVerdict verdict={risk} />}
      </span>
      <span class="fine">
        <time dateTime={at.toISOString()}>{instant(at.toISOString())}</time>
        {since !== null && `, compared with ${instant(since)}`}
      </span>
    </li>
  );
}

/** A metric's name for people: riskVerdict becomes Risk verdict. */
function metricName(metric: string): string {
  return word(metric.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase());
}
