import type { Client, PermissionEntry, Role } from '@countersign/contract';
import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Shield } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import { useAccountId } from '../../api/current-account.ts';
import { useApiQuery } from '../../api/queries.ts';
import { useConflictSaving } from '../../api/use-conflict-saving.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { RolesField } from '../../clients/roles-field.tsx';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { notify } from '../../components/notify.ts';
import { grantedTo, PermissionMatrix } from '../../components/permission-matrix.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { QueryState } from '../../components/query-state.tsx';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.tsx';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { client as clientWords } from '#messages/client.ts';
import classes from './client.module.css';

const rolesMax = 100;

/** The roles of a client and the permissions they give. */
export function RolesTab({ view }: { readonly view: ClientView }): ReactElement {
  const t = clientWords.roles;
  const [isEditing, setIsEditing] = useState(false);
  const roles = useApiQuery('listRoles', { query: { limit: rolesMax } });
  const permissions = useApiQuery('listPermissions');
  return (
    <Section
      title={t.title}
      description={t.description}
      actions={
        !isEditing &&
        view.client.status !== 'revoked' && (
          <Permitted permission="clients:write">
            {(isDisabled) => (
              <Button variant="default" size="xs" disabled={isDisabled} onClick={() => setIsEditing(true)}>
                {t.change}
              </Button>
            )}
          </Permitted>
        )
      }
    >
      {isEditing ? (
        <RolesForm view={view} onEnd={() => setIsEditing(false)} />
      ) : (
        <QueryState query={roles}>
          {({ data }) => (
            <QueryState query={permissions}>
              {(known) => <RolesShown names={view.client.roles} roles={data} permissions={known.data} />}
            </QueryState>
          )}
        </QueryState>
      )}
    </Section>
  );
}

interface RolesShownProps {
  readonly names: readonly string[];
  readonly roles: readonly Role[];
  readonly permissions: readonly PermissionEntry[];
}

function RolesShown({ names, roles, permissions }: RolesShownProps): ReactElement {
  const t = clientWords.roles;
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
            <span className={rows['rowDetail']}>{summary}</span>
          </li>
        ))}
      </ul>
      <PermissionMatrix roles={own} permissions={grantedTo(own, permissions)} label={t.permissions} />
    </div>
  );
}

interface RolesFormProps {
  readonly view: ClientView;
  readonly onEnd: () => void;
}

function RolesForm({ view: { client, entityTag }, onEnd }: RolesFormProps): ReactElement {
  const t = clientWords.roles;
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  const form = useForm({ initialValues: { roles: client.roles } });
  const { roles } = form.values;
  const path = { clientId: client.clientId };
  const leave = (): void => {
    void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    onEnd();
  };
  const saving = useConflictSaving<Pick<Client, 'roles'>, Client>(entityTag, {
    async write(body, ifMatch) {
      await api.call('updateClient', { path, ifMatch, body: { roles: body.roles } });
      notify.success(t.saved);
      leave();
    },
    readTheirs: () => api.callWithEntityTag('getClient', { path }),
  });
  useUnsavedGuard(sorted(roles) !== sorted(client.roles));
  return (
    <form onSubmit={form.submit(saving.save)} className={classes['stack']}>
      <RolesField label={t.editTitle} value={roles} onChange={(names) => form.set('roles', names)} />
      <ErrorNotice error={saving.error} />
      <Group gap="sm">
        <Button type="submit" loading={saving.isBusy}>
          {t.save}
        </Button>
        <Button variant="default" onClick={onEnd} disabled={saving.isBusy}>
          {t.cancel}
        </Button>
      </Group>
      <ConflictDialog<Pick<Client, 'roles'>>
        mine={form.values}
        saving={saving}
        fields={[{ label: t.field, show: (one) => sorted(one.roles) }]}
        onTakeTheirs={leave}
      />
    </form>
  );
}

function sorted(names: readonly string[]): string {
  return names.toSorted().join(', ');
}
