import type { Role } from '@countersign/contract';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormSummary } from '../../components/form-summary.tsx';
import { notify } from '../../components/notify.ts';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { useMessages } from '../../messages/messages.ts';
import { EffectPreview } from './effect-preview.tsx';
import { PermissionPicker } from './permission-picker.tsx';
import { draftOf, isSameDraft, type RoleDraft } from './role-draft.ts';
import { api } from '../../api/api.ts';
import { useApiMutation } from '../../api/queries.ts';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';

interface RoleFormProps {
  /** Undefined for a new one. */
  readonly role: Role | undefined;
  readonly entityTag: string | undefined;
  readonly initial: RoleDraft;
  readonly onDirty: (isDirty: boolean) => void;
  readonly onClose: () => void;
}

/** Name, summary and permissions of a role, with what a change changes for clients. */
export function RoleForm({ role, entityTag, initial, onDirty, onClose }: RoleFormProps): ReactElement {
  const t = useMessages('roles');
  const [draft, setDraft] = useState(initial);
  const [attempt, setAttempt] = useState(0);
  const isDirty = !isSameDraft(draft, initial);
  const saving = useSaveRole(role, entityTag, (saved) => {
    notify.success(role ? t.saved(saved.name) : t.added(saved.name));
    onClose();
  });
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  useUnsavedGuard(isDirty);
  const errors = errorsOf(draft, t);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAttempt(attempt + 1);
    if (errors.length === 0 && !saving.isBusy) void saving.save(draft);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormSummary errors={attempt > 0 ? errors : []} attempt={attempt} />
        <Names draft={draft} onChange={setDraft} errors={attempt > 0 ? errors : []} />
        <PermissionPicker draft={draft} onChange={setDraft} />
        {role && <EffectPreview role={role} draft={draft} />}
        {saving.error !== undefined && <ErrorNotice error={saving.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button type="submit" loading={saving.isBusy} disabled={role !== undefined && !isDirty}>
            {role ? t.save : t.add}
          </Button>
        </Group>
      </Stack>
      <RoleConflict saving={saving} draft={draft} onClose={onClose} />
    </form>
  );
}

type Words = ReturnType<typeof useMessages<'roles'>>;
type FieldErrors = readonly { readonly fieldId: string; readonly message: string }[];

function errorsOf({ name, permissions }: RoleDraft, t: Words): FieldErrors {
  return [
    ...(name.trim() === '' ? [{ fieldId: 'role-name', message: t.nameNeeded }] : []),
    ...(permissions.length === 0 ? [{ fieldId: 'role-permissions', message: t.permissionsNeeded }] : []),
  ];
}

function Names({
  draft,
  onChange,
  errors,
}: {
  readonly draft: RoleDraft;
  readonly onChange: (draft: RoleDraft) => void;
  readonly errors: FieldErrors;
}): ReactElement {
  const t = useMessages('roles');
  return (
    <>
      <TextInput
        id="role-name"
        label={t.name}
        description={t.nameHint}
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        error={errors.find(({ fieldId }) => fieldId === 'role-name')?.message}
        maxLength={64}
        autoComplete="off"
        required
        data-autofocus
      />
      <TextInput
        label={t.summary}
        description={t.summaryHint}
        value={draft.summary}
        onChange={(event) => onChange({ ...draft, summary: event.currentTarget.value })}
        maxLength={200}
        autoComplete="off"
      />
    </>
  );
}

function RoleConflict({
  saving,
  draft,
  onClose,
}: {
  readonly saving: ReturnType<typeof useSaveRole>;
  readonly draft: RoleDraft;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('roles');
  return (
    <ConflictDialog<RoleDraft>
      mine={saving.theirs === undefined ? undefined : draft}
      theirs={saving.theirs}
      fields={[
        { label: t.name, show: ({ name }) => name },
        { label: t.summary, show: ({ summary }) => summary },
        { label: t.permissions, show: ({ permissions }) => permissions.join(', ') },
      ]}
      isBusy={saving.isBusy}
      onKeepMine={() => void saving.saveOverTheirs(draft)}
      onTakeTheirs={onClose}
      onClose={saving.dismissConflict}
    />
  );
}

/** Adds a role, or changes one in the state that was seen. */
function useSaveRole(
  role: Role | undefined,
  entityTag: string | undefined,
  onSaved: (saved: Role) => void,
): ConflictSaving<RoleDraft, RoleDraft> {
  const add = useApiMutation('addRole');
  const update = useApiMutation('updateRole');
  const path = role && { roleId: role.roleId };
  const saving = useConflictSaving<RoleDraft, Role>(entityTag, {
    async write({ name, summary, permissions }, ifMatch) {
      const body = { name: name.trim(), summary: summary.trim(), permissions };
      onSaved(path ? await update.mutateAsync({ path, body, ifMatch }) : await add.mutateAsync({ body }));
    },
    readTheirs: path && (() => api.callWithEntityTag('getRole', { path })),
  });
  return { ...saving, theirs: saving.theirs && draftOf(saving.theirs) };
}
