import { operatorPermissions, type PermissionEntry } from '@countersign/contract';
import { Checkbox } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { type RoleDraft, withPermission } from './role-draft.ts';
import classes from './roles.module.css';

/** The permissions of a role, grouped by what they are about. What the person does not hold cannot be granted. */
export function PermissionPicker({
  draft,
  onChange,
}: {
  readonly draft: RoleDraft;
  readonly onChange: (draft: RoleDraft) => void;
}): ReactElement {
  const t = useMessages('roles');
  const permissions = useApiQuery('listPermissions');
  return (
    <fieldset className={classes['picker']} id="role-permissions" tabIndex={-1}>
      <legend>{t.permissions}</legend>
      <QueryState query={permissions}>
        {({ data }) => (
          <div className={classes['groups']}>
            {[
              ...Map.groupBy(
                shown(data, draft, t.unknownPermission),
                ({ name }) => name.split(':')[0] ?? name,
              ),
            ].map(([resource, entries]) => (
              <Group key={resource} resource={resource} entries={entries} draft={draft} onChange={onChange} />
            ))}
          </div>
        )}
      </QueryState>
    </fieldset>
  );
}

function Group({
  resource,
  entries,
  draft,
  onChange,
}: {
  readonly resource: string;
  readonly entries: readonly PermissionEntry[];
  readonly draft: RoleDraft;
  readonly onChange: (draft: RoleDraft) => void;
}): ReactElement {
  const t = useMessages('roles');
  const title = Object.hasOwn(t.resources, resource)
    ? t.resources[resource as keyof typeof t.resources]
    : resource;
  return (
    <div role="group" aria-label={title} className={classes['group']}>
      <div className={classes['group-title']}>{title}</div>
      {entries.map(({ name, summary, isHeld }) => {
        const isGranted = draft.permissions.includes(name);
        // What it has already may be taken away by anybody who may change roles.
        const isLocked = !isHeld && !isGranted;
        return (
          <Checkbox
            key={name}
            label={<code>{name}</code>}
            description={isLocked ? `${summary}. ${t.notHeld}` : summary}
            checked={isGranted}
            disabled={isLocked}
            onChange={(event) => onChange(withPermission(draft, name, event.currentTarget.checked))}
          />
        );
      })}
    </div>
  );
}

/**
 * Leaves out what counts for the operator alone, for others. Adds what the role has and the service does not know, so that it
 * can be taken away.
 */
function shown(
  known: readonly PermissionEntry[],
  draft: RoleDraft,
  unknownText: string,
): readonly PermissionEntry[] {
  const unknown = draft.permissions
    .filter((permission) => !known.some(({ name }) => name === permission))
    .map((name) => ({ name, summary: unknownText, isHeld: false }));
  return [...known, ...unknown].filter(
    ({ name, isHeld }) => isHeld || draft.permissions.includes(name) || !operatorPermissions.has(name),
  );
}
