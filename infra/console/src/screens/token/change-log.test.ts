import { describe, expect, it } from 'vitest';
import { added, type Change, type Changes, emptyLog, namesSignal } from './change-log';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 16, minute));
const change = (metric: string, detail = metric): Change => ({ metric, direction: 'up', severity: 'medium', detail });
const answer = (...changes: Change[]): Changes => ({ baseline: false, changes, previousAt: at(0).toISOString(), reasons: ['Because.'] });
const baseline: Changes = { baseline: true, changes: [], previousAt: null, reasons: ['This is your first scan of the token.'] };

describe('the log of changes', () => {
  it('begins with a baseline, which it keeps', () => {
    const first = added(emptyLog, { at: at(1), answer: baseline, risk: null });
    expect(first).toMatchObject({ begins: { at: at(1), since: null, baseline: true }, looks: 1, entries: [] });
    const second = added(first, { at: at(2), answer: answer(change('liquidity')), risk: null });
    expect(second.begins).toEqual({ at: at(1), since: null, baseline: true });
    expect(second.looks).toBe(2);
  });

  it('has the newest look first, and the most severe first within one', () => {
    let log = added(emptyLog, { at: at(1), answer: answer(change('a'), change('b')), risk: null });
    log = added(log, { at: at(2), answer: answer(), risk: null });
    log = added(log, { at: at(3), answer: answer(change('c'), change('d')), risk: 'low' });
    expect(log.entries.map((entry) => entry.change.metric)).toEqual(['c', 'd', 'a', 'b']);
    expect(log.entries.map((entry) => entry.risk)).toEqual(['low', 'low', null, null]);
    expect(new Set(log.entries.map((entry) => entry.id)).size).toBe(4);
    expect(log.latest?.at).toEqual(at(3));
    expect(log.looks).toBe(3);
  });

  it('knows what names a signal', () => {
    expect(namesSignal(change('signal', 'The signal is HOLD, it was AVOID.'))).toBe(true);
    expect(namesSignal(change('other', 'Now BUY.'))).toBe(true);
    expect(namesSignal(change('other', 'Now ACCUMULATE.'))).toBe(true);
    expect(namesSignal(change('liquidity', 'BUYERS left.'))).toBe(false);
  });
});
