import { type ComboboxData, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../../api/queries.ts';
import { clearable } from '../../../components/clearable.ts';
import { FilterBar } from '../../../lists/filter-bar.tsx';
import { SearchField } from '../../../lists/search-field.tsx';
import { apiKeys } from '#messages/api-keys.ts';
import { type ClientFilters, defaultClientFilters, isFiltered } from './client-filters.ts';
import classes from '../../../lists/list.module.css';

interface ClientFilterBarProps {
  readonly filters: ClientFilters;
  readonly onChange: (filters: ClientFilters) => void;
  /** The tags that are offered to filter by. */
  readonly tags: readonly string[];
}

export function ClientFilterBar({ filters, onChange, tags }: ClientFilterBarProps): ReactElement {
  const t = apiKeys.filters;
  const roles = useApiQuery('listRoles', { query: { limit: 100 } });
  const roleNames = new Set(roles.data?.data.map(({ name }) => name));
  if (filters.role !== undefined) roleNames.add(filters.role);
  const knownTags = new Set(tags);
  if (filters.tag !== undefined) knownTags.add(filters.tag);
  const select = (
    name: 'status' | 'role' | 'rotation' | 'tag' | 'sort',
    placeholder: string,
    data: ComboboxData,
  ): ReactElement => (
    <Select
      aria-label={t[name]}
      placeholder={placeholder}
      data={data}
      value={filters[name] ?? null}
      allowDeselect={false}
      {...(filters[name] !== defaultClientFilters[name] && clearable(t[name]))}
      onChange={(chosen) => onChange({ ...filters, [name]: chosen ?? defaultClientFilters[name] })}
    />
  );
  return (
    <FilterBar
      label={t.label}
      onClear={
        isFiltered(filters) ? () => onChange({ ...defaultClientFilters, sort: filters.sort }) : undefined
      }
    >
      <SearchField
        className={classes['search']}
        label={t.search}
        placeholder={t.searchPlaceholder}
        value={filters.search}
        onSearch={(search) => onChange({ ...filters, search })}
      />
      {select('status', t.anyStatus, choices(t.statuses))}
      {select('role', t.anyRole, [...roleNames])}
      {select('rotation', t.anyRotation, choices(t.rotations))}
      {knownTags.size > 0 && select('tag', t.anyTag, [...knownTags].toSorted())}
      {select('sort', t.sort, choices(t.sorts))}
    </FilterBar>
  );
}

function choices(words: Readonly<Record<string, string>>): ComboboxData {
  return Object.entries(words).map(([value, label]) => ({ value, label }));
}
