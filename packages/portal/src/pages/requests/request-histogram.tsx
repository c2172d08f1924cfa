import type { RequestStatistics } from '@countersign/contract';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { announce } from '../../components/announce.ts';
import { stepMs } from '../../components/range-picker.tsx';
import { timeSpan } from '../../components/time-words.ts';
import { outcomeTone } from '../../explanation/outcome-tone.ts';
import { requests as t } from '#messages/requests.ts';
import type { RequestFilters } from '../../requests/request-filters.ts';
import { HistogramBars } from './histogram-bars.tsx';
import type { Bar } from './histogram-columns.tsx';
import { type HistogramWindow, type Stretch, stretchOf, windowOf } from './histogram-window.ts';
import classes from './request-histogram.module.css';

interface RequestHistogramProps {
  readonly filters: RequestFilters;
  /** The time as of which the list is shown. */
  readonly nowMs: number;
  readonly onChange: (filters: RequestFilters) => void;
}

/**
 * Shows the number of requests over the list's period, and filters the list by a stretch of it. It shows the
 * service's counts, which know clients and outcomes but not what a search finds.
 */
export function RequestHistogram({ filters, nowMs, onChange }: RequestHistogramProps): ReactElement {
  const { clientId } = filters;
  const [shown, setShown] = useState<HistogramWindow>();
  const window = windowOf(filters, nowMs, shown);
  if (shown === undefined || !areEqual(shown, window)) setShown(window);
  const { data, error } = useApiQuery(
    'getRequestStatistics',
    {
      query: {
        interval: window.interval,
        by: 'outcome',
        from: new Date(window.fromMs).toISOString(),
        to: new Date(window.toMs).toISOString(),
        ...(clientId !== undefined && { clientId }),
      },
    },
    { keepsPrevious: true },
  );
  // The window of the data, which may still be the previous one.
  const drawn = data === undefined ? window : windowOfData(data);
  const bars = data === undefined ? [] : barsOf(data, drawn, filters.outcome);
  const choose = ({ first, last }: Stretch): void => {
    const step = stepMs[drawn.interval];
    const fromMs = drawn.fromMs + first * step;
    const toMs = drawn.fromMs + (last + 1) * step;
    announce(t.histogramChosen(timeSpan(fromMs, toMs)));
    onChange({
      ...filters,
      period: 'custom',
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
    });
  };
  return (
    <div className={classes['histogram']}>
      <HistogramBars
        bars={bars}
        window={drawn}
        chosen={stretchOf(filters, nowMs, drawn)}
        empty={error ? t.histogramFailed : data === undefined ? t.counting : t.histogramEmpty}
        onChoose={choose}
      />
      {isWithoutConditions(filters) && <span className={classes['note']}>{t.histogramWithout}</span>}
    </div>
  );
}

function areEqual(one: HistogramWindow, other: HistogramWindow): boolean {
  return one.interval === other.interval && one.fromMs === other.fromMs && one.toMs === other.toMs;
}

/** True if the list has conditions that the counts do not know. */
function isWithoutConditions({ search, status }: RequestFilters): boolean {
  return search.trim() !== '' || status !== undefined;
}

function windowOfData({ interval, from, to }: RequestStatistics): HistogramWindow {
  return { interval, fromMs: Date.parse(from), toMs: Date.parse(to) };
}

/** Adds up the outcomes that the list shows. */
function barsOf(
  { series }: RequestStatistics,
  { interval, fromMs, toMs }: HistogramWindow,
  outcome: string | undefined,
): readonly Bar[] {
  const isGroup = outcome === 'refused' || outcome === 'observed';
  const shown = series.filter(({ name }) => outcome === undefined || isGroup || name === outcome);
  return Array.from({ length: (toMs - fromMs) / stepMs[interval] }, (_, index) => {
    const bar = { accepted: 0, observed: 0, mistakes: 0, faults: 0 };
    for (const { name, points } of shown) {
      const { accepted = 0, observed = 0, refused = 0 } = points[index] ?? {};
      if (!isGroup) bar.accepted += accepted;
      if (outcome !== 'refused') bar.observed += observed;
      if (outcome !== 'observed') bar[isFault(name) ? 'faults' : 'mistakes'] += refused;
    }
    return bar;
  });
}

/** True if the service failed, and not the caller. */
function isFault(outcome: string): boolean {
  return outcomeTone(outcome, false) === 'danger';
}
