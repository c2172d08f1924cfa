import { memberRoles, memberRolesOf, type Role, type RoleHolders } from '@countersign/contract';
import { Button, Tabs } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { grantedTo, PermissionMatrix } from '../../components/permission-matrix.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { roles as t } from '#messages/roles.ts';
import { team } from '#messages/team.ts';
import { useSession } from '../../session/session-context.ts';
import { OwnRoles } from './own-roles.tsx';
import { RoleEditor, type RoleToEdit } from './role-editor.tsx';
import { useRoleHolders, useRolePermission } from './role-holders.ts';
import classes from './roles.module.css';
import { useAllRoles } from './use-all-roles.ts';

/** Settings > Roles. */
export default function RolesPage(): ReactElement {
  const [edited, setEdited] = useState<RoleToEdit>();
  const [holders, setHolders] = useRoleHolders();
  const permission = useRolePermission(holders);
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        <Permitted permission={permission}>
          {(isDisabled) => (
            <Button
              leftSection={<Plus size={16} aria-hidden />}
              disabled={isDisabled}
              onClick={() => setEdited({ kind: 'new', holders, like: undefined })}
            >
              {t.addRole}
            </Button>
          )}
        </Permitted>
      }
    >
      <Tabs value={holders} onChange={(next) => setHolders(next as RoleHolders)} keepMounted={false}>
        <Tabs.List aria-label={t.holders} mb="lg">
          <Tabs.Tab value="clients">{t.of.clients.tab}</Tabs.Tab>
          <Tabs.Tab value="members">{t.of.members.tab}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="clients">
          <ClientRoles onEdit={setEdited} />
        </Tabs.Panel>
        <Tabs.Panel value="members">
          <MemberRoles onEdit={setEdited} />
        </Tabs.Panel>
      </Tabs>
      <RoleEditor edited={edited} onClose={() => setEdited(undefined)} />
    </Page>
  );
}

interface RolesProps {
  readonly onEdit: (edited: RoleToEdit) => void;
}

function ClientRoles({ onEdit }: RolesProps): ReactElement {
  const roles = useAllRoles();
  return (
    <QueryState query={roles}>
      {(all) => (
        <>
          <OwnRoles holders="clients" roles={all.filter(({ isBuiltIn }) => !isBuiltIn)} onEdit={onEdit} />
          <Comparison
            holders="clients"
            roles={all.toSorted((one, other) => Number(other.isBuiltIn) - Number(one.isBuiltIn))}
          />
        </>
      )}
    </QueryState>
  );
}

function MemberRoles({ onEdit }: RolesProps): ReactElement {
  const { account } = useSession();
  const roles = useAllRoles('members');
  const builtIn = memberRolesOf({ isOperator: account?.isOperator ?? false }).map((name) => ({
    name: team.roleNames[name],
    permissions: memberRoles[name].permissions,
  }));
  return (
    <QueryState query={roles}>
      {(own) => (
        <>
          <OwnRoles holders="members" roles={own} onEdit={onEdit} />
          <Comparison holders="members" roles={[...builtIn, ...own]} />
        </>
      )}
    </QueryState>
  );
}

interface ComparisonProps {
  readonly holders: RoleHolders;
  /** Built-in ones first. */
  readonly roles: readonly Pick<Role, 'name' | 'permissions'>[];
}

/** All roles in one matrix. */
function Comparison({ holders, roles }: ComparisonProps): ReactElement {
  const permissions = useApiQuery('listPermissions', { query: { holders } });
  return (
    <Section title={t.matrix} description={t.matrixText} isFlush isPlain>
      <QueryState query={permissions}>
        {({ data }) => (
          <div className={classes['matrix']}>
            <PermissionMatrix roles={roles} permissions={grantedTo(roles, data)} label={t.matrixTable} />
          </div>
        )}
      </QueryState>
    </Section>
  );
}
