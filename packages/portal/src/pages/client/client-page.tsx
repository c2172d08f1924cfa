import type { ReactElement } from 'react';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { BackLink } from '../../components/back-link.tsx';
import { ClientActions } from './client-actions.tsx';
import { ClientHeadline } from './client-headline.tsx';
import { ClientNotices } from './client-notices.tsx';
import { ClientTabs } from './client-tabs.tsx';
import { useClientView } from './client-view.ts';
import { useClientId } from './use-client-id.ts';

/** Everything about one client: where it stands, what it did, and what can be done with it. */
export default function ClientPage(): ReactElement {
  const t = useMessages('client');
  const clientId = useClientId();
  const { view, query } = useClientView(clientId, { maySeeKeys: usePermission('keys:read') });
  const back = <BackLink to="/integrations/api-keys">{t.breadcrumb}</BackLink>;
  if (view === undefined) {
    return (
      <Page title={t.loadingTitle} before={back}>
        <QueryState query={{ ...query, data: undefined }}>{() => null}</QueryState>
      </Page>
    );
  }
  return (
    <Page
      title={view.client.name}
      before={back}
      description={<ClientHeadline client={view.client} />}
      actions={<ClientActions view={view} />}
    >
      <ClientNotices view={view} />
      <ClientTabs view={view} />
    </Page>
  );
}
