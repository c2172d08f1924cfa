import type { Account } from '@countersign/contract';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useApiMutation, useEntityQuery } from '../../api/queries.ts';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notify } from '../../components/notify.ts';
import { api } from '../../api/api.ts';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';

/** What is written: a new account, or a change of one. */
export type AccountToEdit =
  | { readonly kind: 'new' }
  | { readonly kind: 'change'; readonly accountId: Account['accountId'] };

/** Adds an account, or changes its name and rules; closed without one. */
export function AccountDialog({
  edited,
  onClose,
}: {
  readonly edited: AccountToEdit | undefined;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('operator');
  return (
    <Modal
      opened={edited !== undefined}
      onClose={onClose}
      title={edited?.kind === 'change' ? t.changeTitle : t.addTitle}
    >
      {edited?.kind === 'new' && <AccountForm account={undefined} entityTag={undefined} onClose={onClose} />}
      {edited?.kind === 'change' && <Changed accountId={edited.accountId} onClose={onClose} />}
    </Modal>
  );
}

function Changed({
  accountId,
  onClose,
}: {
  readonly accountId: string;
  readonly onClose: () => void;
}): ReactElement {
  const query = useEntityQuery('getAccount', { path: { accountId } });
  // The form goes on from what it began with: what others change meanwhile shows when it is saved.
  const [begun, setBegun] = useState(query.data);
  if (begun === undefined && query.data !== undefined) setBegun(query.data);
  return (
    <QueryState query={{ ...query, data: begun }}>
      {({ body, entityTag }) => <AccountForm account={body} entityTag={entityTag} onClose={onClose} />}
    </QueryState>
  );
}

interface AccountFormProps {
  /** Undefined for a new one. */
  readonly account: Account | undefined;
  readonly entityTag: string | undefined;
  readonly onClose: () => void;
}

/** Name of an account, and how old its keys may get. */
function AccountForm({ account, entityTag, onClose }: AccountFormProps): ReactElement {
  const t = useMessages('operator');
  const [name, setName] = useState(account?.name ?? '');
  const [days, setDays] = useState(String(account?.keyAgeDaysMax ?? ''));
  const [isTried, setIsTried] = useState(false);
  const saving = useSaveAccount(account, entityTag, (saved) => {
    notify.success(account ? t.saved(saved.name) : t.added(saved.name));
    onClose();
  });
  const keyAgeDaysMax = readDays(days);
  const draft =
    name.trim() === '' || keyAgeDaysMax === undefined ? undefined : { name: name.trim(), keyAgeDaysMax };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setIsTried(true);
    if (draft && !saving.isBusy) void saving.save(draft);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {!account && <Text size="sm">{t.addText}</Text>}
        <TextInput
          label={t.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={isTried && name.trim() === '' ? t.nameNeeded : undefined}
          maxLength={100}
          autoComplete="off"
          required
          data-autofocus
        />
        <TextInput
          label={t.keyAgeLabel}
          description={t.keyAgeHint}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          error={keyAgeDaysMax === undefined ? t.keyAgeInvalid : undefined}
          inputMode="numeric"
          autoComplete="off"
        />
        {saving.error !== undefined && <ErrorNotice error={saving.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button type="submit" loading={saving.isBusy}>
            {account ? t.save : t.add}
          </Button>
        </Group>
      </Stack>
      <AccountConflict saving={saving} draft={draft} onClose={onClose} />
    </form>
  );
}

function AccountConflict({
  saving,
  draft,
  onClose,
}: {
  readonly saving: ReturnType<typeof useSaveAccount>;
  readonly draft: AccountDraft | undefined;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('operator');
  return (
    <ConflictDialog<AccountDraft>
      mine={saving.theirs === undefined ? undefined : draft}
      theirs={saving.theirs}
      fields={[
        { label: t.name, show: ({ name }) => name },
        {
          label: t.keyAge,
          show: ({ keyAgeDaysMax }) => (keyAgeDaysMax === null ? t.keyAgeNone : t.keyAgeDays(keyAgeDaysMax)),
        },
      ]}
      isBusy={saving.isBusy}
      onKeepMine={() => draft && void saving.saveOverTheirs(draft)}
      onTakeTheirs={onClose}
      onClose={saving.dismissConflict}
    />
  );
}

/** Null for nothing; undefined for what is no number of days. */
function readDays(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const days = /^\d{1,4}$/.test(trimmed) ? Number(trimmed) : 0;
  return days >= 1 && days <= 3650 ? days : undefined;
}

/** An account while it is written. */
interface AccountDraft {
  readonly name: string;
  readonly keyAgeDaysMax: number | null;
}

/** Adds an account, or changes one in the state that was seen. */
function useSaveAccount(
  account: Account | undefined,
  entityTag: string | undefined,
  onSaved: (saved: Account) => void,
): ConflictSaving<AccountDraft, Account> {
  const add = useApiMutation('addAccount');
  const update = useApiMutation('updateAccount');
  const path = account && { accountId: account.accountId };
  return useConflictSaving(entityTag, {
    write: async (body, ifMatch) =>
      onSaved(path ? await update.mutateAsync({ path, body, ifMatch }) : await add.mutateAsync({ body })),
    readTheirs: path && (() => api.callWithEntityTag('getAccount', { path })),
  });
}
