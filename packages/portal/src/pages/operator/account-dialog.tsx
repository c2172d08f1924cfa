import type { Account, AddedAccount, Invitation } from '@countersign/contract';
import { Modal, Stack, TextInput } from '@mantine/core';
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
import { InvitationLink, isEmail } from '../../components/invitation-link.tsx';
import { operator as t } from '#messages/operator.ts';
import { team } from '#messages/team.ts';
import { usePermission } from '../../session/session-context.ts';

export type AccountToEdit =
  | { readonly kind: 'new' }
  | { readonly kind: 'change'; readonly accountId: Account['accountId'] };

interface AccountDialogProps {
  /** Undefined: the dialog is closed. */
  readonly edited: AccountToEdit | undefined;
  readonly onClose: () => void;
}

/** Adds an account and invites its first owner, or changes its name and rules. */
export function AccountDialog({ edited, onClose }: AccountDialogProps): ReactElement {
  const [invitation, setInvitation] = useState<Invitation>();
  const close = (): void => {
    setInvitation(undefined);
    onClose();
  };
  const title = edited?.kind === 'change' ? t.changeTitle : t.addTitle;
  return (
    <Modal opened={edited !== undefined} onClose={close} title={invitation ? team.linkTitle : title}>
      {invitation ? (
        <InvitationLink invitation={invitation} onDone={close} />
      ) : (
        <>
          {edited?.kind === 'new' && (
            <AccountForm account={undefined} entityTag={undefined} onClose={close} onLink={setInvitation} />
          )}
          {edited?.kind === 'change' && <ChangeForm accountId={edited.accountId} onClose={close} />}
        </>
      )}
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
  /** Called with the invitation of a new account's owner if its link must be handed over. */
  readonly onLink?: (invitation: Invitation) => void;
}

function AccountForm({ account, entityTag, onClose, onLink }: AccountFormProps): ReactElement {
  const mayInvite = usePermission('accounts:act') && account === undefined;
  const form = useForm({
    initialValues: { name: account?.name ?? '', owner: '', days: String(account?.keyAgeDaysMax ?? '') },
    validate: ({ name, owner, days }) => ({
      name: name.trim() === '' ? t.nameNeeded : undefined,
      owner: owner.trim() === '' || isEmail(owner.trim()) ? undefined : team.emailInvalid,
      days: readDays(days) === undefined ? t.keyAgeInvalid : undefined,
    }),
  });
  const owner = form.values.owner.trim();
  const saving = useSaveAccount(account, entityTag, owner, ({ name, ownerInvitation }) => {
    notify.success(account ? t.saved(name) : t.added(name));
    if (ownerInvitation?.link !== undefined) return onLink?.(ownerInvitation);
    if (ownerInvitation !== undefined) notify.success(team.invitedByMail(ownerInvitation.email));
    onClose();
  });
  const draft = { name: form.values.name.trim(), keyAgeDaysMax: readDays(form.values.days) ?? null };
  return (
    <form onSubmit={form.submit(() => saving.save(draft))} noValidate>
      <Stack gap="md">
        <TextInput
          {...form.field('name')}
          label={t.name}
          maxLength={100}
          autoComplete="off"
          required
          data-autofocus
        />
        {mayInvite && (
          <TextInput
            {...form.field('owner')}
            type="email"
            label={t.ownerEmail}
            description={t.ownerEmailHint}
            autoComplete="off"
          />
        )}
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
  ownerEmail: string,
  onSaved: (saved: AddedAccount) => void,
): ConflictSaving<AccountDraft, AccountDraft> {
  const add = useApiMutation('addAccount');
  const update = useApiMutation('updateAccount');
  const path = account && { accountId: account.accountId };
  const addNew = (draft: AccountDraft): Promise<AddedAccount> =>
    add.mutateAsync({ body: { ...draft, ...(ownerEmail !== '' && { ownerEmail }) } });
  return useConflictSaving<AccountDraft, Account>(entityTag, {
    write: async (body, ifMatch) =>
      onSaved(path ? await update.mutateAsync({ path, body, ifMatch }) : await addNew(body)),
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
