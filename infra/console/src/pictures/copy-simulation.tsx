/** Every simulated copy from the oldest to the newest: gains up from zero, losses down, and marks for what has no result. */
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { number, percent } from '../words';
import './copy-simulation.css';
import { type Copy, copiesWords, copyRows, type Fate, fateOf, fates, heights, oldestFirst, resultTicks, tally } from './copies';
import { axes, type Drawing, type Palette, Plot } from './plot';

export function CopySimulationPicture(props: { perTrade: readonly Copy[] }) {
  const key = JSON.stringify(props.perTrade);
  const copies = useMemo(() => oldestFirst(props.perTrade), [key]);
  const drawing = useMemo(() => drawingOf(copies), [copies]);
  const counts = tally(copies);
  return (
    <Plot
      drawing={drawing}
      height={240}
      says={copiesWords(copies)}
      caption={
        <>
          <span>
            Every copy after costs, the oldest on the left. The scale is stretched around zero, so that small and huge results are both
            seen.{' '}
          </span>
          <span class="fates">
            {(Object.keys(fates) as Fate[])
              .filter((fate) => counts[fate] > 0)
              .map((fate) => (
                <span key={fate} class="fate">
                  <span class={`fate-key ${fate}`} aria-hidden="true" />
                  {number(counts[fate], 0)} {fates[fate]}
                </span>
              ))}
          </span>
        </>
      }
      table={{ head: ['Copy', 'Token', 'Entered', 'Result', 'What became of it'], rows: copyRows(copies) }}
    />
  );
}

function drawingOf(copies: Copy[]): Drawing {
  const ends = heights(copies);
  const least = Math.min(-20, ...ends);
  const most = Math.max(20, ...ends);
  return {
    data: [copies.map((_, i) => i + 1), ends],
    options: (palette) => ({
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [0.25, copies.length + 0.75] },
        y: { distr: 4, asinh: 20, range: [least * 1.15, most * 1.15] },
      },
      axes: axes(
        palette,
        { values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? String(tick) : '')), grid: { show: false }, size: 28 },
        {
          splits: () => resultTicks(least, most),
          values: (_, ticks) => ticks.map((tick) => percent(tick, { sign: true, digits: 0 })),
          filter: (_, ticks) => ticks,
          size: 76,
        },
      ),
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(plot) => drawCopies(plot, palette, copies, ends)] },
    }),
  };
}

/** Draws what the library has no shape for: full bars for results, an outlined and crossed one for the dead, a ring for the pending, a cross for the skipped. */
function drawCopies(plot: uPlot, palette: Palette, copies: Copy[], ends: number[]): void {
  const { ctx } = plot;
  const scale = ctx.canvas.width / plot.width;
  const zero = plot.valToPos(0, 'y', true);
  const slot = plot.valToPos(2, 'x', true) - plot.valToPos(1, 'x', true);
  const width = Math.max(1.5 * scale, Math.min(0.7 * slot, 22 * scale));
  const mark = Math.max(2 * scale, Math.min(width / 2, 4.5 * scale));
  ctx.save();
  ctx.lineWidth = 1.5 * scale;
  ctx.strokeStyle = palette.soft;
  line(ctx, plot.bbox.left, zero, plot.bbox.left + plot.bbox.width, zero);
  copies.forEach((copy, i) => {
    const x = plot.valToPos(i + 1, 'x', true);
    const end = plot.valToPos(ends[i] ?? 0, 'y', true);
    switch (fateOf(copy)) {
      case 'gained':
        ctx.fillStyle = palette.good;
        ctx.fillRect(x - width / 2, end, width, zero - end);
        break;
      case 'lost':
        ctx.fillStyle = palette.bad;
        ctx.fillRect(x - width / 2, zero, width, Math.max(end - zero, scale));
        break;
      case 'dead':
        ctx.strokeStyle = palette.bad;
        ctx.strokeRect(x - width / 2, zero, width, end - zero);
        cross(ctx, x, (zero + end) / 2, mark);
        break;
      case 'pending':
        ctx.strokeStyle = palette.unknown;
        ctx.fillStyle = palette.ground;
        ctx.beginPath();
        ctx.arc(x, zero, mark, 0, 2 * Math.PI);
        ctx.fill();
        ctx.stroke();
        break;
      case 'skipped':
        ctx.strokeStyle = palette.unknown;
        cross(ctx, x, zero, mark);
    }
  });
  ctx.restore();
}

function line(ctx: CanvasRenderingContext2D, fromX: number, fromY: number, toX: number, toY: number): void {
  ctx.beginPath();
  ctx.moveTo(fromX, fromY);
  ctx.lineTo(toX, toY);
  ctx.stroke();
}

function cross(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  line(ctx, x - size, y - size, x + size, y + size);
  line(ctx, x - size, y + size, x + size, y - size);
}
