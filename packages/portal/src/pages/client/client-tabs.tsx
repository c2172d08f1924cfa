import { Tabs } from '@mantine/core';
import { type ComponentType, lazy, type ReactElement, Suspense, useEffect, useRef } from 'react';
import { LoadingLines } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './client.module.css';
import type { ClientView } from './client-view.ts';
import { OverviewTab } from './overview-tab.tsx';
import { type ClientTab, clientTabs, useTab } from './use-tab.ts';

/** Only the first one comes with the page, the others when they are opened. */
const panels: Readonly<Record<ClientTab, ComponentType<{ readonly view: ClientView }>>> = {
  overview: OverviewTab,
  keys: lazy(async () => ({ default: (await import('./keys-tab.tsx')).KeysTab })),
  network: lazy(async () => ({ default: (await import('./network-tab.tsx')).NetworkTab })),
  roles: lazy(async () => ({ default: (await import('./roles-tab.tsx')).RolesTab })),
  requests: lazy(async () => ({ default: (await import('./requests-tab.tsx')).RequestsTab })),
  snippets: lazy(async () => ({ default: (await import('./snippets-tab.tsx')).SnippetsTab })),
  history: lazy(async () => ({ default: (await import('./history-tab.tsx')).HistoryTab })),
};

/** The parts of a client; the address names the one that is open. */
export function ClientTabs({ view }: { readonly view: ClientView }): ReactElement {
  const t = useMessages('client').tabs;
  const [tab, setTab] = useTab(view.client.clientId);
  const Panel = panels[tab];
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On phones the tabs do not all fit.
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  return (
    <Tabs value={tab} onChange={(next) => setTab(next as ClientTab)} keepMounted={false}>
      <Tabs.List ref={list} aria-label={t.label} className={classes['tabs']}>
        {clientTabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t[name]}
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
