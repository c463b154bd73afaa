/**
 * The structure of a price: a line over its confirmed turning points, in percent from the highest close, with the range that a breakout is
 * read against, and the leg to now, which no turn has confirmed yet.
 */
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { duration, number, percent, word } from '../words';
import { axes, type Drawing, type Palette, Plot } from './plot';
import { columnsOf, hoursShown, levelsOf, type PriceAction, type Structure, structureOf, swingNames, type Turn } from './swings';

const breakouts: Record<string, string> = { up: '▲ breakout up', down: '▼ breakout down', failed: '✕ breakout failed' };

/** Draws what the answer has of a structure; nothing for a price that has not turned, or that is not available. */
export function PriceStructure(props: { answer: PriceAction }) {
  const { answer } = props;
  const structure = useMemo(() => structureOf(answer), [answer]);
  const drawing = useMemo(() => drawingOf(structure, answer.breakout), [structure, answer.breakout]);
  if (!answer.available || structure.turns.length === 0) {
    return null;
  }
  return (
    <Plot
      drawing={drawing}
      height={300}
      says={saysOf(answer, structure)}
      caption={<Caption answer={answer} structure={structure} />}
      table={{ head: ['What', 'When', 'From the high'], rows: rowsOf(answer, structure) }}
    />
  );
}

function Caption(props: { answer: PriceAction; structure: Structure }) {
  const { answer, structure } = props;
  const names = [...new Set(structure.turns.map((turn) => turn.name))].filter((name) => name.length === 2);
  return (
    <>
      Percent from the highest close. ▲ highs, ▼ lows{names.map((name) => `, ${name} ${swingNames[name]}`).join('')}. The dashed leg to now
      is provisional: no turn has confirmed it.
      {structure.range !== null &&
        ` The band is the range of the 20 bars${
          answer.barMinutes === null ? '' : ` of ${duration(answer.barMinutes * 60)}`
        } before the one that broke out, or before the latest: a breakout is read against it.`}
    </>
  );
}

/** The picture in a sentence. */
export function saysOf(answer: PriceAction, structure: Structure): string {
  const turns = structure.turns.map((turn) => `${swingNames[turn.name]} ${percent(turn.level)}`).join(', ');
  const last = structure.turns.at(-1);
  const parts = [
    `The price's turning points in percent from its highest close, oldest first: ${turns}.`,
    structure.now === null
      ? 'Where it is now is not measured.'
      : `Now ${percent(structure.now)}${last ? `, ${structure.now >= last.level ? 'above' : 'below'} the last turn, provisionally` : ''}.`,
  ];
  if (structure.range !== null) {
    parts.push(`The range is from ${percent(structure.range.bottom)} to ${percent(structure.range.top)}.`);
  }
  parts.push(`Structure: ${word(answer.structure)}. Breakout: ${word(answer.breakout)}.`);
  return parts.join(' ');
}

function rowsOf(answer: PriceAction, structure: Structure): string[][] {
  const drawn = new Map(structure.turns.map((turn) => [`${turn.kind} ${turn.hoursAgo}`, turn]));
  const rows = answer.swings.map((swing) => {
    const turn = drawn.get(`${swing.kind} ${swing.hoursAgo}`);
    const name = turn && swing.fromHighPct !== null ? swingNames[turn.name] : swing.kind;
    return [word(name), swing.hoursAgo === null ? 'not measured' : `${number(swing.hoursAgo, 1)} hours ago`, percent(swing.fromHighPct)];
  });
  rows.push(['Now, provisional', 'now', percent(answer.distanceFromHighPct)]);
  rows.push([
    'Highest close',
    answer.hoursSinceHigh === null ? 'not measured' : `${number(answer.hoursSinceHigh, 1)} hours before the latest trade`,
    percent(0),
  ]);
  rows.push(['Range, top', 'its 20 bars', percent(answer.range?.topFromHighPct)]);
  rows.push(['Range, bottom', 'its 20 bars', percent(answer.range?.bottomFromHighPct)]);
  return rows;
}

const font = (pixel: number, weight = '') => `${weight} ${Math.round(12 * pixel)}px system-ui, sans-serif`.trim();

function drawingOf(structure: Structure, breakout: PriceAction['breakout']): Drawing {
  const hours = hoursShown(structure);
  const inDays = hours > 96;
  return {
    data: columnsOf(structure),
    options: (palette) => ({
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 12, 0, 0],
      scales: { x: { time: false, range: () => [-hours, hours * 0.06] }, y: { range: () => levelsOf(structure) } },
      axes: axes(
        palette,
        {
          space: 64,
          incrs: inDays ? [24, 48, 72, 120, 168, 240, 336, 480, 720] : [1, 2, 3, 6, 12, 24],
          values: (_, splits) => splits.map((at) => (at > 0 ? '' : at === 0 ? 'now' : inDays ? `${-at / 24} d ago` : `${-at} h ago`)),
        },
        { values: (_, splits) => splits.map((level) => percent(level, { digits: 1 })) },
      ),
      series: [
        {},
        { stroke: palette.accent, width: 2, points: { show: false } },
        { stroke: palette.accent, width: 2, dash: [6, 5], points: { show: false }, spanGaps: true },
      ],
      hooks: {
        drawClear: [(plot) => drawRange(plot, structure, palette)],
        draw: [(plot) => drawMarks(plot, structure, breakout, palette)],
      },
    }),
  };
}

