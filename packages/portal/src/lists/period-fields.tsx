import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { TimeField } from '../components/time-field.tsx';
import { lists as t } from '../messages/en/lists.ts';
import { periods, type TimeRange } from './period.ts';

/** Chooses the time that a list is about. */
export function PeriodFields({
  range,
  onChange,
}: {
  readonly range: TimeRange;
  readonly onChange: (range: TimeRange) => void;
}): ReactElement {
  const { period, from, to } = range;
  return (
    <>
      <Select
        label={t.period}
        data={periods.map((value) => ({ value, label: t.periods[value] }))}
        value={period}
        allowDeselect={false}
        onChange={(chosen) => onChange({ period: chosen ?? period, from: undefined, to: undefined })}
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
