import type { Role, RoleHolders } from '@countersign/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { Copy, Ellipsis, Pencil, Tags, Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { notify } from '../../components/notify.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { useSortedRows } from '../../components/use-sorted-rows.ts';
import { roles as t } from '#messages/roles.ts';
import { useMayChangeRoles } from './role-holders.ts';
import type { RoleToEdit } from './role-editor.tsx';
import classes from './roles.module.css';

const sortValues = {
  name: ({ name }: Role) => name,
  permissions: ({ permissions }: Role) => permissions.length,
  updated: ({ updatedAt }: Role) => updatedAt,
};

interface OwnRolesProps {
  readonly holders: RoleHolders;
  readonly roles: readonly Role[];
  readonly onEdit: (edited: RoleToEdit) => void;
}

export function OwnRoles({ holders, roles, onEdit }: OwnRolesProps): ReactElement {
  const [removed, setRemoved] = useState<Role>();
  const words = t.of[holders];
  const mayChange = useMayChangeRoles(holders);
  const { rows, sort } = useSortedRows(roles, sortValues);
  const columns: DataColumn<Role>[] = [
    {
      id: 'name',
      header: t.name,
      isRowHeader: true,
      cell: ({ name, summary }) => (
        <>
          <div>{name}</div>
          {summary !== '' && <bdi className={classes['summary']}>{summary}</bdi>}
        </>
      ),
    },
    {
      id: 'permissions',
      header: t.permissions,
      cell: ({ permissions }) => (
        <span title={permissions.join(', ')}>{t.permissionCount(permissions.length)}</span>
      ),
    },
    {
      id: 'updated',
      header: t.updated,
      cell: ({ updatedAt }) => updatedAt !== undefined && <RelativeTime at={updatedAt} />,
    },
  ];
  const menu: DataColumn<Role> = {
    id: 'menu',
    header: t.menu,
    isHeaderHidden: true,
    align: 'right',
    cell: (role) => <RoleMenu role={role} onEdit={onEdit} onRemove={setRemoved} />,
  };
  return (
    <Section
      title={t.own}
      description={roles.length > 0 ? `${t.count(roles.length)}. ${words.ownText}` : undefined}
      isFlush
      isPlain
    >
      <DataTable
        label={t.own}
        columns={mayChange ? [...columns, menu] : columns}
        rows={rows}
        sort={sort}
        rowKey={({ roleId }) => roleId}
        empty={
          <EmptyState icon={Tags} title={t.noneTitle}>
            {words.noneText}
          </EmptyState>
        }
      />
      <RemoveRoleDialog role={removed} onClose={() => setRemoved(undefined)} />
    </Section>
  );
}

interface RoleMenuProps {
  readonly role: Role;
  readonly onEdit: (edited: RoleToEdit) => void;
  readonly onRemove: (role: Role) => void;
}

function RoleMenu({ role, onEdit, onRemove }: RoleMenuProps): ReactElement {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t.menuOf(role.name)}>
          <Ellipsis size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Pencil size={15} aria-hidden />}
          onClick={() => onEdit({ kind: 'change', roleId: role.roleId, name: role.name })}
        >
          {t.edit}
        </Menu.Item>
        <Menu.Item
          leftSection={<Copy size={15} aria-hidden />}
          onClick={() => onEdit({ kind: 'new', holders: role.holders, like: role })}
        >
          {t.duplicate}
        </Menu.Item>
        <Menu.Item color="red" leftSection={<Trash2 size={15} aria-hidden />} onClick={() => onRemove(role)}>
          {t.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface RemoveRoleDialogProps {
  readonly role: Role | undefined;
  readonly onClose: () => void;
}

/** Removes a role. The service rejects this if someone has it. */
function RemoveRoleDialog({ role, onClose }: RemoveRoleDialogProps): ReactElement {
  const remove = useApiMutation('removeRole');
  const run = async (): Promise<void> => {
    if (role === undefined) return;
    const path = { roleId: role.roleId };
    const { entityTag } = await api.callWithEntityTag('getRole', { path });
    await remove.mutateAsync({ path, ifMatch: entityTag ?? '*' });
    notify.success(t.removed(role.name));
  };
  return (
    <ConfirmDialog
      opened={role !== undefined}
      onClose={onClose}
      title={t.removeTitle(role?.name ?? '')}
      confirmLabel={t.remove}
      isDangerous
      onConfirm={run}
    >
      {t.of[role?.holders ?? 'clients'].removeText}
    </ConfirmDialog>
  );
}
