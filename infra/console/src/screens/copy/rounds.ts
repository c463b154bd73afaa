/**
 * How far an activation is, round after round: the steps that the service asks for, the person's yes to them, what the wallet did of them,
 * and how it ended. Nothing is signed before the yes.
 */
import type { Step } from '@mirrorworthy/client';
import type { Problem } from '../../answer';

/** How far a step of a round is. */
export type Progress = 'waiting' | 'at-wallet' | 'done' | 'failed';

export type Rounds =
  | { phase: 'idle'; notice: string | null }
  /** The service is asked what to do, or what comes after the results it was given. */
  | { phase: 'asking'; round: number }
  /** The steps are shown, and the person has said nothing yet. */
  | { phase: 'deciding'; round: number; steps: readonly Step[]; progress: readonly Progress[] }
  /** The wallet does the steps. Once all are done, what came of them is on its way to the service. */
  | { phase: 'doing'; round: number; steps: readonly Step[]; progress: readonly Progress[] }
  | { phase: 'failed'; round: number; steps: readonly Step[]; progress: readonly Progress[]; problem: Problem }
  | { phase: 'active' };

export type RoundsEvent =
  | { type: 'begun' }
  | { type: 'round'; steps: readonly Step[] }
  | { type: 'yes' }
  | { type: 'no' }
  /** The wallet was given the next step. */
  | { type: 'given' }
  /** The wallet did the step that it was given. */
  | { type: 'done' }
  | { type: 'failed'; problem: Problem }
  | { type: 'active' };

export const idle: Rounds = { phase: 'idle', notice: null };

/** What is said after a no. */
export const declined = 'You said no, so nothing of this round was signed. You can begin again whenever you like.';

function moved(progress: readonly Progress[], from: Progress, to: Progress): Progress[] {
  const at = progress.indexOf(from);
  return progress.map((p, i) => (i === at ? to : p));
}

/** What comes after an event. One that does not fit changes nothing. */
export function roundsAfter(rounds: Rounds, event: RoundsEvent): Rounds {
  switch (event.type) {
    case 'begun':
      return rounds.phase === 'idle' || rounds.phase === 'failed' ? { phase: 'asking', round: 0 } : rounds;
    case 'round':
      if (rounds.phase !== 'asking' && rounds.phase !== 'doing') {
        return rounds;
      }
      return { phase: 'deciding', round: rounds.round + 1, steps: event.steps, progress: event.steps.map(() => 'waiting') };
    case 'yes':
      return rounds.phase === 'deciding' ? { ...rounds, phase: 'doing' } : rounds;
    case 'no':
      return rounds.phase === 'deciding' ? { phase: 'idle', notice: declined } : rounds;
    case 'given':
      return rounds.phase === 'doing' ? { ...rounds, progress: moved(rounds.progress, 'waiting', 'at-wallet') } : rounds;
    case 'done':
      return rounds.phase === 'doing' ? { ...rounds, progress: moved(rounds.progress, 'at-wallet', 'done') } : rounds;
    case 'failed': {
      if (rounds.phase === 'idle' || rounds.phase === 'active') {
        return rounds;
      }
      const shown = rounds.phase === 'asking' ? { steps: [], progress: [] } : rounds;
      const progress = moved(shown.progress, 'at-wallet', 'failed');
      return { phase: 'failed', round: rounds.round, steps: shown.steps, progress, problem: event.problem };
    }
    case 'active':
      return { phase: 'active' };
  }
}
