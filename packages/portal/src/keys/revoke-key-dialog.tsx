import type { ReactElement } from 'react';
import { api } from '../api/api.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Notice } from '../components/notice.tsx';
import { useMessages } from '../messages/messages.ts';
import { isUsable } from './rotation-state.ts';
import type { KeyDialogProps } from './key-end.ts';
import { useClientChange } from '../clients/use-client-change.ts';

/**
 * Ends a compromised key at once; a word has to be typed, because it cannot be taken back. It names no state that it was
 * decided on: whatever else has changed, the key has to end.
 */
export function RevokeKeyDialog({ onClose, keyShown: key, view }: KeyDialogProps): ReactElement {
  const t = useMessages('client').revokeKey;
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
