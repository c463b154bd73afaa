/**
 * The layout of a price's structure: its turning points with their names, the leg that is still open, and the range that a breakout is
 * read against. Times are hours before now (0 is now), levels are percent of the highest close, from it.
 */
import type { Answer } from '@mirrorworthy/client';

export type PriceAction = Answer<'TokenPriceActionAnswer'>;

/**
 * What a turning point is called: whether it is higher (HH, HL), lower (LH, LL) or the same (EH, EL) as the one of its kind before it. The
 * first of a kind has nothing to be compared with (H, L).
 */
export type SwingName = 'H' | 'HH' | 'LH' | 'EH' | 'L' | 'HL' | 'LL' | 'EL';

export const swingNames: Record<SwingName, string> = {
  H: 'high',
  HH: 'higher high',
  LH: 'lower high',
  EH: 'equal high',
  L: 'low',
  HL: 'higher low',
  LL: 'lower low',
  EL: 'equal low',
};

/** A turning point that can be drawn. */
export type Turn = { kind: 'high' | 'low'; hoursAgo: number; level: number; name: SwingName };

export type Structure = {
  /** The oldest first. */
  turns: Turn[];
  /** Where the price is; null when not measured. */
  now: number | null;
  /** The range's levels, and for how many hours it reaches back; null when not measured. */
  range: { top: number; bottom: number; hours: number | null } | null;
};

/** How many bars the range is taken over. */
const rangeBars = 20;

/** Lays a price's structure out. A swing without a time or a level cannot be drawn, and names nothing after it. */
export function structureOf(answer: PriceAction): Structure {
  const turns: Turn[] = [];
  const before: Partial<Record<'high' | 'low', number>> = {};
  for (const swing of answer.swings) {
    const { kind, hoursAgo, fromHighPct: level } = swing;
    if (hoursAgo === null || level === null) {
      continue;
    }
    turns.push({ kind, hoursAgo, level, name: nameOf(kind, level, before[kind]) });
    before[kind] = level;
  }
  const top = answer.range?.topFromHighPct ?? null;
  const bottom = answer.range?.bottomFromHighPct ?? null;
  return {
    turns,
    now: answer.distanceFromHighPct,
    range:
      top === null || bottom === null
        ? null
        : { top, bottom, hours: answer.barMinutes === null ? null : (rangeBars * answer.barMinutes) / 60 },
  };
}

function nameOf(kind: 'high' | 'low', level: number, before: number | undefined): SwingName {
  const letter = kind === 'high' ? 'H' : 'L';
  if (before === undefined) {
    return letter;
  }
  return `${level > before ? 'H' : level < before ? 'L' : 'E'}${letter}`;
}

/** The columns of the picture: times from the past to now, the confirmed line, and the open leg, null where a line has no point. */
export type Columns = [x: number[], confirmed: (number | null)[], open: (number | null)[]];

/** The picture's lines. The open leg goes from the last confirmed turn to now. */
export function columnsOf(structure: Structure): Columns {
  const { turns, now } = structure;
  const x = turns.map((turn) => -turn.hoursAgo);
  const confirmed: (number | null)[] = turns.map((turn) => turn.level);
  const open: (number | null)[] = turns.map((turn, i) => (i === turns.length - 1 && now !== null ? turn.level : null));
  if (now !== null) {
    x.push(0);
    confirmed.push(null);
    open.push(now);
  }
  return [x, confirmed, open];
}

/** The lowest and the highest level to show: all that is drawn, the high itself, and some room for the names. */
export function levelsOf(structure: Structure): [number, number] {
  const levels = [0, ...structure.turns.map((turn) => turn.level)];
  if (structure.now !== null) {
    levels.push(structure.now);
  }
  if (structure.range !== null) {
    levels.push(structure.range.top, structure.range.bottom);
  }
  const low = Math.min(...levels);
  const high = Math.max(...levels);
  const room = Math.max(1, (high - low) * 0.14);
  return [low - room, high + room];
}

/** How many hours back the picture begins: at the oldest turn or the range's beginning, with a little room. */
export function hoursShown(structure: Structure): number {
  return 1.04 * Math.max(1, structure.range?.hours ?? 0, ...structure.turns.map((turn) => turn.hoursAgo));
}
