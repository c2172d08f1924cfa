import type { RequestAnalytics } from '@countersign/contract';
import type { ReactElement } from 'react';
import type { Range } from '../../components/range-picker.tsx';
import { Section } from '../../components/section.tsx';
import { dayOf, shortTime } from '../../components/time-words.ts';
import { analytics } from '#messages/analytics.ts';
import { timeWords } from '#messages/plural.ts';
import { ranges } from '#messages/ranges.ts';
import classes from './analytics.module.css';

const t = analytics.times;

interface TimesSectionProps {
  readonly analytics: RequestAnalytics;
  readonly range: Range;
}

/** The percentiles of the service's own time, compared with the period before, and their course. */
export function TimesSection({ analytics: shown, range }: TimesSectionProps): ReactElement {
  const { times, before } = shown;
  return (
    <Section title={t.title} description={t.description}>
      <dl className={classes['times']}>
        {shares.map((share) => (
          <div key={share}>
            <dt data-line={share}>{t.share[share]}</dt>
            <dd className={classes['time']}>{timeWords(times[share])}</dd>
            <dd className={classes['before']}>
              {before.times[share] === undefined ? t.noneBefore : t.before(timeWords(before.times[share]))}
            </dd>
          </div>
        ))}
      </dl>
      <TimesChart analytics={shown} range={range} />
    </Section>
  );
}

const shares = ['p50Ms', 'p95Ms', 'p99Ms'] as const;
const lines = ['p95Ms', 'p50Ms'] as const;

const height = 120;

/** The texts beside it are HTML, so they keep their size when the chart stretches. */
function TimesChart({ analytics: { points, interval }, range }: TimesSectionProps): ReactElement {
  const top = Math.max(...points.map(({ p95Ms = 0 }) => p95Ms));
  const label = `${t.chart(ranges[range])}: ${lines
    .map((line) => `${t.share[line]} ${timeWords(Math.max(...points.map((point) => point[line] ?? 0)))}`)
    .join(', ')}`;
  const first = points[0];
  const last = points.at(-1);
  const name = interval === 'day' ? dayOf : shortTime;
  return (
    <div className={classes['chart']}>
      <div className={classes['scale']} aria-hidden>
        <span>{timeWords(top)}</span>
        <span>0</span>
      </div>
      <div className={classes['plot']}>
        <svg
          className={classes['lines']}
          viewBox={`0 0 ${points.length} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          {lines.map((line) => (
            <path
              key={line}
              data-line={line}
              d={linePath(
                points.map((point) => point[line]),
                top,
              )}
            />
          ))}
        </svg>
        <div className={classes['ends']} aria-hidden>
          <span>{first && name(first.startsAt)}</span>
          <span>{last && name(last.startsAt)}</span>
        </div>
      </div>
    </div>
  );
}

/** Leaves gaps where there were no requests; a point without neighbours is a short line. */
function linePath(values: readonly (number | undefined)[], top: number): string {
  return values
    .map((value, index) => {
      if (value === undefined) return '';
      const y = (height - (value / top) * (height - 4)).toFixed(2);
      return values[index - 1] === undefined
        ? `M${index + 0.4} ${y}L${index + 0.6} ${y}`
        : `L${index + 0.5} ${y}`;
    })
    .join('');
}
