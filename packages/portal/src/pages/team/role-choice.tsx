import type { MemberRole } from '@countersign/contract';
import { Radio, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { useMessages } from '../../messages/messages.ts';

/** Chooses a role of people, each with what it may do. */
export function RoleChoice({
  label,
  roles,
  value,
  onChange,
}: {
  readonly label: string;
  readonly roles: readonly MemberRole[];
  readonly value: MemberRole;
  readonly onChange: (role: MemberRole) => void;
}): ReactElement {
  const t = useMessages('team');
  return (
    <Radio.Group label={label} value={value} onChange={onChange}>
      <Stack gap="sm" mt="xs">
        {roles.map((role) => (
          <Radio key={role} value={role} label={t.roleNames[role]} description={t.roleSummaries[role]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
