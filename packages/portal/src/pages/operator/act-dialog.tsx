import type { Account } from '@countersign/contract';
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { isApiError } from '../../api/api-error.ts';
import { useApiMutation } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notify } from '../../components/notify.ts';
import { useMessages } from '../../messages/messages.ts';
import { useSession } from '../../session/session-context.ts';

/** Asks for the reason before one acts for a customer; closed without an account. */
export function ActDialog({
  account,
  onClose,
}: {
  readonly account: Account | undefined;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('operator');
  return (
    <Modal opened={account !== undefined} onClose={onClose} title={t.actTitle(account?.name ?? '')} size="lg">
      {account && <ActForm account={account} onClose={onClose} />}
    </Modal>
  );
}

/** As the contract has them. */
const reasonLength = { min: 10, max: 500 };
const actingMinutes = 60;

function ActForm({
  account,
  onClose,
}: {
  readonly account: Account;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('operator');
  const { refresh, switchAccount } = useSession();
  const [, navigate] = useLocation();
  const start = useApiMutation('startActing');
  const [reason, setReason] = useState('');
  const [isTried, setIsTried] = useState(false);
  const text = reason.trim().replaceAll(/\s+/g, ' ');
  const length = Array.from(text).length;
  const isValid = length >= reasonLength.min && length <= reasonLength.max;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setIsTried(true);
    if (!isValid || start.isPending) return;
    try {
      await start.mutateAsync({ body: { accountId: account.accountId, reason: text } });
    } catch {
      // The form shows it.
      return;
    }
    await refresh();
    switchAccount(account.accountId);
    navigate('/');
    notify.success(t.began(account.name));
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <Text size="sm">{t.actText(actingMinutes)}</Text>
        <Textarea
          label={t.reason}
          description={t.reasonHint}
          placeholder={t.reasonPlaceholder}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          error={isTried && !isValid ? t.reasonInvalid(reasonLength.min, reasonLength.max) : undefined}
          autosize
          minRows={3}
          maxRows={8}
          required
          data-autofocus
        />
        <Text size="xs" c="dimmed" ta="right">
          {t.reasonCount(length, reasonLength.max)}
        </Text>
        {start.error && !isApiError(start.error, 'cancelled') && <ErrorNotice error={start.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button type="submit" loading={start.isPending}>
            {t.begin}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
