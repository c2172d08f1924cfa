import type { ReactElement } from 'react';
import type { Stretch } from './histogram-window.ts';
import classes from './request-histogram.module.css';

/** The number of requests in an hour or a day. */
export interface Bar {
  readonly accepted: number;
  /** Requests that failed a check but passed. */
  readonly observed: number;
  /** Requests that were rejected because of their caller. */
  readonly mistakes: number;
  /** Requests that the service failed to answer. */
  readonly faults: number;
}

/** The parts of a bar, from the bottom up. */
export const barParts = ['accepted', 'observed', 'mistakes', 'faults'] as const;

export function sumOf(bar: Bar): number {
  return barParts.reduce((sum, part) => sum + bar[part], 0);
}

interface HistogramColumnsProps {
  readonly bars: readonly Bar[];
  readonly marked: Stretch | undefined;
  /** The bars of the list's period; all of them unless given. */
  readonly chosen: Stretch | undefined;
}

const height = 32;
/** A few failures among many requests must not vanish. */
const partHeightMin = 2;

/** Draws the bars. Their parts have the colors of their meaning. */
export function HistogramColumns({ bars, marked, chosen }: HistogramColumnsProps): ReactElement {
  const max = Math.max(1, ...bars.map(sumOf));
  return (
    <svg viewBox={`0 0 ${Math.max(1, bars.length)} ${height}`} preserveAspectRatio="none" aria-hidden>
      {bars.map((bar, index) => (
        <g
          // A bar is its place.
          key={index}
          data-marked={isWithin(marked, index) || undefined}
          data-faded={(chosen !== undefined && !isWithin(chosen, index)) || undefined}
        >
          <rect x={index} y={0} width={1} height={height} className={classes['room']} />
          {partsOf(bar, max).map(({ part, top, bottom }) => (
            <rect
              key={part}
              x={index + 0.1}
              y={height - top}
              width={0.8}
              height={top - bottom}
              className={classes[part]}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

function isWithin(stretch: Stretch | undefined, index: number): boolean {
  return stretch !== undefined && index >= stretch.first && index <= stretch.last;
}

interface DrawnPart {
  readonly part: (typeof barParts)[number];
  readonly bottom: number;
  readonly top: number;
}

function partsOf(bar: Bar, max: number): readonly DrawnPart[] {
  const parts = barParts.filter((part) => bar[part] > 0);
  const heights = parts.map((part) => Math.max(partHeightMin, (bar[part] / max) * height));
  const total = heights.reduce((sum, one) => sum + one, 0);
  // Parts that were made higher must not grow out of the top.
  const scale = total > height ? height / total : 1;
  let bottom = 0;
  return parts.map((part, index) => {
    const top = bottom + (heights[index] ?? 0) * scale;
    const drawn = { part, bottom, top };
    bottom = top;
    return drawn;
  });
}
