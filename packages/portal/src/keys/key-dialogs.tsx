import { type Key, keyTimes } from '@countersign/contract';
import { Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { api } from '../api/api.ts';
import type { ClientView } from '../clients/client-view.ts';
import { useClientChange } from '../clients/use-client-change.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { type Form, useForm } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { client } from '#messages/client.ts';
import { EndField, endProblems } from './end-field.tsx';
import { type EndChoice, type EndReading, readEnd } from './key-end.ts';
import { isUsable } from './rotation-state.ts';

interface KeyDialogProps {
  readonly onClose: () => void;
  readonly keyShown: Key;
  readonly view: ClientView;
}

interface RetireKeyDialogProps extends KeyDialogProps {
  /** The initial choice of the dialog; in three days by default. */
  readonly initialChoice?: EndChoice;
}

const retireHours = [1, 24, 72, 168] as const;

/** Asks when a key should end: now, or at a time. */
export function RetireKeyDialog(props: RetireKeyDialogProps): ReactElement {
  const { onClose, keyShown, view, initialChoice = { kind: 'hours', hours: 72 } } = props;
  const t = client.retire;
  const change = useClientChange();
  const { form, readChoice } = useEndForm(keyShown, initialChoice, 'earlier');
  const { choice } = form.values;
  const isNow = choice.kind === 'now';
  const { clientId, keyId } = keyShown;
  const target = { path: { clientId, keyId }, ifMatch: view.entityTag };
  const retire = async (): Promise<void> => {
    const end = readChoice(choice);
    // The service accepts no end in the past, so ending a key now revokes it.
    if (isNow) await api.call('revokeKey', { ...target, body: { reason: 'superseded' } });
    else if ('endsAt' in end) await api.call('retireKey', { ...target, body: end });
  };
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t.title}
      confirmLabel={isNow ? t.confirmNow : t.confirm}
      isDangerous={isNow}
      onCheck={form.check}
      onConfirm={() => change(retire, isNow ? t.doneNow : t.done)}
    >
      <Stack gap="md">
        <p>{t.text}</p>
        <EndField label={t.when} form={form} hourChoices={retireHours} withNow />
        <RetireWarnings keyShown={keyShown} keys={view.keys} />
      </Stack>
    </ConfirmDialog>
  );
}

const recentMs = 24 * 3_600_000;

interface RetireWarningsProps {
  readonly keyShown: Key;
  readonly keys: readonly Key[];
}

function RetireWarnings({ keyShown: key, keys }: RetireWarningsProps): ReactElement {
  const t = client.retire;
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

const extendHours = [72, 168, 336] as const;

/** Asks for a later end. */
export function ExtendKeyDialog({ onClose, keyShown, view }: KeyDialogProps): ReactElement {
  const t = client.extend;
  const change = useClientChange();
  const { form, readChoice } = useEndForm(keyShown, { kind: 'hours', hours: 168 }, 'later');
  const extend = async (): Promise<void> => {
    const end = readChoice(form.values.choice);
    const { clientId, keyId } = keyShown;
    if ('endsAt' in end)
      await api.call('extendKey', { path: { clientId, keyId }, ifMatch: view.entityTag, body: end });
  };
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t.title}
      confirmLabel={t.confirm}
      onCheck={form.check}
      onConfirm={() => change(extend, t.done)}
    >
      <Stack gap="md">
        <p>{t.text}</p>
        <EndField label={t.until} form={form} hourChoices={extendHours} />
      </Stack>
    </ConfirmDialog>
  );
}

interface EndForm {
  readonly form: Form<{ readonly choice: EndChoice }>;
  readonly readChoice: (choice: EndChoice) => EndReading;
}

function useEndForm(key: Key, choice: EndChoice, direction: 'earlier' | 'later'): EndForm {
  const readChoice = (one: EndChoice): EndReading =>
    readEnd(one, {
      nowMs: Date.now(),
      endDaysMax: keyTimes.endDaysMax,
      presentEndsAt: key.endsAt,
      direction,
    });
  const form = useForm<{ readonly choice: EndChoice }>({
    initialValues: { choice },
    validate: (values) => {
      const end = readChoice(values.choice);
      return { choice: 'problem' in end ? endProblems[end.problem] : undefined };
    },
  });
  return { form, readChoice };
}

/**
 * Revokes a compromised key at once. A word must be typed, because it cannot be undone. The request names no
 * state: the key has to end whatever else has changed.
 */
export function RevokeKeyDialog({ onClose, keyShown: key, view }: KeyDialogProps): ReactElement {
  const t = client.revokeKey;
  const change = useClientChange();
  const hasOther = view.keys.some((one) => one.keyId !== key.keyId && isUsable(one));
  const path = { clientId: key.clientId, keyId: key.keyId };
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t.title}
      confirmLabel={t.confirm}
      isDangerous
      typedConfirmation={t.type}
      onConfirm={() => change(() => api.call('revokeKey', { path, body: { reason: 'compromised' } }), t.done)}
    >
      <p>{t.text}</p>
      <p>
        <code>{key.fingerprint}</code>
      </p>
      <Notice tone={hasOther ? 'info' : 'warning'} title={hasOther ? t.otherTitle : t.onlyTitle}>
        {hasOther ? t.other : t.only}
      </Notice>
    </ConfirmDialog>
  );
}
