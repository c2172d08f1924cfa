import type { Permission } from '@countersign/contract';
import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';
import { useMessages } from '../messages/messages.ts';
import { usePermission } from '../session/session-context.ts';

interface PermittedProps {
  readonly permission: Permission;
  readonly children: (isDisabled: boolean) => ReactElement;
}

/** Disables a control for people without the permission, and says why. */
export function Permitted({ permission, children }: PermittedProps): ReactElement {
  const t = useMessages('components');
  const isPermitted = usePermission(permission);
  if (isPermitted) return children(false);
  return (
    <Tooltip label={t.mayNot(permission)} multiline maw={280}>
      <span>
        {children(true)}
        <span className="portal-visually-hidden">{t.mayNot(permission)}</span>
      </span>
    </Tooltip>
  );
}
