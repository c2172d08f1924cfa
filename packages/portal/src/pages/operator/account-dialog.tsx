import type { Account } from '@countersign/contract';
import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import { useApiMutation, useEntityQuery } from '../../api/queries.ts';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';
import { DialogButtons } from '../../components/confirm-dialog.tsx';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { notify } from '../../components/notify.ts';
import { QueryState } from '../../components/query-state.tsx';
import { operator as t } from '#messages/operator.ts';

export type AccountToEdit =
  | { readonly kind: 'new' }
  | { readonly kind: 'change'; readonly accountId: Account['accountId'] };

interface AccountDialogProps {
  /** Undefined: the dialog is closed. */
  readonly edited: AccountToEdit | undefined;
  readonly onClose: () => void;
}

/** Adds an account, or changes its name and rules. */
export function AccountDialog({ edited, onClose }: AccountDialogProps): ReactElement {
  return (
    <Modal
      opened={edited !== undefined}
      onClose={onClose}
      title={edited?.kind === 'change' ? t.changeTitle : t.addTitle}
    >
      {edited?.kind === 'new' && <AccountForm account={undefined} entityTag={undefined} onClose={onClose} />}
      {edited?.kind === 'change' && <ChangeForm accountId={edited.accountId} onClose={onClose} />}
    </Modal>
  );
}

function ChangeForm(props: { readonly accountId: string; readonly onClose: () => void }): ReactElement {
  const query = useEntityQuery('getAccount', { path: { accountId: props.accountId } });
  // The form keeps its initial values: others' changes show up when it is saved.
  const [first, setFirst] = useState(query.data);
  if (first === undefined && query.data !== undefined) setFirst(query.data);
  return (
    <QueryState query={{ ...query, data: first }}>
      {({ body, entityTag }) => <AccountForm account={body} entityTag={entityTag} onClose={props.onClose} />}
    </QueryState>
  );
}

interface AccountDraft {
  readonly name: string;
  readonly keyAgeDaysMax: number | null;
}

interface AccountFormProps {
  /** Undefined for a new one. */
  readonly account: Account | undefined;
  readonly entityTag: string | undefined;
  readonly onClose: () => void;
}

function AccountForm({ account, entityTag, onClose }: AccountFormProps): ReactElement {
  const form = useForm({
    initialValues: { name: account?.name ?? '', days: String(account?.keyAgeDaysMax ?? '') },
    validate: ({ name, days }) => ({
      name: name.trim() === '' ? t.nameNeeded : undefined,
      days: readDays(days) === undefined ? t.keyAgeInvalid : undefined,
    }),
  });
  const saving = useSaveAccount(account, entityTag, (saved) => {
    notify.success(account ? t.saved(saved.name) : t.added(saved.name));
    onClose();
  });
  const draft = { name: form.values.name.trim(), keyAgeDaysMax: readDays(form.values.days) ?? null };
  return (
    <form onSubmit={form.submit(() => saving.save(draft))} noValidate>
      <Stack gap="md">
        {!account && <Text size="sm">{t.addText}</Text>}
        <TextInput
          {...form.field('name')}
          label={t.name}
          maxLength={100}
          autoComplete="off"
          required
          data-autofocus
        />
        <TextInput
          {...form.field('days')}
          label={t.keyAgeLabel}
          description={t.keyAgeHint}
          inputMode="numeric"
          autoComplete="off"
        />
        <ErrorNotice error={saving.error} />
        <DialogButtons label={account ? t.save : t.add} onCancel={onClose} isBusy={saving.isBusy} />
      </Stack>
      <ConflictDialog<AccountDraft>
        mine={draft}
        saving={saving}
        fields={[
          { label: t.name, show: ({ name }) => name },
          {
            label: t.keyAge,
            show: ({ keyAgeDaysMax: days }) => (days === null ? t.keyAgeNone : t.keyAgeDays(days)),
          },
        ]}
        onTakeTheirs={onClose}
      />
    </form>
  );
}

/** Adds an account, or changes the version that was shown. */
function useSaveAccount(
  account: Account | undefined,
  entityTag: string | undefined,
  onSaved: (saved: Account) => void,
): ConflictSaving<AccountDraft, AccountDraft> {
  const add = useApiMutation('addAccount');
  const update = useApiMutation('updateAccount');
  const path = account && { accountId: account.accountId };
  return useConflictSaving<AccountDraft, Account>(entityTag, {
    write: async (body, ifMatch) =>
      onSaved(path ? await update.mutateAsync({ path, body, ifMatch }) : await add.mutateAsync({ body })),
    readTheirs: path && (() => api.callWithEntityTag('getAccount', { path })),
  });
}

/** Returns null for no limit, and undefined if the text is not a number of days. */
function readDays(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const days = /^\d{1,4}$/.test(trimmed) ? Number(trimmed) : 0;
  return days >= 1 && days <= 3650 ? days : undefined;
}
