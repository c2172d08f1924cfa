import type { ReactElement } from 'react';
import { useApiQuery, useEntityQuery } from '../../api/queries.ts';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { AddEntryForm } from './add-entry-form.tsx';
import classes from './client.module.css';
import type { ClientView } from '../../clients/client-view.ts';
import { NetworkTable } from './network-table.tsx';
import { RefusedAddressList } from '../../clients/refused-address-list.tsx';
import { TestAddressForm } from './test-address-form.tsx';

/** From where a client may call: what is allowed, what was refused, and what would be. */
export function NetworkTab({ view: { client } }: { readonly view: ClientView }): ReactElement {
  const t = useMessages('client').network;
  const { clientId } = client;
  const mayChange = usePermission('clients:write') && client.status !== 'revoked';
  const query = useEntityQuery('getNetworkWhitelist', { path: { clientId } });
  return (
    <div className={classes['stack']}>
      <Section title={t.title} description={t.description} isFlush>
        <QueryState query={query}>
          {({ body, entityTag }) => (
            <NetworkTable
              clientId={clientId}
              entries={body.entries}
              entityTag={entityTag}
              mayChange={mayChange}
            />
          )}
        </QueryState>
        {mayChange && (
          <div className={classes['foot']}>
            <AddEntryForm clientId={clientId} />
          </div>
        )}
      </Section>
      <div className={classes['columns']}>
        <RefusedAddresses clientId={clientId} />
        <Section title={t.testTitle} description={t.testHint}>
          <TestAddressForm clientId={clientId} />
        </Section>
      </div>
    </div>
  );
}

function RefusedAddresses({ clientId }: { readonly clientId: string }): ReactElement | null {
  const t = useMessages('client').network;
  const maySee = usePermission('requests:read');
  const query = useApiQuery('listRefusedAddresses', { query: { clientId } }, { enabled: maySee });
  if (!maySee) return null;
  return (
    <Section title={t.refusedTitle} description={t.refusedDescription}>
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes['quiet']}>{t.refusedNone}</p>
          ) : (
            <RefusedAddressList items={items} />
          )
        }
      </QueryState>
    </Section>
  );
}
