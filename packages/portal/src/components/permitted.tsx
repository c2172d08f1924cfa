import type { Permission } from '@countersign/contract';
import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';
import { components as t } from '#messages/components.ts';
import { usePermission } from '../session/session-context.ts';

interface PermittedProps {
  readonly permission: Permission;
  readonly children: (isDisabled: boolean) => ReactElement;
}

/** Disables a control for people without the permission, and says why. */
export function Permitted({ permission, children }: PermittedProps): ReactElement {
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
