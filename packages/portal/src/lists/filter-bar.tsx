import { Button, Select } from '@mantine/core';
import { X } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { clearable } from '../components/clearable.ts';
import { TimeField } from '../components/time-field.tsx';
import { lists as t } from '#messages/lists.ts';
import classes from './list.module.css';
import { type Period, periodsWithin, type TimeRange } from './period.ts';

/** Shows a list's filters side by side, with a button that clears them. */
export function FilterBar({
  label = t.filters,
  children,
  onClear,
}: {
  readonly label?: string;
  readonly children: ReactNode;
  /** Undefined while no filter is set. */
  readonly onClear: (() => void) | undefined;
}): ReactElement {
  return (
    <div className={classes['filters']} role="search" aria-label={label}>
      {children}
      {onClear && (
        <Button
          variant="subtle"
          color="gray"
          px="xs"
          className={classes['clear']}
          leftSection={<X size={14} aria-hidden />}
          onClick={onClear}
        >
          {t.clearFilters}
        </Button>
      )}
    </div>
  );
}

/** The filter for the period of a list. */
export function PeriodFields({
  range,
  unfiltered,
  keptDays = 0,
  onChange,
}: {
  readonly range: TimeRange;
  /** The period of a list without filters. */
  readonly unfiltered: Period;
  /** The days that the list goes back; 0, the default, for forever. */
  readonly keptDays?: number;
  readonly onChange: (range: TimeRange) => void;
}): ReactElement {
  const { period, from, to } = range;
  const offered = periodsWithin(keptDays);
  // A link may have a longer one.
  const shown = offered.includes(period) ? offered : [...offered, period];
  return (
    <>
      <Select
        label={t.period}
        data={shown.map((value) => ({ value, label: t.periods[value] }))}
        value={period}
        allowDeselect={false}
        {...(period !== unfiltered && clearable(t.period))}
        onChange={(chosen) => onChange({ period: chosen ?? unfiltered, from: undefined, to: undefined })}
      />
      {period === 'custom' && (
        <>
          <TimeField label={t.from} value={from} onChange={(next) => onChange({ ...range, from: next })} />
          <TimeField label={t.to} value={to} onChange={(next) => onChange({ ...range, to: next })} />
        </>
      )}
    </>
  );
}
