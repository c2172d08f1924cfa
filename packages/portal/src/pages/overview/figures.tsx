import type { StatisticsPoint } from '@countersign/contract';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { stepsOfRange, type Range } from '../../components/range-picker.tsx';
import { overview } from '#messages/overview.ts';
import { formatNumber, formatPercent, timeWords } from '#messages/plural.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './figures.module.css';
import { type DueClients, duePath, useDueClients } from './due-clients.ts';
import { useTimes } from './use-times.ts';
import { useTraffic } from './use-traffic.ts';

const t = overview.figures;

interface RangeProps {
  readonly range: Range;
}

/** The figures that tell whether the account's integration works, each with its change. */
export function Figures({ range }: RangeProps): ReactElement {
  const seesRequests = usePermission('requests:read');
  const seesClients = usePermission('clients:read');
  return (
    <dl className={classes['figures']}>
      {seesRequests && <RequestFigures range={range} />}
      {seesClients && <DueFigure />}
    </dl>
  );
}

function RequestFigures({ range }: RangeProps): ReactElement {
  const { data: points } = useTraffic(range);
  const figures = points && figuresOf(points, stepsOfRange[range].count);
  return (
    <>
      <Figure label={t.requests} to="/logs/requests" change={changeOf(figures?.requests)}>
        {figures && formatNumber(figures.requests.total)}
      </Figure>
      <Figure label={t.successRate} to="/logs/requests" change={pointsOf(figures?.share)}>
        {figures && shareWords(figures.share.total)}
      </Figure>
      <Figure
        label={t.rejected}
        to="/logs/requests?outcome=refused"
        change={changeOf(figures?.rejected)}
        tone={figures && figures.rejected.total > 0 ? 'wrong' : undefined}
      >
        {figures && formatNumber(figures.rejected.total)}
      </Figure>
      <TimeFigures range={range} />
    </>
  );
}

function TimeFigures({ range }: RangeProps): ReactElement {
  const { data } = useTimes(range);
  return (
    <>
      {(['p50Ms', 'p95Ms'] as const).map((share) => (
        <Figure
          key={share}
          label={t.time[share]}
          to={range === '24h' ? '/logs/analytics' : `/logs/analytics?range=${range}`}
          change={data && timeChange(data.times[share], data.before.times[share])}
        >
          {data && timeWords(data.times[share])}
        </Figure>
      ))}
    </>
  );
}

/** Percentiles of an hour that has begun are as good as others, so the whole periods are compared. */
function timeChange(now: number | undefined, before: number | undefined): string | undefined {
  if (now === undefined) return undefined;
  return before === undefined ? t.noneBefore : percentChange(now, before);
}

function percentChange(now: number, before: number): string {
  return t.change(Math.round((100 * (now - before)) / before));
}

function DueFigure(): ReactElement {
  const { data } = useDueClients();
  return (
    <Figure
      label={t.keysDue}
      to={duePath(data)}
      change={data && dueWords(data)}
      tone={data && data.overdue > 0 ? 'wrong' : undefined}
    >
      {data && countWords(data.clients.length, data.hasMore)}
    </Figure>
  );
}

function dueWords({ clients, overdue }: DueClients): string {
  return clients.length === 0 ? t.noneDue : t.overdue(overdue);
}

function countWords(count: number, hasMore: boolean): string {
  return hasMore ? t.atLeast(count) : formatNumber(count);
}

interface FigureProps {
  readonly label: string;
  readonly to: string;
  readonly change: string | undefined;
  readonly tone?: 'wrong' | undefined;
  /** Undefined while it loads. */
  readonly children: ReactNode;
}

function Figure({ label, to, change, tone, children }: FigureProps): ReactElement {
  return (
    <div className={classes['figure']}>
      <dt>
        <Link href={to}>{label}</Link>
      </dt>
      <dd className={classes['value']} data-tone={tone}>
        {children ?? '\u00A0'}
      </dd>
      <dd className={classes['change']}>{change ?? '\u00A0'}</dd>
    </div>
  );
}

/** A figure, and what it was in the steps that are over, and in as many before them. */
interface Compared {
  readonly total: number;
  readonly now: number;
  readonly before: number;
}

interface OverviewFigures {
  readonly requests: Compared;
  readonly rejected: Compared;
  /** From 0 to 1; NaN without requests. */
  readonly share: Compared;
}

function figuresOf(points: readonly StatisticsPoint[], count: number): OverviewFigures {
  const shown = sumOf(points.slice(-count));
  // The last step goes on, so it would compare an hour that has begun with a whole one.
  const over = sumOf(points.slice(-count, -1));
  const before = sumOf(points.slice(-2 * count, -count - 1));
  const compare = (figure: (sum: Sum) => number): Compared => ({
    total: figure(shown),
    now: figure(over),
    before: figure(before),
  });
  return {
    requests: compare(({ all }) => all),
    rejected: compare(({ refused }) => refused),
    share: compare(({ all, accepted }) => accepted / all),
  };
}

interface Sum {
  readonly all: number;
  readonly accepted: number;
  readonly refused: number;
}

function sumOf(points: readonly StatisticsPoint[]): Sum {
  let [all, accepted, refused] = [0, 0, 0];
  for (const point of points) {
    all += point.accepted + point.observed + point.refused;
    accepted += point.accepted;
    refused += point.refused;
  }
  return { all, accepted, refused };
}

function changeOf(figure: Compared | undefined): string | undefined {
  if (figure === undefined || (figure.before === 0 && figure.now === 0)) return undefined;
  if (figure.before === 0) return t.noneBefore;
  return percentChange(figure.now, figure.before);
}

function pointsOf(share: Compared | undefined): string | undefined {
  if (share === undefined || Number.isNaN(share.now) || Number.isNaN(share.before)) return undefined;
  return t.points(Math.round(1000 * (share.now - share.before)) / 10);
}

/** Never 100% unless it is so. */
function shareWords(share: number): string {
  return Number.isNaN(share) ? '–' : formatPercent(Math.floor(share * 1000) / 1000);
}
