import type { StatisticsPoint } from '@countersign/contract';
import { type KeyboardEvent, type PointerEvent, type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { shortTime } from '../../components/time-words.ts';
import { type TimeRange, timeRangeQuery } from '../../lists/period.ts';
import { requests as t } from '../../messages/en/requests.ts';
import type { RequestFilters } from '../../requests/request-filters.ts';
import classes from './request-histogram.module.css';

interface RequestHistogramProps {
  readonly filters: RequestFilters;
  readonly onChange: (filters: RequestFilters) => void;
}

const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;

type Interval = keyof typeof stepMs;

/**
 * The number of requests over the period of the list, accepted and rejected. Whoever drags over it, or marks a stretch with
 * the arrow keys and presses Enter, sees the list of that stretch.
 */
export function RequestHistogram({ filters, onChange }: RequestHistogramProps): ReactElement {
  const { clientId } = filters;
  const [nowMs] = useState(Date.now);
  const { interval, from, to } = spanOf(filters, nowMs);
  const { data } = useApiQuery(
    'getRequestStatistics',
    {
      query: {
        interval,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        ...(clientId !== undefined && { clientId }),
      },
    },
    { keepsPrevious: true },
  );
  const points = data?.interval === interval ? (data.series[0]?.points ?? []) : [];
  const choose = ({ first, last }: Stretch): void => {
    const [start, end] = [points[first], points[last]];
    if (start === undefined || end === undefined) return;
    onChange({
      ...filters,
      period: 'custom',
      from: start.startsAt,
      to: new Date(Date.parse(end.startsAt) + stepMs[interval]).toISOString(),
    });
  };
  return <Bars key={`${interval} ${from} ${to}`} points={points} interval={interval} onChoose={choose} />;
}

/** Longer stretches are counted in days. */
const hoursMax = 7 * 24;
const defaultDays = 30;

function spanOf(range: TimeRange, nowMs: number): { interval: Interval; from: number; to: number } {
  const query = timeRangeQuery(range, nowMs);
  const to = query.to === undefined ? nowMs : Date.parse(query.to);
  const from = query.from === undefined ? to - defaultDays * stepMs.day : Date.parse(query.from);
  const hours = (to - from) / stepMs.hour;
  return { interval: hours <= hoursMax ? 'hour' : 'day', from: Math.min(from, to - 1), to };
}

/** The bars from the first to the last one. */
interface Stretch {
  readonly first: number;
  readonly last: number;
}

interface BarsProps {
  /** Oldest first; none while they load. */
  readonly points: readonly StatisticsPoint[];
  readonly interval: Interval;
  readonly onChoose: (stretch: Stretch) => void;
}

function Bars({ points, interval, onChoose }: BarsProps): ReactElement {
  const [marked, setMarked] = useState<{ readonly anchor: number; readonly end: number }>();
  const [isDragging, setIsDragging] = useState(false);
  const stretch = marked && {
    first: Math.min(marked.anchor, marked.end),
    last: Math.max(marked.anchor, marked.end),
  };
  const follow = (event: PointerEvent<HTMLElement>): void => {
    const index = indexAt(event, points.length);
    setMarked({ anchor: isDragging && marked ? marked.anchor : index, end: index });
  };
  const press = (event: KeyboardEvent): void => {
    const last = points.length - 1;
    const end = marked?.end ?? last;
    const next = { ArrowLeft: end - 1, ArrowRight: end + 1, Home: 0, End: last }[event.key];
    if (event.key === 'Escape') setMarked(undefined);
    if (event.key === 'Enter' && stretch) onChoose(stretch);
    if (next === undefined) return;
    event.preventDefault();
    const place = Math.max(0, Math.min(last, next));
    setMarked({ anchor: event.shiftKey ? (marked?.anchor ?? place) : place, end: place });
  };
  return (
    <div
      className={classes['histogram']}
      role="slider"
      tabIndex={0}
      aria-label={t.histogram}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, points.length - 1)}
      aria-valuenow={Math.max(0, marked?.end ?? points.length - 1)}
      aria-valuetext={wordsOf(points, interval, stretch)}
      onKeyDown={press}
      onBlur={() => setMarked(undefined)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setIsDragging(true);
        follow(event);
      }}
      onPointerMove={follow}
      onPointerUp={() => {
        setIsDragging(false);
        if (stretch) onChoose(stretch);
      }}
      onPointerLeave={() => !isDragging && setMarked(undefined)}
    >
      <Columns points={points} stretch={stretch} />
      {stretch && (
        <div className={classes['tip']} aria-hidden>
          {wordsOf(points, interval, stretch)}
        </div>
      )}
    </div>
  );
}

function indexAt(event: PointerEvent<HTMLElement>, count: number): number {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - left) / width) * count)));
}

const height = 36;
/** A few failures among many requests must not vanish. */
const failedHeightMin = 2;

function Columns({
  points,
  stretch,
}: {
  readonly points: readonly StatisticsPoint[];
  readonly stretch: Stretch | undefined;
}): ReactElement {
  const max = Math.max(1, ...points.map(sumOf));
  return (
    <svg viewBox={`0 0 ${Math.max(1, points.length)} ${height}`} preserveAspectRatio="none" aria-hidden>
      {points.map((point, index) => {
        const failed = point.refused + point.observed;
        const failedHeight = failed === 0 ? 0 : Math.max(failedHeightMin, (failed / max) * height);
        const accepted = (point.accepted / max) * (height - failedHeightMin);
        const isMarked = stretch && index >= stretch.first && index <= stretch.last;
        return (
          <g key={point.startsAt} data-marked={isMarked || undefined}>
            <rect x={index} y={0} width={1} height={height} className={classes['room']} />
            <rect
              x={index + 0.1}
              y={height - accepted}
              width={0.8}
              height={accepted}
              className={classes['accepted']}
            />
            <rect
              x={index + 0.1}
              y={Math.max(0, height - accepted - failedHeight)}
              width={0.8}
              height={failedHeight}
              className={classes['refused']}
            />
          </g>
        );
      })}
    </svg>
  );
}

function sumOf({ accepted, observed, refused }: StatisticsPoint): number {
  return accepted + observed + refused;
}

/** `28 Nov, 14:00 to 28 Nov, 16:00: 12 accepted, 2 rejected`. */
function wordsOf(
  points: readonly StatisticsPoint[],
  interval: Interval,
  stretch: Stretch = { first: 0, last: points.length - 1 },
): string {
  const some = points.slice(stretch.first, stretch.last + 1);
  const [first, last] = [some[0], some.at(-1)];
  if (first === undefined || last === undefined) return t.histogramEmpty;
  const sum = (kind: 'accepted' | 'refused'): number => some.reduce((total, point) => total + point[kind], 0);
  const end = Date.parse(last.startsAt) + stepMs[interval];
  return t.histogramStretch(shortTime(first.startsAt), shortTime(end), sum('accepted'), sum('refused'));
}
