/** The states that anything can be in besides answered: being asked, failed as a whole, failed in one slot, empty. */
import type { ComponentChildren } from 'preact';
import type { Asked, Problem } from '../answer';

/** A slot of a bundle is the answer of its component, or why it has none. */
export type SlotError = { error: string; message: string };

export function isSlotError(slot: object): slot is SlotError {
  return 'error' in slot && 'message' in slot;
}

/** A slot that has its answer. */
export type Filled<S extends object> = Exclude<S, SlotError>;

function isFilled<S extends object>(slot: S): slot is Filled<S> {
  return !isSlotError(slot);
}

/** Why there is no answer, and the way to ask again. */
export function ProblemNote(props: { problem: Problem; again?: () => void }) {
  const { problem } = props;
  const wait = problem.retryAfterSeconds;
  return (
    <div class="problem" role="alert">
      <p>
        {problem.message}
        {wait !== null && wait > 0 ? ` Try again in ${wait} seconds.` : ''}
      </p>
      <p class="fine">
        <code>{problem.code}</code>
        {problem.requestId && (
          <>
            {' '}
            · request <code>{problem.requestId}</code>
          </>
        )}
      </p>
      {props.again && (
        <button type="button" onClick={props.again}>
          Ask again
        </button>
      )}
    </div>
  );
}

/** Shows what was asked for once it is there, and until then that it is coming. An old answer stays while it is asked again. */
export function Answered<T>(props: { asked: Asked<T>; children: (answer: T) => ComponentChildren; what: string }) {
  const { asked, what } = props;
  return (
    <div class="answered" aria-busy={asked.asking}>
      {asked.problem && <ProblemNote problem={asked.problem} again={asked.again} />}
      {asked.answer !== undefined
        ? props.children(asked.answer)
        : asked.asking && (
            <p class="waiting" role="status">
              {what}…
            </p>
          )}
    </div>
  );
}

/**
 * One slot of a bundle. One that failed says so in its own place, and the page stands.
 */
export function Slot<S extends object>(props: {
  title: string;
  slot: S | undefined;
  children: (slot: Filled<S>) => ComponentChildren;
  again?: () => void;
  wide?: boolean;
  head?: ComponentChildren;
}) {
  const { slot } = props;
  const id = `slot-${props.title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  return (
    <section class={`card${props.wide ? ' wide' : ''}`} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{props.title}</h2>
        {slot !== undefined && !isSlotError(slot) && props.head}
      </header>
      {slot === undefined ? (
        <p class="unmeasured">The service did not answer this.</p>
      ) : isSlotError(slot) && slot.error === 'not_a_token' ? (
        <NotAToken message={slot.message} />
      ) : isSlotError(slot) ? (
        <div class="problem slot-problem" role="alert">
          <p>This part could not be answered: {slot.message}</p>
          <p class="fine">
            <code>{slot.error}</code> · The rest of the page stands.
          </p>
          {props.again && (
            <button type="button" onClick={props.again}>
              Ask again
            </button>
          )}
        </div>
      ) : isFilled(slot) ? (
        props.children(slot)
      ) : null}
    </section>
  );
}

/** An address that is no token: an answer about the address, which asking again does not change. */
export function NotAToken(props: { message: string }) {
  return (
    <p class="empty" role="status">
      {props.message}
    </p>
  );
}

/** A part of a page with a heading. */
export function Card(props: { title: string; children: ComponentChildren; wide?: boolean; head?: ComponentChildren }) {
  const id = `card-${props.title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  return (
    <section class={`card${props.wide ? ' wide' : ''}`} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{props.title}</h2>
        {props.head}
      </header>
      {props.children}
    </section>
  );
}

/** A list without rows: an answer, with the service's own note. */
export function Empty(props: { note: string | null; otherwise: string }) {
  return (
    <p class="empty" role="status">
      {props.note ?? props.otherwise}
    </p>
  );
}
