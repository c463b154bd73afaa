/** Forecasts against what came of them: on the diagonal, they were right. */
import type { Answer } from '@mirrorworthy/client';
import { useMemo } from 'preact/hooks';
import { count, number, share } from '../words';
import { axes, type Drawing, Plot } from './plot';

type Row = Answer<'CalibrationRow'>;

/** A row's mean forecast and what came of it; rows without either cannot be drawn. */
export function calibrationPoints(rows: Row[]): { forecast: number; outcome: number }[] {
  return rows
    .flatMap((row) => (row.meanForecast === null || row.hitRate === null ? [] : [{ forecast: row.meanForecast, outcome: row.hitRate }]))
    .sort((a, b) => a.forecast - b.forecast);
}

/** The picture in a sentence. */
export function calibrationWords(rows: Row[]): string {
  const said = rows.map((row) => `forecast ${share(row.meanForecast)}, came true ${share(row.hitRate)} of ${number(row.forecasts, 0)}`);
  return `Forecasts against outcomes, from the least probable up: ${said.join('; ')}.`;
}

export function CalibrationPicture(props: { rows: Row[] }) {
  const { rows } = props;
  const key = JSON.stringify(rows);
  const drawing = useMemo((): Drawing => {
    const points = calibrationPoints(rows);
    const forecasts = points.map((point) => point.forecast);
    const percent = (values: number[]) => values.map((value) => `${Math.round(100 * value)} %`);
    return {
      // The diagonal needs its two ends, where nothing was forecast.
      data: [
        [0, ...forecasts, 1],
        [0, ...forecasts, 1],
        [null, ...points.map((point) => point.outcome), null],
      ],
      options: (palette) => ({
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: [0, 1] }, y: { range: [0, 1] } },
        axes: axes(
          palette,
          { values: (_, ticks) => percent(ticks), label: 'Forecast' },
          { values: (_, ticks) => percent(ticks), label: 'Came true' },
        ),
        series: [
          {},
          { stroke: palette.soft, width: 1, dash: [4, 4], points: { show: false } },
          { stroke: palette.accent, width: 1.5, points: { show: true, size: 10, fill: palette.accent } },
        ],
      }),
    };
  }, [key]);
  return (
    <Plot
      drawing={drawing}
      height={260}
      says={calibrationWords(rows)}
      caption="Dots are groups of forecasts of about the same probability. On the dashed diagonal as many came true as was forecast; below it, fewer."
      table={{
        head: ['Forecast from', 'to', 'Mean forecast', 'Came true', 'Forecasts'],
        rows: rows.map((row) => [
          share(row.from),
          share(row.to),
          share(row.meanForecast),
          share(row.hitRate),
          count(row.forecasts, 'forecast'),
        ]),
      }}
    />
  );
}
