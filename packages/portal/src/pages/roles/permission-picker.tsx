import {
  operatorPermissions,
  type Permission,
  type PermissionEntry,
  type RoleHolders,
} from '@countersign/contract';
import { Checkbox } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { QueryState } from '../../components/query-state.tsx';
import { permissionWords } from '#messages/permission-words.ts';
import { roles as t } from '#messages/roles.ts';
import classes from './roles.module.css';

interface PermissionPickerProps extends GroupsProps {
  readonly holders: RoleHolders;
}

interface GroupsProps {
  readonly granted: readonly Permission[];
  /** Called with the sorted permissions. */
  readonly onChange: (granted: readonly Permission[]) => void;
}

/** The permissions of a role, grouped by resource. People cannot grant what they do not hold. */
export function PermissionPicker({ holders, granted, onChange }: PermissionPickerProps): ReactElement {
  const permissions = useApiQuery('listPermissions', { query: { holders } });
  return (
    <fieldset className={classes['picker']} id="role-permissions" tabIndex={-1}>
      <legend>{t.permissions}</legend>
      <QueryState query={permissions}>
        {({ data }) => (
          <div className={classes['groups']}>
            {[...Map.groupBy(shown(data, granted), ({ name }) => name.split(':')[0] ?? name)].map(
              ([resource, entries]) => (
                <PermissionGroup
                  key={resource}
                  resource={resource}
                  entries={entries}
                  granted={granted}
                  onChange={onChange}
                />
              ),
            )}
          </div>
        )}
      </QueryState>
    </fieldset>
  );
}

interface PermissionGroupProps extends GroupsProps {
  readonly resource: string;
  readonly entries: readonly PermissionEntry[];
}

function PermissionGroup({ resource, entries, granted, onChange }: PermissionGroupProps): ReactElement {
  const title = Object.hasOwn(t.resources, resource)
    ? t.resources[resource as keyof typeof t.resources]
    : resource;
  const toggle = (permission: Permission, isGranted: boolean): void => {
    const others = granted.filter((name) => name !== permission);
    onChange((isGranted ? [...others, permission] : others).toSorted());
  };
  return (
    <div role="group" aria-label={title} className={classes['group']}>
      <div className={classes['group-title']}>{title}</div>
      {entries.map(({ name, summary, isHeld }) => {
        const isGranted = granted.includes(name);
        // A person who may change roles may always remove a permission.
        const isLocked = !isHeld && !isGranted;
        const words = permissionWords(name, summary);
        return (
          <Checkbox
            key={name}
            label={<code>{name}</code>}
            description={isLocked ? `${words}. ${t.notHeld}` : words}
            checked={isGranted}
            disabled={isLocked}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />
        );
      })}
    </div>
  );
}

/**
 * Hides permissions that only the operator's account can use. Adds permissions that the service no longer
 * knows, so they can be removed.
 */
function shown(
  known: readonly PermissionEntry[],
  granted: readonly Permission[],
): readonly PermissionEntry[] {
  const unknown = granted
    .filter((permission) => !known.some(({ name }) => name === permission))
    .map((name) => ({ name, summary: t.unknownPermission, isHeld: false }));
  return [...known, ...unknown].filter(
    ({ name, isHeld }) => isHeld || granted.includes(name) || !operatorPermissions.has(name),
  );
}
