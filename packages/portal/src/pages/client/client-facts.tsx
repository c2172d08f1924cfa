import type { Key, RequestLimits } from '@countersign/contract';
import type { ReactElement, ReactNode } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import { ProfileLabel } from '../../clients/client-profile.tsx';
import type { ClientView } from '../../clients/client-view.ts';
import { TagList } from '../../clients/tag-list.tsx';
import { AppLink } from '../../components/app-link.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { clientLabels } from '#messages/client-labels.ts';
import { clientLimits } from '#messages/client-limits.ts';
import { client as clientWords } from '#messages/client.ts';
import { messageProfiles } from '#messages/message-profiles.ts';

const t = clientWords.overview;

/** What is known about a client. *Update* changes it. */
export function ClientFacts({ view }: { readonly view: ClientView }): ReactElement {
  const { client } = view;
  const limits = useApiQuery('getRequestLimits', { path: { clientId: client.clientId } }).data;
  return (
    <Facts
      items={[
        ...accessFacts(view),
        { label: messageProfiles.title, value: <ProfileLabel name={client.profile} /> },
        ...limitFacts(limits),
        { label: t.explanations, value: client.allowExplanations ? t.on : t.off },
        {
          label: clientLabels.tags,
          value: client.tags.length === 0 ? clientLabels.none : <TagList tags={client.tags} />,
        },
        { label: t.created, value: <RelativeTime at={client.createdAt} /> },
        { label: t.updated, value: <RelativeTime at={client.updatedAt} /> },
      ]}
    />
  );
}

/** A client's own notes. */
export function MetadataFacts({ view }: { readonly view: ClientView }): ReactElement {
  return <Facts items={Object.entries(view.client.metadata).map(([label, value]) => ({ label, value }))} />;
}

function accessFacts({ client, keys }: ClientView): readonly Fact[] {
  const tab = (name: string): string => clientPath(client.clientId, `?tab=${name}`);
  const { network, roles } = client;
  return [
    { label: t.lastUsed, value: lastUse(client) },
    { label: t.keys, value: <AppLink to={tab('keys')}>{countKeys(keys)}</AppLink> },
    {
      label: t.network,
      value: (
        <AppLink to={tab('network')}>
          {network.isEveryone ? (
            <StatusBadge tone="warning">{t.everyone}</StatusBadge>
          ) : (
            t.entries(network.entries)
          )}
        </AppLink>
      ),
    },
    {
      label: t.roles,
      value: roles.length === 0 ? t.noRoles : <AppLink to={tab('roles')}>{roles.join(', ')}</AppLink>,
    },
  ];
}

function lastUse({ lastUsedAt, lastUsedFrom }: ClientView['client']): ReactNode {
  if (lastUsedAt === undefined) return t.never;
  return (
    <>
      <RelativeTime at={lastUsedAt} /> {lastUsedFrom && t.from(lastUsedFrom)}
    </>
  );
}

/** The limits in force, and where they come from. */
function limitFacts(limits: RequestLimits | undefined): readonly Fact[] {
  const perMinute = { label: clientLimits.perMinute, value: limitText(limits?.requestsPerMinuteMax) };
  // Without an average limit, a burst limit has no meaning.
  if (limits?.requestsPerMinuteMax.value === null) return [perMinute];
  return [perMinute, { label: clientLimits.burst, value: limitText(limits?.requestsBurstMax) }];
}

function limitText(limit: RequestLimits['requestsBurstMax'] | undefined): string {
  // Keeps the line's height until it is known.
  if (limit === undefined) return '\u00a0';
  return limit.value === null
    ? clientLimits.unlimited
    : clientLimits.inForce(limit.value, clientLimits.sources[limit.source]);
}

function countKeys(keys: readonly Key[]): string {
  const count = (status: Key['status']): number => keys.filter((key) => key.status === status).length;
  return t.keyCount(count('active'), count('pending'), count('retiring')) || t.noKeys;
}
