import type { ReactElement } from 'react';
import { ConflictDialog } from '../../components/conflict-dialog.tsx';
import { useMessages } from '../../messages/messages.ts';
import { shortFingerprint } from '../../audit/audit-facts.ts';
import type { ClientView } from '../client/client-view.ts';
import { isUsable, rotationState } from './rotation-state.ts';
import type { AddingKey } from './use-add-key.ts';

/** Shows what changed while the new key was prepared: what the person saw, and what is there now. */
export function AddKeyConflict({
  adding,
  publicKeyPem,
}: {
  readonly adding: AddingKey;
  readonly publicKeyPem: string | undefined;
}): ReactElement {
  const { conflict: t } = useMessages('rotate');
  const { statuses } = useMessages('client');
  const fingerprints = ({ keys }: ClientView): string =>
    keys
      .filter(isUsable)
      .map(({ fingerprint }) => shortFingerprint(fingerprint))
      .join(', ') || t.none;
  const replaced = ({ keys }: ClientView): string => {
    const state = rotationState(keys);
    return state.phase === 'start' && state.current !== undefined
      ? shortFingerprint(state.current.fingerprint)
      : t.none;
  };
  return (
    <ConflictDialog
      mine={adding.conflict?.seen}
      theirs={adding.conflict?.now}
      fields={[
        { label: t.replaced, show: replaced },
        { label: t.usable, show: fingerprints },
        { label: t.status, show: ({ client }) => statuses[client.status] },
      ]}
      onKeepMine={() =>
        publicKeyPem !== undefined && void adding.add(publicKeyPem, adding.conflict?.now.entityTag)
      }
      onTakeTheirs={adding.forgetConflict}
      isBusy={adding.isAdding}
    />
  );
}
