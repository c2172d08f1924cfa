import type { PermissionEntry, Role } from '@countersign/contract';
import { Button } from '@mantine/core';
import { Shield } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PermissionMatrix } from '../../components/permission-matrix.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './client.module.css';
import type { ClientView } from './client-view.ts';
import { RolesForm } from './roles-form.tsx';

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
