import { keyTimes } from '@countersign/contract';
import { Stack } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { api } from '../api/api.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useMessages } from '../messages/messages.ts';
import { EndField } from './end-field.tsx';
import { type EndChoice, type KeyDialogProps, readEnd } from './key-end.ts';
import { useClientChange } from '../clients/use-client-change.ts';

const hourChoices = [72, 168, 336] as const;

/** Asks for the later end of a key that ends. */
export function ExtendKeyDialog({ onClose, keyShown: key, view }: KeyDialogProps): ReactElement {
  const t = useMessages('client').extend;
  const change = useClientChange();
  const [choice, setChoice] = useState<EndChoice>({ kind: 'hours', hours: 168 });
  const [isChecked, setIsChecked] = useState(false);
  const end = readEnd(choice, {
    nowMs: Date.now(),
    endDaysMax: keyTimes.endDaysMax,
    presentEndsAt: key.endsAt,
    direction: 'later',
  });
  const extend = async (): Promise<void> => {
    if ('problem' in end) return;
    const path = { clientId: key.clientId, keyId: key.keyId };
    await api.call('extendKey', { path, ifMatch: view.entityTag, body: end });
  };
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t.title}
      confirmLabel={t.confirm}
      onCheck={() => {
        setIsChecked(true);
        return 'endsAt' in end;
      }}
      onConfirm={() => change(extend, t.done)}
    >
      <Stack gap="md">
        <p>{t.text}</p>
        <EndField
          label={t.until}
          choice={choice}
          hourChoices={hourChoices}
          problem={isChecked && 'problem' in end ? end.problem : undefined}
          onChange={setChoice}
        />
      </Stack>
    </ConfirmDialog>
  );
}
