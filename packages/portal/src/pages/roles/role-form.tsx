import type { Role, RoleHolders } from '@countersign/contract';
import { Stack, TextInput } from '@mantine/core';
import { type ReactElement, useEffect } from 'react';
import { api } from '../../api/api.ts';
import { useApiMutation } from '../../api/queries.ts';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';
import { DialogButtons } from '../../components/confirm-dialog.tsx';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormSummary, useForm } from '../../components/form.tsx';
import { notify } from '../../components/notify.ts';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { roles as t } from '#messages/roles.ts';
import { useSession } from '../../session/session-context.ts';
import { EffectPreview } from './effect-preview.tsx';
import { MemberEffect } from './member-effect.tsx';
import { PermissionPicker } from './permission-picker.tsx';
import { draftOf, isSameDraft, type RoleDraft } from './role-draft.ts';

interface RoleFormProps {
  /** Undefined for a new one. */
  readonly role: Role | undefined;
  readonly holders: RoleHolders;
  readonly entityTag: string | undefined;
  readonly initial: RoleDraft;
  readonly onDirty: (isDirty: boolean) => void;
  readonly onClose: () => void;
}

/** Name, summary and permissions of a role, with what a change means for everyone who has it. */
export function RoleForm(props: RoleFormProps): ReactElement {
  const { role, holders, entityTag, initial, onDirty, onClose } = props;
  const form = useForm({
    id: 'role',
    initialValues: initial,
    validate: ({ name, permissions }) => ({
      name: name.trim() === '' ? t.nameNeeded : undefined,
      permissions: permissions.length === 0 ? t.permissionsNeeded : undefined,
    }),
  });
  const draft = form.values;
  const isDirty = !isSameDraft(draft, initial);
  const saving = useSaveRole({ role, holders, entityTag }, (saved) => {
    notify.success(role ? t.saved(saved.name) : t.added(saved.name));
    onClose();
  });
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  useUnsavedGuard(isDirty);
  return (
    <form onSubmit={form.submit(saving.save)} noValidate>
      <Stack gap="lg">
        <FormSummary {...form.summary} />
        <TextInput
          {...form.field('name')}
          label={t.name}
          description={t.nameHint}
          maxLength={64}
          autoComplete="off"
          required
          data-autofocus
        />
        <TextInput
          {...form.field('summary')}
          label={t.summary}
          description={t.summaryHint}
          maxLength={200}
          autoComplete="off"
        />
        <PermissionPicker
          holders={holders}
          granted={draft.permissions}
          onChange={(permissions) => form.set('permissions', permissions)}
        />
        {role && holders === 'clients' && <EffectPreview role={role} draft={draft} />}
        {role && holders === 'members' && <MemberEffect role={role} draft={draft} />}
        <ErrorNotice error={saving.error} />
        <DialogButtons
          label={role ? t.save : t.add}
          onCancel={onClose}
          isBusy={saving.isBusy}
          isDisabled={role !== undefined && !isDirty}
        />
      </Stack>
      <ConflictDialog
        mine={draft}
        saving={saving}
        fields={[
          { label: t.name, show: ({ name }) => name },
          { label: t.summary, show: ({ summary }) => summary },
          { label: t.permissions, show: ({ permissions }) => permissions.join(', ') },
        ]}
        onTakeTheirs={onClose}
      />
    </form>
  );
}

/** Adds a role, or changes the version that was shown. */
function useSaveRole(
  { role, holders, entityTag }: Pick<RoleFormProps, 'role' | 'holders' | 'entityTag'>,
  onSaved: (saved: Role) => void,
): ConflictSaving<RoleDraft, RoleDraft> {
  const { account, refresh } = useSession();
  const add = useApiMutation('addRole');
  const update = useApiMutation('updateRole');
  const path = role && { roleId: role.roleId };
  const saving = useConflictSaving<RoleDraft, Role>(entityTag, {
    async write({ name, summary, permissions }, ifMatch) {
      const body = { name: name.trim(), summary: summary.trim(), permissions };
      const saved = path
        ? await update.mutateAsync({ path, body, ifMatch })
        : await add.mutateAsync({ body: { ...body, holders } });
      // It may be the person's own role.
      if (path && account?.role === role?.name) await refresh();
      onSaved(saved);
    },
    readTheirs: path && (() => api.callWithEntityTag('getRole', { path })),
  });
  return { ...saving, theirs: saving.theirs && draftOf(saving.theirs) };
}
