import { type Key, keyTimes } from '@countersign/contract';
import { Stack } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { api } from '../api/api.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useMessages } from '../messages/messages.ts';
import { EndField } from './end-field.tsx';
import { type EndChoice, type EndReading, type KeyDialogProps, readEnd } from './key-end.ts';
import { useClientChange } from '../clients/use-client-change.ts';
import { Notice } from '../components/notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { isUsable } from './rotation-state.ts';

const hourChoices = [1, 24, 72, 168] as const;
const choiceFirst: EndChoice = { kind: 'hours', hours: 72 };

/** Asks when a key is to end: now, or at a time. */
export function RetireKeyDialog(props: KeyDialogProps): ReactElement {
  const { onClose, keyShown: key, view, initialChoice = choiceFirst } = props;
  const t = useMessages('client').retire;
  const change = useClientChange();
  const [choice, setChoice] = useState(initialChoice);
  const [isChecked, setIsChecked] = useState(false);
  const end = readRetirement(props, choice);
  const isNow = choice.kind === 'now';
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t.title}
      confirmLabel={isNow ? t.confirmNow : t.confirm}
      isDangerous={isNow}
      onCheck={() => {
        setIsChecked(true);
        return 'endsAt' in end;
      }}
      onConfirm={() => change(() => retire(props, choice), isNow ? t.doneNow : t.done)}
    >
      <Stack gap="md">
        <p>{t.text}</p>
        <EndField
          label={t.when}
          choice={choice}
          hourChoices={hourChoices}
          withNow
          problem={isChecked && 'problem' in end ? end.problem : undefined}
          onChange={setChoice}
        />
        <RetireWarnings keyShown={key} keys={view.keys} />
      </Stack>
    </ConfirmDialog>
  );
}

function readRetirement({ keyShown }: KeyDialogProps, choice: EndChoice): EndReading {
  return readEnd(choice, {
    nowMs: Date.now(),
    endDaysMax: keyTimes.endDaysMax,
    presentEndsAt: keyShown.endsAt,
    direction: 'earlier',
  });
}

/** A key that is to end now is revoked: the service puts no end into the past. */
async function retire(props: KeyDialogProps, choice: EndChoice): Promise<void> {
  const { clientId, keyId } = props.keyShown;
  const target = { path: { clientId, keyId }, ifMatch: props.view.entityTag };
  const end = readRetirement(props, choice);
  if (choice.kind === 'now') await api.call('revokeKey', { ...target, body: { reason: 'superseded' } });
  else if ('endsAt' in end) await api.call('retireKey', { ...target, body: end });
}

const recentMs = 24 * 3_600_000;

/** What speaks against ending a key: no other one works, the other one has not been tried, or this one is in use. */
function RetireWarnings({
  keyShown: key,
  keys,
}: {
  readonly keyShown: Key;
  readonly keys: readonly Key[];
}): ReactElement {
  const t = useMessages('client').retire;
  const other = keys.find((one) => one.keyId !== key.keyId && isUsable(one));
  const isRecent = key.lastUsedAt !== undefined && Date.now() - Date.parse(key.lastUsedAt) < recentMs;
  return (
    <>
      {other === undefined && (
        <Notice tone="danger" title={t.onlyTitle}>
          {t.only}
        </Notice>
      )}
      {other?.status === 'pending' && (
        <Notice tone="warning" title={t.unusedTitle}>
          {t.unused}
        </Notice>
      )}
      {isRecent && (
        <Notice tone="warning" title={t.recentTitle}>
          {t.lastRequest} <RelativeTime at={key.lastUsedAt ?? ''} />. {t.stops}
        </Notice>
      )}
    </>
  );
}
