import { KeyRound } from 'lucide-react';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { isUsable } from '../rotate/rotation-state.ts';
import { trafficShares } from '../rotate/traffic-share.ts';
import { clientPath } from './client-path.ts';
import classes from './client.module.css';
import type { ClientView } from './client-view.ts';
import { EndedKeys } from './ended-keys.tsx';
import { KeyCard } from './key-card.tsx';

/** The keys of a client: a card for each that works, and those that have ended. */
export function KeysTab({ view }: { readonly view: ClientView }): ReactElement {
  const t = useMessages('client').keys;
  const { client, keys } = view;
  const query = useApiQuery(
    'getRequestStatistics',
    { query: { clientId: client.clientId, by: 'key', interval: 'hour' } },
    { enabled: usePermission('requests:read') },
  );
  const shares = query.data && trafficShares(query.data);
  const usable = keys.filter(isUsable);
  const ended = keys.filter((key) => !isUsable(key)).toReversed();
  return (
    <div className={classes['stack']}>
      <Section title={t.title} description={t.description} actions={<KeysActions view={view} />}>
        {usable.length === 0 ? (
          <EmptyState icon={KeyRound} title={t.none}>
            {t.noneText}
          </EmptyState>
        ) : (
          <div className={classes['cards']}>
            {usable.map((key) => (
              <KeyCard key={key.keyId} keyShown={key} view={view} traffic={shares?.get(key.keyId)} />
            ))}
          </div>
        )}
      </Section>
      {ended.length > 0 && (
        <Section title={t.endedTitle} isFlush>
          <EndedKeys keys={ended} />
        </Section>
      )}
    </div>
  );
}

function KeysActions({ view: { client, keys } }: { readonly view: ClientView }): ReactElement | null {
  const t = useMessages('client').keys;
  if (!usePermission('keys:write') || client.status === 'revoked') return null;
  const hasKey = keys.some(isUsable);
  return (
    <>
      {hasKey && (
        <LinkButton to={clientPath(client.clientId, '/rotate?way=compromised')} variant="default" size="xs">
          {t.compromised}
        </LinkButton>
      )}
      {!hasKey && (
        <LinkButton to={clientPath(client.clientId, '/rotate')} size="xs">
          {t.add}
        </LinkButton>
      )}
    </>
  );
}
