import { profileChecks } from '@countersign/contract';
import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { ClientSelect } from '../../clients/client-select.tsx';
import { outcomeTitle } from '../../explanation/outcome-badge.tsx';
import { FilterBar, PeriodFields } from '../../lists/filter-bar.tsx';
import { requests as t } from '../../messages/en/requests.ts';
import { defaultRequestFilters, type RequestFilters } from '../../requests/request-filters.ts';

const codes = [...profileChecks.flatMap((check) => check.codes), 'rate_limited', 'not_found'];

interface RequestFilterBarProps {
  readonly filters: RequestFilters;
  readonly onChange: (filters: RequestFilters) => void;
}

export function RequestFilterBar({ filters, onChange }: RequestFilterBarProps): ReactElement {
  const { clientId, outcome, period } = filters;
  const isFiltered =
    clientId !== undefined || outcome !== undefined || period !== defaultRequestFilters.period;
  return (
    <FilterBar onClear={isFiltered ? () => onChange(defaultRequestFilters) : undefined}>
      <ClientSelect
        label={t.client}
        placeholder={t.anyClient}
        nothingFound={t.noClientFound}
        value={clientId}
        onChange={(chosen) => onChange({ ...filters, clientId: chosen })}
      />
      <OutcomeSelect value={outcome} onChange={(chosen) => onChange({ ...filters, outcome: chosen })} />
      <PeriodFields range={filters} onChange={(range) => onChange({ ...filters, ...range })} />
    </FilterBar>
  );
}

interface OutcomeSelectProps {
  readonly value: string | undefined;
  readonly onChange: (outcome: string | undefined) => void;
}

function OutcomeSelect({ value, onChange }: OutcomeSelectProps): ReactElement {
  const known = ['accepted', 'refused', 'observed', ...codes];
  const others = value === undefined || known.includes(value) ? [] : [value];
  return (
    <Select
      label={t.outcome}
      placeholder={t.anyOutcome}
      searchable
      clearable
      data={[
        { value: 'accepted', label: t.accepted },
        { value: 'refused', label: t.refused },
        { value: 'observed', label: t.observed },
        {
          group: t.outcomesByCode,
          items: [...codes, ...others].map((code) => ({ value: code, label: outcomeTitle(code) })),
        },
      ]}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      maxDropdownHeight={320}
    />
  );
}
