import type { Client, PermissionEntry, Role } from '@countersign/contract';
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { Shield } from 'lucide-react';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PermissionMatrix } from '../../components/permission-matrix.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './client.module.css';
import type { ClientView } from '../../clients/client-view.ts';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notify } from '../../components/notify.ts';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { useAccountId } from '../../api/current-account.ts';

const rolesMax = 100;

/** What a client may do: its roles, and the permissions that they give it. */
export function RolesTab({ view }: { readonly view: ClientView }): ReactElement {
  const t = useMessages('client').roles;
  const [isEditing, setIsEditing] = useState(false);
  const roles = useApiQuery('listRoles', { query: { limit: rolesMax } });
  const permissions = useApiQuery('listPermissions');
  const data = roles.data &&
    permissions.data && { roles: roles.data.data, permissions: permissions.data.data };
  const query = { ...roles, data, error: roles.error ?? permissions.error };
  return (
    <Section
      title={t.title}
      description={t.description}
      actions={
        !isEditing && view.client.status !== 'revoked' && <ChangeButton onClick={() => setIsEditing(true)} />
      }
    >
      <QueryState query={query}>
        {(known) =>
          isEditing ? (
            <RolesForm view={view} {...known} onEnd={() => setIsEditing(false)} />
          ) : (
            <RolesShown names={view.client.roles} {...known} />
          )
        }
      </QueryState>
    </Section>
  );
}

function ChangeButton({ onClick }: { readonly onClick: () => void }): ReactElement {
  const t = useMessages('client').roles;
  return (
    <Permitted permission="clients:write">
      {(isDisabled) => (
        <Button variant="default" size="xs" disabled={isDisabled} onClick={onClick}>
          {t.change}
        </Button>
      )}
    </Permitted>
  );
}

function RolesShown({
  names,
  roles,
  permissions,
}: {
  readonly names: readonly string[];
  readonly roles: readonly Role[];
  readonly permissions: readonly PermissionEntry[];
}): ReactElement {
  const t = useMessages('client').roles;
  const own = roles.filter(({ name }) => names.includes(name));
  if (own.length === 0) {
    return (
      <EmptyState icon={Shield} title={t.none}>
        {t.noneText}
      </EmptyState>
    );
  }
  return (
    <div className={classes['stack']}>
      <ul className={classes['roles']}>
        {own.map(({ name, summary }) => (
          <li key={name}>
            <strong>{name}</strong>
            <span className={classes['rowDetail']}>{summary}</span>
          </li>
        ))}
      </ul>
      <PermissionMatrix roles={own} permissions={permissions} label={t.permissions} />
    </div>
  );
}

interface RolesFormProps {
  readonly view: ClientView;
  readonly roles: readonly Role[];
  readonly permissions: readonly PermissionEntry[];
  readonly onEnd: () => void;
}

/** Changes the roles of a client; the matrix shows at once what they would permit. */
function RolesForm({ view, roles, permissions, onEnd }: RolesFormProps): ReactElement {
  const t = useMessages('client').roles;
  const [names, setNames] = useState<readonly string[]>(view.client.roles);
  const leave = useLeave(onEnd);
  const { save, saveOverTheirs, isBusy, error, theirs } = useSaveRoles(view, leave);
  useUnsavedGuard(sorted(names) !== sorted(view.client.roles));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save(names);
  };
  return (
    <form onSubmit={submit} className={classes['stack']}>
      <Checkbox.Group label={t.editTitle} value={[...names]} onChange={setNames}>
        <Stack gap="sm" mt="xs">
          {roles.map(({ name, summary, isBuiltIn }) => (
            <Checkbox
              key={name}
              value={name}
              label={isBuiltIn ? name : `${name} (${t.own})`}
              description={summary}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {error !== undefined && <ErrorNotice error={error} />}
      <Group gap="sm">
        <Button type="submit" loading={isBusy}>
          {t.save}
        </Button>
        <Button variant="default" onClick={onEnd} disabled={isBusy}>
          {t.cancel}
        </Button>
      </Group>
      {names.length > 0 && (
        <PermissionMatrix
          roles={roles.filter(({ name }) => names.includes(name))}
          permissions={permissions}
          label={t.permissions}
        />
      )}
      <ConflictDialog
        mine={theirs && names}
        theirs={theirs?.roles}
        fields={[{ label: t.field, show: (value: readonly string[]) => sorted(value) }]}
        onKeepMine={() => void saveOverTheirs(names)}
        onTakeTheirs={leave}
        isBusy={isBusy}
      />
    </form>
  );
}

function useSaveRoles(
  { client, entityTag }: ClientView,
  leave: () => void,
): ConflictSaving<readonly string[], Client> {
  const t = useMessages('client').roles;
  const path = { clientId: client.clientId };
  return useConflictSaving(entityTag, {
    async write(roles, ifMatch) {
      await api.call('updateClient', { path, ifMatch, body: { roles } });
      notify.success(t.saved);
      leave();
    },
    readTheirs: () => api.callWithEntityTag('getClient', { path }),
  });
}

/** Ends the form; everything of the account is read anew. */
function useLeave(onEnd: () => void): () => void {
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  return () => {
    void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    onEnd();
  };
}

function sorted(names: readonly string[]): string {
  return names.toSorted().join(', ');
}
