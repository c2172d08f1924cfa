import { X } from 'lucide-react';
import type { ReactElement } from 'react';
import { timeSpan } from '../../components/time-words.ts';
import type { TimeRange } from '../../lists/period.ts';
import { requests as t } from '#messages/requests.ts';
import { histogramId } from './histogram-bars.tsx';
import classes from './requests.module.css';

interface TimeRangeChipProps {
  readonly range: TimeRange;
  readonly onClear: () => void;
}

/** The chosen stretch of time, where the list otherwise has the causes of failures. */
export function TimeRangeChip({ range, onClear }: TimeRangeChipProps): ReactElement {
  const text = textOf(range);
  return (
    <div className={classes['failures']}>
      <h2>{t.timeRange}</h2>
      {text !== undefined && (
        <span className={classes['chip']}>
          {text}
          <button
            type="button"
            aria-label={t.clearTimeRange}
            onClick={() => {
              onClear();
              // This button is about to disappear.
              document.getElementById(histogramId)?.focus();
            }}
          >
            <X size={14} aria-hidden />
          </button>
        </span>
      )}
    </div>
  );
}

function textOf({ from, to }: TimeRange): string | undefined {
  if (from !== undefined && to !== undefined) return timeSpan(Date.parse(from), Date.parse(to));
  if (from !== undefined) return t.since(timeSpan(Date.parse(from), Date.parse(from)));
  return to === undefined ? undefined : t.until(timeSpan(Date.parse(to), Date.parse(to)));
}
