import type { PermissionEntry, Role } from '@countersign/contract';
import { Check, Minus } from 'lucide-react';
import { Fragment, type ReactElement } from 'react';
import { permissionWords } from '#messages/permission-words.ts';
import { components as t } from '#messages/components.ts';
import classes from './permission-matrix.module.css';
import table from './table.module.css';

interface PermissionMatrixProps {
  readonly roles: readonly Pick<Role, 'name' | 'permissions'>[];
  readonly permissions: readonly Pick<PermissionEntry, 'name' | 'summary'>[];
  readonly label?: string;
}

/** Omits the permissions that nobody here can have, such as those of the operator's account. */
export function grantedTo(
  roles: readonly Pick<Role, 'permissions'>[],
  permissions: readonly PermissionEntry[],
): readonly PermissionEntry[] {
  const granted = new Set(roles.flatMap((role) => role.permissions));
  return permissions.filter(({ name, isHeld }) => isHeld || granted.has(name));
}

/** Permissions by role. */
export function PermissionMatrix({ roles, permissions, label }: PermissionMatrixProps): ReactElement {
  const groups = Map.groupBy(permissions, ({ name }) => name.split(':')[0] ?? name);
  return (
    // The keyboard must be able to scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={table['region']} role="region" aria-label={label ?? t.permission} tabIndex={0}>
      <table className={`${table['table']} ${classes['table']}`}>
        <thead>
          <tr>
            <th scope="col">{t.permission}</th>
            {roles.map((role) => (
              <th key={role.name} scope="col" className={classes['role']}>
                {role.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...groups].map(([resource, entries]) => (
            <Fragment key={resource}>
              {entries.map(({ name, summary }, index) => (
                <tr key={name} data-first={index === 0 || undefined}>
                  <th scope="row">
                    <code>{name}</code>
                    <span className={classes['summary']}>{permissionWords(name, summary)}</span>
                  </th>
                  {roles.map((role) => (
                    <MatrixCell key={role.name} isAllowed={role.permissions.includes(name)} />
                  ))}
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MatrixCell({ isAllowed }: { readonly isAllowed: boolean }): ReactElement {
  return (
    <td data-allowed={isAllowed || undefined}>
      {isAllowed ? <Check size={16} strokeWidth={2.4} aria-hidden /> : <Minus size={14} aria-hidden />}
      <span className="portal-visually-hidden">{isAllowed ? t.allowed : t.notAllowed}</span>
    </td>
  );
}
