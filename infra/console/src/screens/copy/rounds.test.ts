import type { Step } from '@mirrorworthy/client';
import { describe, expect, it } from 'vitest';
import { declined, idle, type Rounds, type RoundsEvent, roundsAfter } from './rounds';

const step = (name: string): Step => ({
  step: name,
  kind: 'sign_message',
  title: name,
  what: '',
  why: '',
  safety: '',
  cost: 'none',
  walletShows: '',
  message: 'text',
  expiresAt: '2026-01-01T00:00:00Z',
});
const problem = { message: 'no', code: 'failed', requestId: null, retryAfterSeconds: null };
const following = (events: RoundsEvent[], from: Rounds = idle) => events.reduce(roundsAfter, from);
const asked: RoundsEvent[] = [{ type: 'begun' }, { type: 'round', steps: [step('a'), step('b')] }];

describe('the rounds of an activation', () => {
  it('lets nothing be done before the yes', () => {
    const deciding = following(asked);
    expect(deciding).toMatchObject({ phase: 'deciding', round: 1, progress: ['waiting', 'waiting'] });
    expect(following([{ type: 'given' }, { type: 'done' }], deciding)).toEqual(deciding);
  });

  it('follows the steps one by one, and the rounds', () => {
    const doing = following([...asked, { type: 'yes' }, { type: 'given' }]);
    expect(doing).toMatchObject({ phase: 'doing', progress: ['at-wallet', 'waiting'] });
    const done = following([{ type: 'done' }, { type: 'given' }, { type: 'done' }], doing);
    expect(done).toMatchObject({ phase: 'doing', progress: ['done', 'done'] });
    const second = roundsAfter(done, { type: 'round', steps: [step('c')] });
    expect(second).toMatchObject({ phase: 'deciding', round: 2, progress: ['waiting'] });
    expect(roundsAfter(second, { type: 'active' })).toEqual({ phase: 'active' });
  });

  it('ends with a no as if nothing had begun', () => {
    expect(following([...asked, { type: 'no' }])).toEqual({ phase: 'idle', notice: declined });
    expect(following([...asked, { type: 'no' }, ...asked])).toMatchObject({ phase: 'deciding', round: 1 });
  });

  it('shows which step failed, and can begin again', () => {
    const failed = following([
      ...asked,
      { type: 'yes' },
      { type: 'given' },
      { type: 'done' },
      { type: 'given' },
      { type: 'failed', problem },
    ]);
    expect(failed).toMatchObject({ phase: 'failed', progress: ['done', 'failed'], problem });
    expect(roundsAfter(failed, { type: 'begun' })).toEqual({ phase: 'asking', round: 0 });
    expect(following([{ type: 'begun' }, { type: 'failed', problem }])).toMatchObject({ phase: 'failed', steps: [] });
  });

  it('takes no event that does not fit', () => {
    for (const type of ['yes', 'no', 'given', 'done'] as const) {
      expect(roundsAfter(idle, { type })).toEqual(idle);
    }
    expect(roundsAfter(idle, { type: 'failed', problem })).toEqual(idle);
    expect(following([{ type: 'begun' }], following(asked))).toMatchObject({ phase: 'deciding' });
  });
});
