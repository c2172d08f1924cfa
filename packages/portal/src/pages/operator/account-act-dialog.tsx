import type { Account } from '@countersign/contract';
import { Textarea } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notify } from '../../components/notify.ts';
import { operator as t } from '#messages/operator.ts';
import { lengthOf, normalized, reasonLength } from './reason.ts';

export type AccountAct = 'suspend' | 'resume' | 'close';

export interface AccountToActOn {
  readonly account: Account;
  readonly act: AccountAct;
}

const operations = { suspend: 'suspendAccount', resume: 'resumeAccount', close: 'closeAccount' } as const;

interface AccountActDialogProps {
  /** Undefined: the dialog is closed. */
  readonly chosen: AccountToActOn | undefined;
  readonly onClose: () => void;
}

/** Asks for a reason before an account is suspended, resumed or closed. */
export function AccountActDialog({ chosen, onClose }: AccountActDialogProps): ReactElement {
  // Keeps the words while the dialog closes.
  const [shown, setShown] = useState(chosen);
  if (chosen !== undefined && chosen !== shown) setShown(chosen);
  const { account, act } = shown ?? {};
  return act === undefined || account === undefined ? (
    <></>
  ) : (
    <ReasonDialog
      key={`${account.accountId} ${act}`}
      account={account}
      act={act}
      isOpen={chosen !== undefined}
      onClose={onClose}
    />
  );
}

interface ReasonDialogProps extends AccountToActOn {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ReasonDialog({ account, act, isOpen, onClose }: ReasonDialogProps): ReactElement {
  const [reason, setReason] = useState('');
  const [mistake, setMistake] = useState<string>();
  const change = useApiMutation(operations[act]);
  const words = t.acts[act];
  const check = (): boolean => {
    const length = lengthOf(reason);
    const isValid = length >= reasonLength.min && length <= reasonLength.max;
    setMistake(isValid ? undefined : t.reasonInvalid(reasonLength.min, reasonLength.max));
    return isValid;
  };
  const confirm = async (): Promise<void> => {
    await change.mutateAsync({
      path: { accountId: account.accountId },
      body: { reason: normalized(reason) },
    });
    setReason('');
    notify.success(words.done(account.name));
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      onClose={onClose}
      title={words.title(account.name)}
      confirmLabel={words.item}
      isDangerous={act !== 'resume'}
      onCheck={check}
      onConfirm={confirm}
      {...(act === 'close' && { typedConfirmation: account.name })}
    >
      <p>{words.text}</p>
      <Textarea
        label={t.reason}
        description={t.stateReasonHint}
        value={reason}
        error={mistake}
        onChange={(event) => setReason(event.currentTarget.value)}
        autosize
        minRows={2}
        maxRows={6}
        withAsterisk
        data-autofocus={act !== 'close' || undefined}
      />
    </ConfirmDialog>
  );
}
