import type { Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { api } from '../../api/api.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useMessages } from '../../messages/messages.ts';
import type { ClientView } from '../client/client-view.ts';
import { useClientChange } from '../client/use-client-change.ts';

/** Asks before a new key that was never used is given up. */
export function DiscardDialog({
  view,
  newKey,
  isOnly,
  onClose,
}: {
  readonly view: ClientView;
  readonly newKey: Key;
  readonly isOnly: boolean;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('rotate').deploy;
  const change = useClientChange();
  const path = { clientId: newKey.clientId, keyId: newKey.keyId };
  // Refused when the key was used meanwhile: then it is no longer a new one.
  const revoke = (): Promise<unknown> =>
    api.call('revokeKey', { path, ifMatch: view.entityTag, body: { reason: 'unspecified' } });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t.discardTitle}
      confirmLabel={t.discardConfirm}
      isDangerous
      onConfirm={() => change(revoke, t.discarded)}
    >
      <p>{isOnly ? t.discardTextOnly : t.discardText}</p>
    </ConfirmDialog>
  );
}
