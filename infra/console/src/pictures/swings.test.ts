import { describe, expect, it } from 'vitest';
import { columnsOf, hoursShown, levelsOf, type PriceAction, structureOf } from './swings';

const answer: PriceAction = {
  available: true,
  trend: 'up',
  structure: 'breaking-out',
  breakout: 'up',
  volatility: 'normal',
  distanceFromHighPct: -2,
  hoursSinceHigh: 11,
  swings: [
    { kind: 'high', hoursAgo: 90, fromHighPct: -40 },
    { kind: 'low', hoursAgo: 80, fromHighPct: -50 },
    { kind: 'high', hoursAgo: 70, fromHighPct: -30 },
    { kind: 'low', hoursAgo: 60, fromHighPct: -55 },
    { kind: 'high', hoursAgo: 50, fromHighPct: -35 },
    { kind: 'low', hoursAgo: 40, fromHighPct: -45 },
    { kind: 'high', hoursAgo: 30, fromHighPct: -35 },
    { kind: 'low', hoursAgo: 20, fromHighPct: -45 },
  ],
  range: { topFromHighPct: -3.5, bottomFromHighPct: -36 },
  barMinutes: 240,
  reasons: [],
};

describe('the structure of a price', () => {
  it('names every turn by the one of its kind before it', () => {
    expect(structureOf(answer).turns.map((turn) => turn.name)).toEqual(['H', 'L', 'HH', 'LL', 'LH', 'HL', 'EH', 'EL']);
  });

  it('leaves out a turn without a time or a level, and compares nothing with it', () => {
    const swings: PriceAction['swings'] = [
      { kind: 'high', hoursAgo: 30, fromHighPct: -10 },
      { kind: 'high', hoursAgo: 20, fromHighPct: null },
      { kind: 'high', hoursAgo: null, fromHighPct: -1 },
      { kind: 'high', hoursAgo: 10, fromHighPct: -5 },
    ];
    expect(structureOf({ ...answer, swings }).turns).toEqual([
      { kind: 'high', hoursAgo: 30, level: -10, name: 'H' },
      { kind: 'high', hoursAgo: 10, level: -5, name: 'HH' },
    ]);
  });

  it('takes the range over twenty bars', () => {
    expect(structureOf(answer).range).toEqual({ top: -3.5, bottom: -36, hours: 80 });
    expect(structureOf({ ...answer, barMinutes: 60 }).range?.hours).toBe(20);
    expect(structureOf({ ...answer, barMinutes: null }).range?.hours).toBeNull();
    expect(structureOf({ ...answer, range: null }).range).toBeNull();
    expect(structureOf({ ...answer, range: { topFromHighPct: -1, bottomFromHighPct: null } }).range).toBeNull();
  });

  it('leaves the last leg open: from the last turn to now', () => {
    const swings: PriceAction['swings'] = [
      { kind: 'high', hoursAgo: 30, fromHighPct: -10 },
      { kind: 'low', hoursAgo: 20, fromHighPct: -20 },
    ];
    expect(columnsOf(structureOf({ ...answer, swings }))).toEqual([
      [-30, -20, 0],
      [-10, -20, null],
      [null, -20, -2],
    ]);
  });

  it('draws no leg to a price that was not measured', () => {
    const swings: PriceAction['swings'] = [
      { kind: 'high', hoursAgo: 30, fromHighPct: -10 },
      { kind: 'low', hoursAgo: 20, fromHighPct: -20 },
    ];
    expect(columnsOf(structureOf({ ...answer, swings, distanceFromHighPct: null }))).toEqual([
      [-30, -20],
      [-10, -20],
      [null, null],
    ]);
  });

  it('shows the high, the range and every turn', () => {
    const [low, high] = levelsOf(structureOf(answer));
    expect(low).toBeLessThan(-55);
    expect(high).toBeGreaterThan(0);
    expect(levelsOf(structureOf({ ...answer, range: { topFromHighPct: 4, bottomFromHighPct: -70 } }))[0]).toBeLessThan(-70);
    expect(levelsOf(structureOf({ ...answer, range: { topFromHighPct: 4, bottomFromHighPct: -70 } }))[1]).toBeGreaterThan(4);
    expect(levelsOf(structureOf({ ...answer, distanceFromHighPct: -99 }))[0]).toBeLessThan(-99);
    expect(hoursShown(structureOf(answer))).toBeCloseTo(93.6);
    expect(hoursShown(structureOf({ ...answer, swings: [] }))).toBeCloseTo(83.2);
  });
});
