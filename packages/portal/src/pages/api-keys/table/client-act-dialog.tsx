import type { Client } from '@countersign/contract';
import type { ReactElement } from 'react';
import { api } from '../../../api/api.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { useMessages } from '../../../messages/messages.ts';
import { useClientChange } from '../../../clients/use-client-change.ts';

/** What can be done to a client as a whole. */
export type ClientAct = 'disable' | 'enable' | 'revoke' | 'restore';

const operationOf = {
  disable: 'disableClient',
  enable: 'enableClient',
  revoke: 'revokeClient',
  restore: 'restoreClient',
} as const;

/** What the question needs. */
export interface ClientActDialogProps {
  readonly client: Client;
  /** Undefined: the dialog is closed. */
  readonly act: ClientAct | undefined;
  readonly onClose: () => void;
}

/** Asks before a client is disabled, enabled, revoked or restored, and does it. */
export function ClientActDialog({ client, act, onClose }: ClientActDialogProps): ReactElement {
  const t = useMessages('client');
  const change = useClientChange();
  // The words stay while the dialog closes.
  const shown = act ?? 'enable';
  const words = t[shown];
  const path = { clientId: client.clientId };
  const isDangerous = shown === 'disable' || shown === 'revoke';
  return (
    <ConfirmDialog
      opened={act !== undefined}
      onClose={onClose}
      title={words.title(client.name)}
      confirmLabel={words.confirm}
      isDangerous={isDangerous}
      onConfirm={() => change(() => api.call(operationOf[shown], { path }), words.done(client.name))}
      {...(shown === 'revoke' && { typedConfirmation: client.name })}
    >
      <p>{words.text}</p>
      {isDangerous && client.lastUsedAt !== undefined && (
        <p>
          {t.lastUse.was} <RelativeTime at={client.lastUsedAt} />. {t.lastUse.stops}
        </p>
      )}
    </ConfirmDialog>
  );
}
