import { Button, Skeleton } from '@mantine/core';
import { type MouseEvent, type ReactElement, useState } from 'react';
import { components as t } from '#messages/components.ts';
import { formatNumber } from '#messages/plural.ts';
import table from './table.module.css';
import classes from './time-chart.module.css';
import { clockTime, dayInYear, dayOf, shortTime } from './time-words.ts';

interface TimeChartProps {
  /** Without gaps, oldest first. */
  readonly points: readonly TimePoint[];
  readonly interval: 'hour' | 'day';
  /** For screen readers: `Requests of the last 24 hours`. */
  readonly label: string;
}

/** Shows accepted and rejected requests as bars, or as a table, with the observed ones if there are any. */
export function TimeChart({ points, interval, label }: TimeChartProps): ReactElement {
  const [isTable, setIsTable] = useState(false);
  const total = (kind: Kind): number => points.reduce((sum, point) => sum + point[kind], 0);
  const kinds = shownKinds(points);
  return (
    <figure className={classes['figure']} aria-label={label}>
      <figcaption className={classes['caption']}>
        {kinds.map((kind) => (
          <span key={kind} className={classes['legend']} data-kind={kind}>
            {t[kind]} <strong>{formatNumber(total(kind))}</strong>
          </span>
        ))}
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
          label={`${label}: ${t.chartTotal(total('accepted'), total('observed'), total('refused'))}`}
        />
      )}
    </figure>
  );
}

