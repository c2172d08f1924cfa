import type { Role } from '@countersign/contract';
import { Button } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { grantedTo, PermissionMatrix } from '../../components/permission-matrix.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { roles as t } from '#messages/roles.ts';
import { OwnRoles } from './own-roles.tsx';
import { RoleEditor, type RoleToEdit } from './role-editor.tsx';
import classes from './roles.module.css';
import { useAllRoles } from './use-all-roles.ts';

/** Settings > Roles. */
export default function RolesPage(): ReactElement {
  const [edited, setEdited] = useState<RoleToEdit>();
  const roles = useAllRoles();
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        <Permitted permission="roles:write">
          {(isDisabled) => (
            <Button
              leftSection={<Plus size={16} aria-hidden />}
              disabled={isDisabled}
              onClick={() => setEdited({ kind: 'new', like: undefined })}
            >
              {t.addRole}
            </Button>
          )}
        </Permitted>
      }
    >
      <QueryState query={roles}>
        {(all) => (
          <>
            <OwnRoles roles={all.filter(({ isBuiltIn }) => !isBuiltIn)} onEdit={setEdited} />
            <BuiltInRoles roles={all} />
          </>
        )}
      </QueryState>
      <RoleEditor edited={edited} onClose={() => setEdited(undefined)} />
    </Page>
  );
}

/** All roles in one matrix, built-in ones first. */
function BuiltInRoles({ roles }: { readonly roles: readonly Role[] }): ReactElement {
  const permissions = useApiQuery('listPermissions');
  const sorted = roles.toSorted((one, other) => Number(other.isBuiltIn) - Number(one.isBuiltIn));
  return (
    <Section title={t.matrix} description={t.matrixText} isFlush isPlain>
      <QueryState query={permissions}>
        {({ data }) => (
          <div className={classes['matrix']}>
            <PermissionMatrix roles={sorted} permissions={grantedTo(roles, data)} label={t.matrixTable} />
          </div>
        )}
      </QueryState>
    </Section>
  );
}
