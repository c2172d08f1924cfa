import type { NetworkWhitelistContent } from '@countersign/contract';
import { type ReactElement, useState } from 'react';
import { isApiError } from '../../api/api-error.ts';
import { api, type Entity } from '../../api/api.ts';
import { useEntityQuery } from '../../api/queries.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { useClientChange } from '../../clients/use-client-change.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { client as clientWords } from '#messages/client.ts';
import { networkEditor } from '#messages/network-editor.ts';
import { NetworkEditor } from '../../network/network-editor.tsx';
import type { NetworkItem } from '../../network/network-item.ts';
import { usePermission } from '../../session/session-context.ts';

const t = clientWords.network;

/** The network editor on the stored whitelist. Every change is saved at once. */
export function NetworkTab({ view: { client } }: { readonly view: ClientView }): ReactElement {
  const { clientId } = client;
  const mayChange = usePermission('clients:write') && client.status !== 'revoked';
  const query = useEntityQuery('getNetworkWhitelist', { path: { clientId } });
  return (
    <Section title={t.title} description={t.description}>
      <QueryState query={query}>
        {(whitelist) => <StoredWhitelist clientId={clientId} whitelist={whitelist} mayChange={mayChange} />}
      </QueryState>
    </Section>
  );
}

interface StoredWhitelistProps {
  readonly clientId: string;
  readonly whitelist: Entity<NetworkWhitelistContent>;
  readonly mayChange: boolean;
}

function StoredWhitelist({ clientId, whitelist, mayChange }: StoredWhitelistProps): ReactElement {
  const { many } = networkEditor;
  const change = useClientChange();
  const [draft, setDraft] = useState('');
  const [leaving, setLeaving] = useState<NetworkItem>();
  const [error, setError] = useState<unknown>();
  const path = { clientId };
  const add = async (items: readonly NetworkItem[]): Promise<void> => {
    const [first] = items;
    const said = first && items.length === 1 ? t.entryAdded(first.entry) : many.added(items.length, 0);
    setError(undefined);
    try {
      await change(async () => {
        for (const { entry, label } of items)
          await api.call('addNetworkEntry', { path, body: { entry, ...(label !== '' && { label }) } });
      }, said);
    } catch (failure) {
      setDraft(first?.entry ?? '');
      if (!isApiError(failure, 'cancelled')) setError(failure);
    }
  };
  const remove = (entry: string): Promise<void> =>
    change(
      () => api.call('removeNetworkEntry', { path: { clientId, entry }, ifMatch: whitelist.entityTag }),
      t.removed(entry),
    );
  return (
    <>
      <ErrorNotice error={error} />
      <NetworkEditor
        items={whitelist.body.entries}
        onAdd={add}
        onRemove={setLeaving}
        draft={draft}
        onDraftChange={setDraft}
        fieldId="client-network"
        clientId={clientId}
        isStored
        isReadOnly={!mayChange}
      />
      {leaving && (
        <ConfirmDialog
          opened
          onClose={() => setLeaving(undefined)}
          title={t.removeTitle(leaving.entry)}
          confirmLabel={t.removeConfirm}
          isDangerous
          onConfirm={() => remove(leaving.entry)}
        >
          <p>{t.removeText(leaving.entry)}</p>
          {leaving.lastSeenAt !== undefined && (
            <p>
              {t.removeLast} <RelativeTime at={leaving.lastSeenAt} />.
            </p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
