import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { clearable } from '../components/clearable.ts';
import { usePermission } from '../session/session-context.ts';

interface ClientSelectProps {
  readonly label: string;
  readonly placeholder: string;
  readonly nothingFound: string;
  readonly value: string | undefined;
  readonly onChange: (clientId: string | undefined) => void;
  readonly description?: string;
  readonly className?: string | undefined;
}

/** Selects a client. The service searches by name and client ID. */
export function ClientSelect(props: ClientSelectProps): ReactElement {
  const { label, placeholder, nothingFound, value, onChange, description, className } = props;
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 250);
  const isAllowed = usePermission('clients:read');
  const { data } = useApiQuery(
    'listClients',
    { query: { limit: 50, ...(search !== '' && { search }) } },
    { enabled: isAllowed, keepsPrevious: true },
  );
  const found = (data?.data ?? []).map(({ clientId, name }) => ({ value: clientId, label: name }));
  const hasValue = value === undefined || found.some((option) => option.value === value);
  const options = hasValue ? found : [{ value, label: value }, ...found];
  return (
    <Select
      label={label}
      placeholder={placeholder}
      description={description}
      nothingFoundMessage={nothingFound}
      className={className}
      data={distinctLabels(options)}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      searchable
      {...clearable(label)}
      // The field also shows the name of the chosen client. Do not search for that.
      onSearchChange={(text) => setTyped(options.some((option) => option.label === text) ? '' : text)}
      filter={({ options: all }) => all}
      maxDropdownHeight={280}
    />
  );
}

/** Adds the client ID to names that occur twice. */
function distinctLabels(
  options: readonly { value: string; label: string }[],
): { value: string; label: string }[] {
  const counts = new Map<string, number>();
  for (const { label } of options) counts.set(label, (counts.get(label) ?? 0) + 1);
  return options.map(({ value, label }) => ({
    value,
    label: (counts.get(label) ?? 0) > 1 && label !== value ? `${label} (${value.slice(0, 14)}…)` : label,
  }));
}
