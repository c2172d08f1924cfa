import { Plus, SearchX } from 'lucide-react';
import type { ReactElement } from 'react';
import { useLocation, useSearch } from 'wouter';
import { usePagedQuery } from '../../api/queries.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { ListFoot } from '../../lists/list-foot.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { ClientFilterBar } from './table/client-filter-bar.tsx';
import {
  type ClientFilters,
  clientListQuery,
  clientsPath,
  isFiltered,
  readClientFilters,
} from './table/client-filters.ts';
import { ClientsTable } from './table/clients-table.tsx';
import classes from './table/clients-table.module.css';
import { FirstSteps } from './table/first-steps.tsx';
import { useTraffic } from './table/use-traffic.ts';

const pageSize = 50;

/** Integrations > API Keys: the clients of the account. */
export default function ApiKeysPage(): ReactElement {
  const t = useMessages('apiKeys');
  const mayAdd = usePermission('clients:write');
  const [, navigate] = useLocation();
  const filters = readClientFilters(new URLSearchParams(useSearch()));
  const change = (next: ClientFilters): void => navigate(clientsPath(next), { replace: true });
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        mayAdd && (
          <LinkButton to="/integrations/api-keys/new" leftSection={<Plus size={16} aria-hidden />}>
            {t.addClient}
          </LinkButton>
        )
      }
    >
      <ClientList filters={filters} onChange={change} />
    </Page>
  );
}

interface ClientListProps {
  readonly filters: ClientFilters;
  readonly onChange: (filters: ClientFilters) => void;
}

function ClientList({ filters, onChange }: ClientListProps): ReactElement {
  const t = useMessages('apiKeys');
  const query = usePagedQuery(
    'listClients',
    { query: { ...clientListQuery(filters), limit: pageSize } },
    { keepsPrevious: true },
  );
  const pages = query.data?.pages.map(({ data }) => data) ?? [];
  const traffic = useTraffic(pages);
  const clients = pages.flat();
  return (
    <QueryState query={query}>
      {() =>
        clients.length === 0 && !isFiltered(filters) ? (
          <FirstSteps />
        ) : (
          <>
            <ClientFilterBar filters={filters} onChange={onChange} />
            <div className={classes.card} aria-busy={query.isPlaceholderData}>
              {clients.length === 0 ? (
                <EmptyState icon={SearchX} title={t.noMatch.title}>
                  {t.noMatch.text}
                </EmptyState>
              ) : (
                <ClientsTable clients={clients} traffic={traffic} />
              )}
            </div>
            <ListFoot
              query={query}
              count={clients.length}
              shown={t.filters.shown(clients.length, query.hasNextPage)}
            />
          </>
        )
      }
    </QueryState>
  );
}
