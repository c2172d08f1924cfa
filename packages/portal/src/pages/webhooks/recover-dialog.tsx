import { type ReactElement, useState } from 'react';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { TimeField } from '../../components/time-field.tsx';
import { webhooks } from '../../messages/en/webhooks.ts';

const t = webhooks.recovering;

interface RecoverDialogProps {
  readonly webhookId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const dayMs = 86_400_000;

/** Sends all failed deliveries since a time again. */
export function RecoverDialog({ webhookId, isOpen, onClose }: RecoverDialogProps): ReactElement {
  const [since, setSince] = useState<string | undefined>(() => new Date(Date.now() - dayMs).toISOString());
  const [isMissing, setIsMissing] = useState(false);
  const recover = useApiMutation('recoverWebhook');
  const confirm = async (): Promise<void> => {
    if (since === undefined) return;
    const { recovered, isComplete } = await recover.mutateAsync({ path: { webhookId }, body: { since } });
    if (recovered === 0) notify.success(t.none);
    else notify.success(isComplete ? t.done(recovered) : t.partly(recovered));
  };
  const check = (): boolean => {
    setIsMissing(since === undefined);
    return since !== undefined;
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      onClose={onClose}
      title={t.title}
      confirmLabel={t.confirm}
      onCheck={check}
      onConfirm={confirm}
    >
      <p>{t.text}</p>
      <TimeField label={t.since} value={since} onChange={setSince} />
      {isMissing && since === undefined && <FieldHint tone="danger">{t.sinceMissing}</FieldHint>}
    </ConfirmDialog>
  );
}
