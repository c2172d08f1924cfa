import { type WebhookEventType, webhookEventTypesIn } from '@countersign/contract';
import { MultiSelect, SegmentedControl } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { TimeField } from '../../components/time-field.tsx';
import { webhooks } from '#messages/webhooks.ts';
import { useSession } from '../../session/session-context.ts';

const t = webhooks.recovering;

interface RecoverDialogProps {
  readonly webhookId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const dayMs = 86_400_000;

/** Sends a webhook's failed deliveries of a time again, or all of them. */
export function RecoverDialog({ webhookId, isOpen, onClose }: RecoverDialogProps): ReactElement {
  const [since, setSince] = useState<string | undefined>(() => new Date(Date.now() - dayMs).toISOString());
  const [until, setUntil] = useState<string>();
  const [include, setInclude] = useState<'failed' | 'all'>('failed');
  const [eventTypes, setEventTypes] = useState<readonly string[]>([]);
  const [isChecked, setIsChecked] = useState(false);
  const recover = useApiMutation('recoverWebhook');
  const isOperator = useSession().account?.isOperator ?? false;
  const isEarlier = since !== undefined && until !== undefined && Date.parse(until) <= Date.parse(since);
  const confirm = async (): Promise<void> => {
    if (since === undefined) return;
    const wanted = {
      since,
      ...(until !== undefined && { until }),
      include,
      ...(eventTypes.length > 0 && { eventTypes: eventTypes as WebhookEventType[] }),
    };
    let recovered = 0;
    for (let after: string | undefined, isComplete = false; !isComplete;) {
      const body = { ...wanted, ...(after !== undefined && { after }) };
      const part = await recover.mutateAsync({ path: { webhookId }, body });
      recovered += part.recovered;
      after = part.next ?? undefined;
      ({ isComplete } = part);
    }
    notify.success(recovered === 0 ? t.none : t.done(recovered));
  };
  const check = (): boolean => {
    setIsChecked(true);
    return since !== undefined && !isEarlier;
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
      {isChecked && since === undefined && <FieldHint tone="danger">{t.sinceMissing}</FieldHint>}
      <TimeField label={t.until} value={until} onChange={setUntil} />
      {isChecked && isEarlier && <FieldHint tone="danger">{t.untilEarlier}</FieldHint>}
      <SegmentedControl
        aria-label={t.include}
        data={[
          { value: 'failed', label: t.includes.failed },
          { value: 'all', label: t.includes.all },
        ]}
        value={include}
        onChange={(next) => setInclude(next === 'all' ? 'all' : 'failed')}
      />
      <MultiSelect
        // Below it is the button that comes next.
        comboboxProps={{ position: 'top-start' }}
        label={t.types}
        placeholder={eventTypes.length === 0 ? t.allTypes : ''}
        nothingFoundMessage={t.noType}
        searchable
        clearable
        data={webhookEventTypesIn({ isOperator })}
        value={[...eventTypes]}
        onChange={setEventTypes}
        maxDropdownHeight={240}
      />
    </ConfirmDialog>
  );
}
