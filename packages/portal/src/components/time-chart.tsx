import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { formatNumber } from '../messages/en/plural.ts';
import { useMessages } from '../messages/messages.ts';
import { TimeChartBars } from './time-chart-bars.tsx';
import classes from './time-chart.module.css';
import { pointName, type TimePoint } from './time-chart-scale.ts';

interface TimeChartProps {
  /** One point for each step of time, without gaps, the oldest first. */
  readonly points: readonly TimePoint[];
  readonly interval: 'hour' | 'day';
  /** What is shown, as it is said: `Requests of the last 24 hours`. */
  readonly label: string;
}

/** Accepted and refused requests over time, as bars; the same numbers are there as a table. */
export function TimeChart({ points, interval, label }: TimeChartProps): ReactElement {
  const t = useMessages('components');
  const [isTable, setIsTable] = useState(false);
  const total = (kind: 'accepted' | 'refused'): number => points.reduce((sum, point) => sum + point[kind], 0);
  return (
    <figure className={classes['figure']} aria-label={label}>
      <figcaption className={classes['caption']}>
        <span className={classes['legend']} data-kind="accepted">
          {t.accepted} <strong>{formatNumber(total('accepted'))}</strong>
        </span>
        <span className={classes['legend']} data-kind="refused">
          {t.refused} <strong>{formatNumber(total('refused'))}</strong>
        </span>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          className={classes['switch']}
          onClick={() => setIsTable(!isTable)}
        >
          {isTable ? t.showChart : t.showTable}
        </Button>
      </figcaption>
      {isTable ? (
        <PointsTable points={points} interval={interval} label={label} />
      ) : (
        <TimeChartBars
          points={points}
          interval={interval}
          label={`${label}: ${t.chartTotal(total('accepted'), total('refused'))}`}
        />
      )}
    </figure>
  );
}

function PointsTable({ points, interval, label }: TimeChartProps): ReactElement {
  const t = useMessages('components');
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes['tableRegion']} role="region" aria-label={label} tabIndex={0}>
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col">{t.time}</th>
            <th scope="col">{t.accepted}</th>
            <th scope="col">{t.refused}</th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.startsAt}>
              <th scope="row">{pointName(point.startsAt, interval)}</th>
              <td>{formatNumber(point.accepted)}</td>
              <td>{formatNumber(point.refused)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
