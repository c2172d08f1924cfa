import type { ReactElement } from 'react';
import { useEntityQuery } from '../../api/queries.ts';
import { BackLink } from '../../components/back-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { clientPath } from '../client/client-path.ts';
import { useClientId } from '../client/use-client-id.ts';
import { UpdateClientForm } from './form/update-client-form.tsx';

/** Update: changes a client that there is. */
export default function UpdateClientPage(): ReactElement {
  const t = useMessages('apiKeys').form;
  const clientId = useClientId();
  const client = useEntityQuery('getClient', { path: { clientId } });
  const whitelist = useEntityQuery('getNetworkWhitelist', { path: { clientId } });
  const name = client.data?.body.name;
  return (
    <Page
      title={t.updateTitle}
      description={name && t.updateDescription(name)}
      before={<BackLink to={clientPath(clientId)}>{name ?? t.back}</BackLink>}
    >
      <QueryState query={client}>
        {(known) => (
          <QueryState query={whitelist}>
            {(network) =>
              known.body.status === 'revoked' ? (
                <Notice tone="warning">{t.gone}</Notice>
              ) : (
                <UpdateClientForm key={clientId} client={known} whitelist={network} />
              )
            }
          </QueryState>
        )}
      </QueryState>
    </Page>
  );
}
