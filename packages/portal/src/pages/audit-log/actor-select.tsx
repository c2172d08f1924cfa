import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { usePagedQuery } from '../../api/queries.ts';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';

/** Chooses who did it, from the people of the account. An id in the address, of whomever, stays. */
export function ActorSelect({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (actorId: string | undefined) => void;
}): ReactElement {
  const t = useMessages('auditLog');
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
      clearable
      data={isKnown ? people : [{ value, label: value }, ...people]}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      maxDropdownHeight={320}
    />
  );
}
