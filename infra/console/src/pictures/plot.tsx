/**
 * Pictures of numbers: the chart library's canvas in a figure, with a caption, a sentence for those who do not see it, and the numbers
 * themselves in a table below. The library is fetched when the first picture is shown.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';

/** The console's colours as the canvas needs them: as the style sheet has them at the moment. */
export type Palette = Record<'ink' | 'soft' | 'line' | 'ground' | 'accent' | 'good' | 'caution' | 'bad' | 'unknown', string>;

function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of('ink'),
    soft: of('soft'),
    line: of('line'),
    ground: of('card'),
    accent: of('accent'),
    good: of('good'),
    caution: of('caution'),
    bad: of('bad'),
    unknown: of('unknown'),
  };
}

/** A picture's data and its options but the size. Colours come from the palette, which changes with light and dark. */
export type Drawing = { data: uPlot.AlignedData; options: (palette: Palette) => Omit<uPlot.Options, 'width' | 'height'> };

/**
 * A picture. `says` is what it shows in a sentence, `table` the numbers behind it.
 */
export function Plot(props: {
  drawing: Drawing;
  height?: number;
  says: string;
  caption: ComponentChildren;
  table: { head: string[]; rows: string[][] };
}) {
  const place = useRef<HTMLDivElement>(null);
  const [broken, setBroken] = useState(false);
  const { drawing } = props;
  const height = props.height ?? 220;
  useEffect(() => {
    const element = place.current;
    if (element === null) {
      return;
    }
    let plot: uPlot | null = null;
    let gone = false;
    let draw = () => {};
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const size = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }));
    const redraw = () => draw();
    Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]).then(
      ([library]) => {
        if (gone) {
          return;
        }
        draw = () => {
          plot?.destroy();
          const options = drawing.options(readPalette(element));
          plot = new library.default({ ...options, width: element.clientWidth, height }, drawing.data, element);
        };
        draw();
        dark.addEventListener('change', redraw);
        size.observe(element);
      },
      () => setBroken(true),
    );
    return () => {
      gone = true;
      dark.removeEventListener('change', redraw);
      size.disconnect();
      plot?.destroy();
    };
  }, [drawing, height]);
  return (
    <figure class="picture">
      {broken ? (
        <p class="unmeasured">The picture could not be loaded. Its numbers are below.</p>
      ) : (
        <div class="plot" ref={place} role="img" aria-label={props.says} style={{ minHeight: `${height}px` }} />
      )}
      <figcaption>{props.caption}</figcaption>
      <Numbers table={props.table} />
    </figure>
  );
}

/** The numbers behind a picture, folded unless `open` says otherwise. */
export function Numbers(props: { table: { head: string[]; rows: string[][] }; open?: boolean }) {
  const { head, rows } = props.table;
  return (
    <details class="numbers" open={props.open ?? false}>
      <summary>The numbers</summary>
      <section class="scroll" tabIndex={0} aria-label={`The numbers: ${head.join(', ')}`}>
        <table>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.join('|')}>
                {row.map((cell, i) => (
                  <td key={i}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

/** Axes in the console's colours. */
export function axes(palette: Palette, x: Partial<uPlot.Axis>, y: Partial<uPlot.Axis>): uPlot.Axis[] {
  const common: uPlot.Axis = {
    stroke: palette.soft,
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return [
    { ...common, ...x },
    { ...common, size: 56, ...y },
  ];
}
