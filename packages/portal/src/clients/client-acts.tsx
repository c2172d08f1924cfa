import type { Client } from '@countersign/contract';
import { Menu } from '@mantine/core';
import { CirclePause, CirclePlay, RotateCcw, Trash2 } from 'lucide-react';
import type { ReactElement } from 'react';
import { api } from '../api/api.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { client as t } from '#messages/client.ts';
import { useClientChange } from './use-client-change.ts';

export type ClientAct = 'disable' | 'enable' | 'revoke' | 'restore';

const operations = {
  disable: 'disableClient',
  enable: 'enableClient',
  revoke: 'revokeClient',
  restore: 'restoreClient',
} as const;

const icons = { disable: CirclePause, enable: CirclePlay, revoke: Trash2, restore: RotateCcw };

interface ClientActItemsProps {
  readonly client: Client;
  readonly onAct: (act: ClientAct) => void;
}

/** Menu items for what the client's status allows. */
export function ClientActItems({ client: { status }, onAct }: ClientActItemsProps): ReactElement {
  const words = t.actions;
  const item = (act: ClientAct): ReactElement => {
    const Icon = icons[act];
    return (
      <Menu.Item
        {...(act === 'revoke' && { color: 'red' })}
        leftSection={<Icon size={16} aria-hidden />}
        onClick={() => onAct(act)}
      >
        {words[act]}
      </Menu.Item>
    );
  };
  if (status === 'revoked') return item('restore');
  return (
    <>
      {item(status === 'disabled' ? 'enable' : 'disable')}
      {item('revoke')}
    </>
  );
}

interface ClientActDialogProps {
  readonly client: Client;
  /** The state the decision is based on, if it is known. */
  readonly entityTag?: string | undefined;
  /** Undefined: the dialog is closed. */
  readonly act: ClientAct | undefined;
  readonly onClose: () => void;
}

/** Asks before a client is disabled, enabled, revoked or restored. */
export function ClientActDialog({ client, entityTag, act, onClose }: ClientActDialogProps): ReactElement {
  const change = useClientChange();
  const { clientId, name, lastUsedAt } = client;
  // Keeps the words while the dialog closes.
  const shown = act ?? 'enable';
  const words = t[shown];
  const isDangerous = shown === 'disable' || shown === 'revoke';
  const input = { path: { clientId }, ...(entityTag !== undefined && { ifMatch: entityTag }) };
  return (
    <ConfirmDialog
      opened={act !== undefined}
      onClose={onClose}
      title={words.title(name)}
      confirmLabel={words.confirm}
      isDangerous={isDangerous}
      onConfirm={() => change(() => api.call(operations[shown], input), words.done(name))}
      {...(shown === 'revoke' && { typedConfirmation: name })}
    >
      <p>{words.text}</p>
      {isDangerous && lastUsedAt !== undefined && (
        <p>
          {t.lastUse.was} <RelativeTime at={lastUsedAt} />. {t.lastUse.stops}
        </p>
      )}
    </ConfirmDialog>
  );
}
