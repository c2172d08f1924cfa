import { profileChecks } from '@countersign/contract';
import { type ComboboxData, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { ClientSelect } from '../../clients/client-select.tsx';
import { clearable } from '../../components/clearable.ts';
import { outcomeTitle } from '../../explanation/outcome-badge.tsx';
import { FilterBar, PeriodFields } from '../../lists/filter-bar.tsx';
import { requests as t } from '#messages/requests.ts';
import { areFiltered, defaultRequestFilters, type RequestFilters } from '../../requests/request-filters.ts';
import { useRequestsKept } from '../../session/session-context.ts';
import { RequestSearchField } from './request-search-field.tsx';

const codes = [...profileChecks.flatMap((check) => check.codes), 'rate_limited', 'not_found'];

interface RequestFilterBarProps {
  readonly filters: RequestFilters;
  readonly onChange: (filters: RequestFilters) => void;
}

export function RequestFilterBar({ filters, onChange }: RequestFilterBarProps): ReactElement {
  const { clientId, outcome, status, search, sort } = filters;
  const keptDays = useRequestsKept().days;
  return (
    <FilterBar
      onClear={areFiltered(filters) ? () => onChange({ ...defaultRequestFilters, sort }) : undefined}
    >
      <RequestSearchField value={search} onSearch={(text) => onChange({ ...filters, search: text })} />
      <ClientSelect
        label={t.client}
        placeholder={t.anyClient}
        nothingFound={t.noClientFound}
        value={clientId}
        onChange={(chosen) => onChange({ ...filters, clientId: chosen })}
      />
      <OutcomeSelect value={outcome} onChange={(chosen) => onChange({ ...filters, outcome: chosen })} />
      <Select
        label={t.statusFilter}
        placeholder={t.anyStatus}
        {...clearable(t.statusFilter)}
        data={statusChoices(status)}
        value={status ?? null}
        onChange={(chosen) => onChange({ ...filters, status: chosen ?? undefined })}
      />
      <PeriodFields
        range={filters}
        unfiltered={defaultRequestFilters.period}
        keptDays={keptDays}
        onChange={(range) => onChange({ ...filters, ...range })}
      />
    </FilterBar>
  );
}

function statusChoices(status: string | undefined): ComboboxData {
  const classes = Object.entries(t.statusClasses).map(([value, label]) => ({ value, label }));
  const isKnown = status === undefined || Object.hasOwn(t.statusClasses, status);
  return isKnown ? classes : [...classes, { value: status, label: status }];
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
      {...clearable(t.outcome)}
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
