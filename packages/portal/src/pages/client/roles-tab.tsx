import type { PermissionEntry, Role } from '@countersign/contract';
import { Shield } from 'lucide-react';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { grantedTo, PermissionMatrix } from '../../components/permission-matrix.tsx';
import { QueryState } from '../../components/query-state.tsx';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.tsx';
import { client as clientWords } from '#messages/client.ts';
import classes from './client.module.css';
import { UpdateLink } from './update-link.tsx';

const rolesMax = 100;

/** The roles of a client and the permissions they give. */
export function RolesTab({ view: { client } }: { readonly view: ClientView }): ReactElement {
  const t = clientWords.roles;
  const roles = useApiQuery('listRoles', { query: { limit: rolesMax } });
  const permissions = useApiQuery('listPermissions');
  return (
    <Section
      title={t.title}
      description={t.description}
      actions={<UpdateLink client={client} label={t.change} field="client-roles" />}
    >
      <QueryState query={roles}>
        {({ data }) => (
          <QueryState query={permissions}>
            {(known) => <RolesShown names={client.roles} roles={data} permissions={known.data} />}
          </QueryState>
        )}
      </QueryState>
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
