import type { ReactElement } from 'react';
import { api } from '../../api/api.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useMessages } from '../../messages/messages.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { useClientChange } from '../../clients/use-client-change.ts';

/** What can be done to the state of a client. */
export type ClientTransition = 'disable' | 'enable' | 'revoke' | 'restore';

const operations = {
  disable: 'disableClient',
  enable: 'enableClient',
  revoke: 'revokeClient',
  restore: 'restoreClient',
} as const;

/** Asks before the state of a client changes; whoever revokes types its name. */
export function TransitionDialog({
  transition,
  view: { client, entityTag },
  onClose,
}: {
  readonly transition: ClientTransition;
  readonly view: ClientView;
  readonly onClose: () => void;
}): ReactElement {
  const messages = useMessages('client');
  const t = messages[transition];
  const change = useClientChange();
  const { clientId, name, lastUsedAt } = client;
  const ends = transition === 'disable' || transition === 'revoke';
  const act = (): Promise<unknown> =>
    api.call(operations[transition], { path: { clientId }, ifMatch: entityTag });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t.title(name)}
      confirmLabel={t.confirm}
      isDangerous={ends}
      {...(transition === 'revoke' && { typedConfirmation: name })}
      onConfirm={() => change(act, t.done(name))}
    >
      <p>{t.text}</p>
      {ends && lastUsedAt !== undefined && (
        <p>
          {messages.lastUse.was} <RelativeTime at={lastUsedAt} />. {messages.lastUse.stops}
        </p>
      )}
    </ConfirmDialog>
  );
}