function PointsTable({ points, interval, label }: TimeChartProps): ReactElement {
  const kinds = shownKinds(points);
  return (
    <div
      className={`${table['region']} ${classes['tableRegion']}`}
      role="region"
      aria-label={label}
      // The keyboard must be able to scroll it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <table className={`${table['table']} ${classes['table']}`}>
        <thead>
          <tr>
            <th scope="col">{t.time}</th>
            {kinds.map((kind) => (
              <th key={kind} scope="col">
                {t[kind]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.startsAt}>
              <th scope="row">{pointName(point.startsAt, interval)}</th>
              {kinds.map((kind) => (
                <td key={kind}>{formatNumber(point[kind])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TimeChartBarsProps {
  readonly points: readonly TimePoint[];
  readonly interval: 'hour' | 'day';
  readonly label: string;
}

const height = 160;
const ticksMax = 6;

/** The axis labels are HTML, so they keep their size when the chart stretches. */
function TimeChartBars({ points, interval, label }: TimeChartBarsProps): ReactElement {
  const [active, setActive] = useState<number>();
  const max = niceMax(Math.max(...points.map(sumOf), 0));
  const isEmpty = points.every((point) => sumOf(point) === 0);
  const follow = (event: MouseEvent<SVGSVGElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * points.length);
    setActive(index >= 0 && index < points.length ? index : undefined);
  };
  const shown = active === undefined ? undefined : points[active];
  return (
    <div className={classes['chart']}>
      <div className={classes['scale']} aria-hidden>
        <span>{formatNumber(max)}</span>
        <span>{formatNumber(max / 2)}</span>
        <span>0</span>
      </div>
      <div className={classes['plot']}>
        {/* The table shows the same values without a pointer. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <svg
          className={classes['bars']}
          viewBox={`0 0 ${points.length} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
          onMouseMove={follow}
          onMouseLeave={() => setActive(undefined)}
        >
          {points.map((point, index) => (
            <Bar key={point.startsAt} point={point} index={index} max={max} isActive={index === active} />
          ))}
        </svg>
        {isEmpty && <div className={classes['nothing']}>{t.noRequests}</div>}
        {shown && active !== undefined && (
          <ChartTip
            point={shown}
            kinds={shownKinds(points)}
            name={pointName(shown.startsAt, interval)}
            share={(active + 0.5) / points.length}
          />
        )}
        <Ticks points={points} interval={interval} />
      </div>
    </div>
  );
}

function Bar(props: {
  readonly point: TimePoint;
  readonly index: number;
  readonly max: number;
  readonly isActive: boolean;
}): ReactElement {
  const { point, index, max, isActive } = props;
  return (
    <g data-active={isActive || undefined} className={classes['bar']}>
      <rect x={index} y={0} width={1} height={height} className={classes['hover']} />
      {partsOf(point, max).map((part) => (
        <rect
          key={part.kind}
          x={index + 0.16}
          y={part.y}
          width={0.68}
          height={part.height}
          className={classes[part.kind]}
        />
      ))}
    </g>
  );
}

interface BarPart {
  readonly kind: Kind;
  readonly y: number;
  readonly height: number;
}

/** Returns the rectangles of a bar, from the bottom up. */
function partsOf(point: TimePoint, max: number): readonly BarPart[] {
  const parts: BarPart[] = [];
  let top = height;
  for (const kind of allKinds) {
    if (point[kind] === 0) continue;
    const share = (point[kind] / max) * height;
    const partHeight = kind === 'accepted' ? share : Math.max(share, failedHeightMin);
    top = Math.max(0, top - partHeight);
    parts.push({ kind, y: top, height: partHeight });
  }
  return parts;
}

function ChartTip(props: {
  readonly point: TimePoint;
  readonly kinds: readonly Kind[];
  readonly name: string;
  readonly share: number;
}): ReactElement {
  const { point, kinds, name, share } = props;
  const isRight = share > 0.6;
  const place = isRight ? { right: `${(1 - share) * 100}%` } : { left: `${share * 100}%` };
  return (
    <div className={classes['tip']} data-right={isRight || undefined} style={place} aria-hidden>
      <div className={classes['tipName']}>{name}</div>
      {kinds.map((kind) => (
        <div key={kind} className={classes['legend']} data-kind={kind}>
          {t[kind]} <strong>{formatNumber(point[kind])}</strong>
        </div>
      ))}
    </div>
  );
}

function Ticks({ points, interval }: Omit<TimeChartBarsProps, 'label'>): ReactElement {
  const step = Math.max(1, Math.ceil(points.length / ticksMax));
  return (
    <div className={classes['ticks']} aria-hidden>
      {points.map(({ startsAt }, index) =>
        index % step === 0 && index + step / 2 <= points.length ? (
          <span key={startsAt} style={{ left: `${((index + 0.5) / points.length) * 100}%` }}>
            {tickName(startsAt, interval)}
          </span>
        ) : null,
      )}
    </div>
  );
}

interface TimePoint {
  /** RFC 3339. */
  readonly startsAt: string;
  readonly accepted: number;
  /** Requests that failed a check and passed anyway, on routes that observe. */
  readonly observed: number;
  readonly refused: number;
}

/** The parts of a bar, from the bottom up. */
const allKinds = ['accepted', 'observed', 'refused'] as const;

type Kind = (typeof allKinds)[number];

/** A few failures among many requests must not vanish. */
const failedHeightMin = 2;

/** Most accounts have no routes that observe. */
function shownKinds(points: readonly TimePoint[]): readonly Kind[] {
  const isObserved = points.some(({ observed }) => observed > 0);
  return allKinds.filter((kind) => kind !== 'observed' || isObserved);
}

function sumOf({ accepted, observed, refused }: TimePoint): number {
  return accepted + observed + refused;
}

function pointName(startsAt: string, interval: 'hour' | 'day'): string {
  return interval === 'day' ? dayOf(startsAt) : shortTime(startsAt);
}

function tickName(startsAt: string, interval: 'hour' | 'day'): string {
  return interval === 'day' ? dayInYear(startsAt) : clockTime(startsAt);
}

/** Rounds up to a number that is easy to read and to halve. */
function niceMax(max: number): number {
  if (max <= 4) return max <= 2 ? 2 : 4;
  const power = 10 ** Math.floor(Math.log10(max));
  const step = [1, 2, 4, 6, 8, 10].find((each) => each * power >= max) ?? 10;
  return step * power;
}

export function ChartSkeleton(): ReactElement {
  return <Skeleton height="calc(var(--portal-chart-height, 10rem) + 3.8rem)" radius="md" />;
}