/** The range lies under everything else; its edges are lines, so that it is seen without its colour. */
function drawRange(plot: uPlot, structure: Structure, palette: Palette): void {
  const { range } = structure;
  if (range === null) {
    return;
  }
  const { ctx, bbox } = plot;
  const from = Math.max(bbox.left, range.hours === null ? bbox.left : plot.valToPos(-range.hours, 'x', true));
  const to = plot.valToPos(0, 'x', true);
  const top = plot.valToPos(range.top, 'y', true);
  const bottom = plot.valToPos(range.bottom, 'y', true);
  ctx.save();
  ctx.globalAlpha = 0.14;
  ctx.fillStyle = palette.caution;
  ctx.fillRect(from, top, to - from, bottom - top);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = palette.caution;
  ctx.lineWidth = window.devicePixelRatio;
  ctx.setLineDash([]);
  for (const y of [top, bottom]) {
    ctx.beginPath();
    ctx.moveTo(from, y);
    ctx.lineTo(to, y);
    ctx.stroke();
  }
  ctx.restore();
}

function drawMarks(plot: uPlot, structure: Structure, breakout: PriceAction['breakout'], palette: Palette): void {
  const { ctx, bbox } = plot;
  const pixel = window.devicePixelRatio;
  ctx.save();
  ctx.setLineDash([]);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  ctx.fillStyle = palette.soft;
  ctx.strokeStyle = palette.soft;
  ctx.lineWidth = 1.5 * pixel;
  ctx.font = font(pixel);
  const high = plot.valToPos(0, 'y', true);
  ctx.beginPath();
  ctx.moveTo(bbox.left, high);
  ctx.lineTo(bbox.left + bbox.width, high);
  ctx.stroke();
  ctx.fillText('highest close', bbox.left + 4 * pixel, high - 3 * pixel);
  for (const turn of structure.turns) {
    drawTurn(plot, turn, palette, pixel);
  }
  if (structure.now !== null) {
    drawNow(plot, structure.now, breakout, palette, pixel);
  }
  ctx.restore();
}

/** Highs are triangles that point up with their name above, lows point down with theirs below. */
function drawTurn(plot: uPlot, turn: Turn, palette: Palette, pixel: number): void {
  const { ctx } = plot;
  const up = turn.kind === 'high' ? -1 : 1;
  const x = plot.valToPos(-turn.hoursAgo, 'x', true);
  const y = plot.valToPos(turn.level, 'y', true);
  const size = 5 * pixel;
  ctx.fillStyle = palette.ink;
  ctx.beginPath();
  ctx.moveTo(x, y + up * size);
  ctx.lineTo(x - size, y - up * size * 0.7);
  ctx.lineTo(x + size, y - up * size * 0.7);
  ctx.closePath();
  ctx.fill();
  ctx.font = font(pixel, '600');
  ctx.textAlign = 'center';
  ctx.textBaseline = turn.kind === 'high' ? 'bottom' : 'top';
  ctx.fillText(turn.name, x, y + up * (size + 3 * pixel));
}

/** Where the price is now, with the breakout that it is in. */
function drawNow(plot: uPlot, now: number, breakout: PriceAction['breakout'], palette: Palette, pixel: number): void {
  const { ctx, bbox } = plot;
  const x = plot.valToPos(0, 'x', true);
  const y = plot.valToPos(now, 'y', true);
  ctx.beginPath();
  ctx.arc(x, y, 5 * pixel, 0, 2 * Math.PI);
  ctx.fillStyle = palette.ground;
  ctx.fill();
  ctx.strokeStyle = palette.ink;
  ctx.lineWidth = 2 * pixel;
  ctx.stroke();
  const mark = breakouts[breakout ?? ''];
  if (mark !== undefined) {
    const above = breakout === 'up' || (breakout === 'failed' && y > bbox.top + bbox.height / 2);
    ctx.font = font(pixel, '600');
    ctx.fillStyle = breakout === 'up' ? palette.good : breakout === 'down' ? palette.bad : palette.caution;
    ctx.textAlign = 'right';
    ctx.textBaseline = above ? 'bottom' : 'top';
    ctx.fillText(mark, x + 8 * pixel, y + (above ? -10 : 10) * pixel);
  }
}
