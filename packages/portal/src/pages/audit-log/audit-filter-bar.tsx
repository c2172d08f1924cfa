import { auditActionsOf, type AuditFamily } from '@countersign/contract';
import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { usePagedQuery } from '../../api/queries.ts';
import { ClientSelect } from '../../clients/client-select.tsx';
import { clearable } from '../../components/clearable.ts';
import { FilterBar, PeriodFields } from '../../lists/filter-bar.tsx';
import { auditEvents } from '#messages/audit-events.ts';
import { auditLog as t } from '#messages/audit-log.ts';
import { usePermission } from '../../session/session-context.ts';
import { type AuditFilters, auditFiltersQuery, defaultAuditFilters } from './audit-filters.ts';

interface AuditFilterBarProps {
  readonly filters: AuditFilters;
  readonly onChange: (filters: AuditFilters) => void;
}

export function AuditFilterBar({ filters, onChange }: AuditFilterBarProps): ReactElement {
  const isFiltered = auditFiltersQuery(filters).size > 0;
  return (
    <FilterBar onClear={isFiltered ? () => onChange(defaultAuditFilters) : undefined}>
      <Select
        label={t.action}
        placeholder={t.anyAction}
        searchable
        {...clearable(t.action)}
        data={actionGroups}
        value={filters.action ?? null}
        onChange={(chosen) =>
          onChange({ ...filters, action: (chosen as AuditFilters['action'] | null) ?? undefined })
        }
        maxDropdownHeight={320}
      />
      <ActorSelect value={filters.actorId} onChange={(actorId) => onChange({ ...filters, actorId })} />
      <ClientSelect
        label={t.client}
        placeholder={t.anyClient}
        nothingFound={t.noClientFound}
        value={filters.clientId}
        onChange={(clientId) => onChange({ ...filters, clientId })}
      />
      <PeriodFields
        range={filters}
        unfiltered={defaultAuditFilters.period}
        onChange={(range) => onChange({ ...filters, ...range })}
      />
    </FilterBar>
  );
}

/** Each family as a whole first, then its actions. */
const actionGroups = Object.entries(t.families).map(([family, { group, any }]) => ({
  group,
  items: [
    { value: family, label: any },
    ...auditActionsOf(family as AuditFamily).map((action) => ({
      value: action,
      label: auditEvents.actionNames[action],
    })),
  ],
}));

interface ActorSelectProps {
  readonly value: string | undefined;
  readonly onChange: (actorId: string | undefined) => void;
}

/** Selects a member. An unknown ID from the address stays selected. */
function ActorSelect({ value, onChange }: ActorSelectProps): ReactElement {
  const isAllowed = usePermission('members:read');
  const { data } = usePagedQuery('listMembers', { query: { limit: 100 } }, { enabled: isAllowed });
  const people = (data?.pages.flatMap((page) => page.data) ?? []).map(({ userId, name, email }) => ({
    value: userId,
    label: `${name} (${email})`,
  }));
  const isKnown = value === undefined || people.some((person) => person.value === value);
  return (
    <Select
      label={t.actor}
      placeholder={t.anyActor}
      nothingFoundMessage={t.nobodyFound}
      searchable
      {...clearable(t.actor)}
      data={isKnown ? people : [{ value, label: value }, ...people]}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      maxDropdownHeight={320}
    />
  );
}
