import type { Execution } from '@mirrorworthy/client';
import { describe, expect, it } from 'vitest';
import { announcementOf, continued, lookedAt, type Shown } from './executions';

const row = (executionId: string, status: Execution['status'] = 'executed') => ({ executionId, status }) as Execution;
const page = (ids: string, nextCursor: string | null = null) => ({ executions: [...ids].map((id) => row(id)), nextCursor });
const shown = (ids: string, nextCursor: string | null = null): Shown => ({ rows: [...ids].map((id) => row(id)), nextCursor });
const text = (list: Shown) => list.rows.map((each) => each.executionId).join('');

describe('a list of executions that grows', () => {
  it('begins with a page, of which nothing is news', () => {
    expect(lookedAt(null, page('ba', 'x'))).toEqual({ shown: shown('ba', 'x'), fresh: [] });
  });

  it('puts new ones first, and keeps those behind the page', () => {
    const looked = lookedAt(shown('dcba', 'older'), page('fedc', 'x'));
    expect(text(looked.shown)).toBe('fedcba');
    expect(looked.shown.nextCursor).toBe('older');
    expect(looked.fresh.map((each) => each.executionId)).toEqual(['f', 'e']);
  });

  it('is the page alone where more came than a page holds', () => {
    expect(lookedAt(shown('ba'), page('fedc', 'x'))).toMatchObject({ shown: shown('fedc', 'x') });
    expect(lookedAt(shown(''), page('fedc', 'x')).shown.nextCursor).toBe('x');
  });

  it('is the whole of a short list', () => {
    expect(lookedAt(shown('ba'), page('cba'))).toMatchObject({ shown: shown('cba'), fresh: [row('c')] });
    expect(lookedAt(shown(''), page('a'))).toMatchObject({ shown: shown('a'), fresh: [row('a')] });
    expect(lookedAt(shown('a'), page(''))).toMatchObject({ shown: shown(''), fresh: [] });
  });

  it('tells of one whose status changed', () => {
    const before: Shown = { rows: [row('b', 'submitted'), row('a')], nextCursor: null };
    const looked = lookedAt(before, page('ba'));
    expect(looked.fresh).toEqual([row('b')]);
    expect(looked.shown).toEqual(shown('ba'));
  });

  it('goes on with older ones, each once', () => {
    expect(continued(shown('dc', 'x'), page('cba'))).toEqual(shown('dcba'));
  });

  it('announces how many there are, and how they went', () => {
    expect(announcementOf([])).toBe('');
    expect(announcementOf([row('a', 'skipped')])).toBe('1 new execution: 1 skipped.');
    expect(announcementOf([row('a'), row('b', 'skipped'), row('c')])).toBe('3 new executions: 2 executed, 1 skipped.');
  });
});
