import { Button, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../../api/queries.ts';
import { SearchField } from '../../../lists/search-field.tsx';
import { apiKeys } from '../../../messages/en/api-keys.ts';
import { type ClientFilters, isFiltered } from './client-filters.ts';
import classes from './clients-table.module.css';

export interface ClientFilterBarProps {
  readonly filters: ClientFilters;
  readonly onChange: (filters: ClientFilters) => void;
}

const nothing: ClientFilters = { search: '', status: undefined, role: undefined, rotation: undefined };

export function ClientFilterBar({ filters, onChange }: ClientFilterBarProps): ReactElement {
  const t = apiKeys.filters;
  const choices = (words: Readonly<Record<string, string>>): { value: string; label: string }[] =>
    Object.entries(words).map(([value, label]) => ({ value, label }));
  return (
    <div className={classes.filters} role="search" aria-label={t.label}>
      <SearchField
        className={classes.search}
        label={t.search}
        placeholder={t.searchPlaceholder}
        value={filters.search}
        onSearch={(search) => onChange({ ...filters, search })}
      />
      <Select
        className={classes.choice}
        aria-label={t.status}
        placeholder={t.anyStatus}
        clearable
        data={choices(t.statuses)}
        value={filters.status ?? null}
        onChange={(status) =>
          onChange({ ...filters, status: (status ?? undefined) as ClientFilters['status'] })
        }
      />
      <RoleFilter filters={filters} onChange={onChange} />
      <Select
        className={classes.choice}
        aria-label={t.rotation}
        placeholder={t.anyRotation}
        clearable
        data={choices(t.rotations)}
        value={filters.rotation ?? null}
        onChange={(rotation) =>
          onChange({ ...filters, rotation: (rotation ?? undefined) as ClientFilters['rotation'] })
        }
      />
      {isFiltered(filters) && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => onChange(nothing)}>
          {t.clear}
        </Button>
      )}
    </div>
  );
}

function RoleFilter({ filters, onChange }: ClientFilterBarProps): ReactElement {
  const t = apiKeys.filters;
  const roles = useApiQuery('listRoles', { query: { limit: 100 } });
  const names = new Set(roles.data?.data.map(({ name }) => name));
  if (filters.role !== undefined) names.add(filters.role);
  return (
    <Select
      className={classes.choice}
      aria-label={t.role}
      placeholder={t.anyRole}
      clearable
      data={[...names]}
      value={filters.role ?? null}
      onChange={(role) => onChange({ ...filters, role: role ?? undefined })}
    />
  );
}
