import type { ReactElement } from 'react';
import { components as t } from '#messages/components.ts';
import classes from './sparkline.module.css';

interface SparklineProps {
  /** Oldest first. */
  readonly points: readonly number[];
  /** For screen readers: `Requests of 30 days`. */
  readonly label: string;
}

const width = 100;
const height = 28;
const padding = 2;

/** A small line chart. Screen readers get the sum and the peak. */
export function Sparkline({ points, label }: SparklineProps): ReactElement {
  const max = Math.max(...points, 0);
  const total = points.reduce((sum, point) => sum + point, 0);
  const line = linePath(points, max);
  return (
    <svg
      className={classes['sparkline']}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t.sparkline(label, total, max)}
      data-empty={max === 0 || undefined}
    >
      {max > 0 && <path d={`${line}V${height}H0Z`} className={classes['area']} />}
      <path d={line} className={classes['line']} />
    </svg>
  );
}

function linePath(points: readonly number[], max: number): string {
  const yOf = (point: number): number =>
    max === 0 ? height - padding : height - padding - (point / max) * (height - 2 * padding);
  if (points.length < 2) return `M0 ${yOf(points[0] ?? 0)}H${width}`;
  const step = width / (points.length - 1);
  return points
    .map((point, index) => `${index === 0 ? 'M' : 'L'}${(index * step).toFixed(2)} ${yOf(point).toFixed(2)}`)
    .join('');
}
