import type { Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useMessages } from '../../messages/messages.ts';
import { clientPath } from './client-path.ts';
import type { ClientView } from './client-view.ts';
import { Facts } from './facts.tsx';

/** What a client is, in a few lines. */
export function ClientFacts({ view: { client, keys } }: { readonly view: ClientView }): ReactElement {
  const t = useMessages('client').overview;
  const tab = (name: string): string => clientPath(client.clientId, `?tab=${name}`);
  const { network, lastUsedAt, lastUsedFrom } = client;
  const lastUsed =
    lastUsedAt === undefined ? (
      t.never
    ) : (
      <>
        <RelativeTime at={lastUsedAt} /> {lastUsedFrom !== undefined && t.from(lastUsedFrom)}
      </>
    );
  return (
    <Facts
      items={[
        { label: t.lastUsed, value: lastUsed },
        { label: t.keys, value: <AppLink to={tab('keys')}>{countKeys(keys, t)}</AppLink> },
        {
          label: t.network,
          value: network.isEveryone ? (
            <AppLink to={tab('network')}>
              <StatusBadge tone="warning">{t.everyone}</StatusBadge>
            </AppLink>
          ) : (
            <AppLink to={tab('network')}>{t.entries(network.entries)}</AppLink>
          ),
        },
        {
          label: t.roles,
          value:
            client.roles.length === 0 ? (
              t.noRoles
            ) : (
              <AppLink to={tab('roles')}>{client.roles.join(', ')}</AppLink>
            ),
        },
        { label: t.signatures, value: client.acceptWithoutDate ? t.accepts : t.refuses },
        { label: t.explanations, value: client.allowExplanations ? t.on : t.off },
        { label: t.created, value: <RelativeTime at={client.createdAt} /> },
        { label: t.updated, value: <RelativeTime at={client.updatedAt} /> },
      ]}
    />
  );
}

function countKeys(keys: readonly Key[], t: ReturnType<typeof useMessages<'client'>>['overview']): string {
  const count = (status: Key['status']): number => keys.filter((key) => key.status === status).length;
  return t.keyCount(count('active'), count('pending'), count('retiring')) || t.noKeys;
}
