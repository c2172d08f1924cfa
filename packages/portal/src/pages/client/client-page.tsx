import type { Client } from '@countersign/contract';
import { Tabs } from '@mantine/core';
import { type ComponentType, lazy, type ReactElement, Suspense, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { clientPath } from '../../clients/client-path.ts';
import { type ClientView, useClientId, useClientView } from '../../clients/client-view.ts';
import { ClientStatusBadge, TemporaryBadge } from '../../clients/status-badges.tsx';
import { CopyableText } from '../../components/copyable-text.tsx';
import { Page } from '../../components/page.tsx';
import { LoadingLines, QueryState } from '../../components/query-state.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { client as t } from '#messages/client.ts';
import { usePermission } from '../../session/session-context.ts';
import { ClientActions } from './client-actions.tsx';
import { ClientNotices } from './client-notices.tsx';
import classes from './client.module.css';
import { OverviewTab } from './overview-tab.tsx';

export default function ClientPage(): ReactElement {
  const clientId = useClientId();
  const { view, query } = useClientView(clientId, { maySeeKeys: usePermission('keys:read') });
  const back = { to: '/integrations/api-keys', label: t.breadcrumb };
  if (view === undefined) {
    return (
      <Page title={t.loadingTitle} back={back}>
        <QueryState query={{ ...query, data: undefined }}>{() => null}</QueryState>
      </Page>
    );
  }
  return (
    <Page
      title={view.client.name}
      back={back}
      description={<ClientHeadline client={view.client} />}
      actions={<ClientActions view={view} />}
    >
      <ClientNotices view={view} />
      <ClientTabs view={view} />
    </Page>
  );
}

function ClientHeadline({ client }: { readonly client: Client }): ReactElement {
  return (
    <div className={classes['headline']}>
      <ClientStatusBadge client={client} />
      {client.expiresAt !== undefined && <TemporaryBadge expiresAt={client.expiresAt} />}
      <CopyableText value={client.clientId} label={t.clientId} />
    </div>
  );
}

/** Tabs other than the first load on demand. */
const panels: Readonly<Record<ClientTab, ComponentType<{ readonly view: ClientView }>>> = {
  overview: OverviewTab,
  keys: lazy(async () => ({ default: (await import('./keys-tab.tsx')).KeysTab })),
  network: lazy(async () => ({ default: (await import('./network-tab.tsx')).NetworkTab })),
  roles: lazy(async () => ({ default: (await import('./roles-tab.tsx')).RolesTab })),
  requests: lazy(async () => ({ default: (await import('./requests-tab.tsx')).RequestsTab })),
  snippets: lazy(async () => ({ default: (await import('./snippets-tab.tsx')).SnippetsTab })),
  history: lazy(async () => ({ default: (await import('./history-tab.tsx')).HistoryTab })),
};

function ClientTabs({ view }: { readonly view: ClientView }): ReactElement {
  const words = t.tabs;
  const [tab, setTab] = useTab(view.client.clientId);
  const Panel = panels[tab];
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The tabs may overflow on phones.
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  return (
    <Tabs value={tab} onChange={(next) => setTab(next as ClientTab)} keepMounted={false}>
      <Tabs.List ref={list} aria-label={words.label} className={classes['tabs']}>
        {clientTabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {words[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab} className={classes['panel']}>
        <Suspense fallback={<LoadingLines />}>
          <Panel view={view} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}

/** The values of `?tab=`. */
const clientTabs = ['overview', 'keys', 'network', 'roles', 'requests', 'snippets', 'history'] as const;

type ClientTab = (typeof clientTabs)[number];

/** Returns the tab in the address, and a function that opens another one. */
function useTab(clientId: string): [ClientTab, (tab: ClientTab) => void] {
  const [, navigate] = useLocation();
  const named = useParameters()[0].get('tab');
  const tab = clientTabs.find((one) => one === named) ?? 'overview';
  return [tab, (next) => navigate(clientPath(clientId, next === 'overview' ? '' : `?tab=${next}`))];
}
