import type { Account } from '@countersign/contract';
import { Modal, Stack, Text, Textarea } from '@mantine/core';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useApiMutation } from '../../api/queries.ts';
import { DialogButtons } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { notify } from '../../components/notify.ts';
import { operator as t } from '#messages/operator.ts';
import { useSession } from '../../session/session-context.ts';
import { lengthOf, normalized, reasonLength } from './reason.ts';

interface ActDialogProps {
  /** Undefined: the dialog is closed. */
  readonly account: Account | undefined;
  readonly onClose: () => void;
}

/** Asks for a reason before the operator acts for a customer. */
export function ActDialog({ account, onClose }: ActDialogProps): ReactElement {
  return (
    <Modal opened={account !== undefined} onClose={onClose} title={t.actTitle(account?.name ?? '')} size="lg">
      {account && <ActForm account={account} onClose={onClose} />}
    </Modal>
  );
}

const actingMinutes = 60;

function ActForm(props: { readonly account: Account; readonly onClose: () => void }): ReactElement {
  const { account, onClose } = props;
  const { refresh, switchAccount } = useSession();
  const [, navigate] = useLocation();
  const start = useApiMutation('startActing');
  const form = useForm({
    initialValues: { reason: '' },
    validate: ({ reason }) => {
      const length = lengthOf(reason);
      const isValid = length >= reasonLength.min && length <= reasonLength.max;
      return { reason: isValid ? undefined : t.reasonInvalid(reasonLength.min, reasonLength.max) };
    },
    place: () => undefined,
  });
  const submit = form.submit(async ({ reason }) => {
    await start.mutateAsync({ body: { accountId: account.accountId, reason: normalized(reason) } });
    await refresh();
    switchAccount(account.accountId);
    navigate('/');
    notify.success(t.began(account.name));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{t.actText(actingMinutes)}</Text>
        <Textarea
          {...form.field('reason')}
          label={t.reason}
          description={t.reasonHint}
          placeholder={t.reasonPlaceholder}
          autosize
          minRows={3}
          maxRows={8}
          required
          data-autofocus
        />
        <Text size="xs" c="dimmed" ta="right">
          {t.reasonCount(lengthOf(form.values.reason), reasonLength.max)}
        </Text>
        <ErrorNotice error={form.failure} />
        <DialogButtons label={t.begin} onCancel={onClose} isBusy={form.isBusy} />
      </Stack>
    </form>
  );
}
