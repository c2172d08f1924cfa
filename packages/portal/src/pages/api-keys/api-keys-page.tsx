import type { Client } from '@countersign/contract';
import { useQueries } from '@tanstack/react-query';
import { FileUp, KeyRound, Plus, SearchX } from 'lucide-react';
import { lazy, type ReactElement, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/api.ts';
import { useAccountId } from '../../api/current-account.ts';
import { queryKeyOf, usePagedQuery } from '../../api/queries.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import lists from '../../lists/list.module.css';
import { ListFoot } from '../../lists/list-foot.tsx';
import { apiKeys as t } from '#messages/api-keys.ts';
import { usePermission } from '../../session/session-context.ts';
import { useClientSelection } from './bulk/use-client-selection.ts';
import { ClientFilterBar } from './table/client-filter-bar.tsx';
import {
  type ClientFilters,
  clientListQuery,
  clientsPath,
  isFiltered,
  readClientFilters,
} from './table/client-filters.ts';
import classes from './table/clients-table.module.css';
import { ClientsTable } from './table/clients-table.tsx';

const BulkBar = lazy(() => import('./bulk/bulk-bar.tsx'));

const pageSize = 50;

/** Integrations > API Keys: the clients of the account. */
export default function ApiKeysPage(): ReactElement {
  const mayAdd = usePermission('clients:write');
  const [, navigate] = useLocation();
  const filters = readClientFilters(useParameters()[0]);
  const change = (next: ClientFilters): void => navigate(clientsPath(next), { replace: true });
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        mayAdd && (
          <>
            <LinkButton
              to="/integrations/api-keys/import"
              variant="default"
              leftSection={<FileUp size={16} aria-hidden />}
            >
              {t.importClients}
            </LinkButton>
            <LinkButton to="/integrations/api-keys/new" leftSection={<Plus size={16} aria-hidden />}>
              {t.addClient}
            </LinkButton>
          </>
        )
      }
      isDense
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
  const query = usePagedQuery(
    'listClients',
    { query: { ...clientListQuery(filters), limit: pageSize } },
    { keepsPrevious: true },
  );
  const pages = query.data?.pages.map(({ data }) => data) ?? [];
  const traffic = useTraffic(pages);
  const clients = pages.flat();
  const total = query.data?.pages[0]?.total;
  const mayChange = usePermission('clients:write');
  const { rows, ...bulk } = useClientSelection(clients, filters);
  // The bar stays once it is needed, because its dialog may be open while nothing is selected any more.
  const [hasSelected, setHasSelected] = useState(false);
  if (bulk.choice !== undefined && !hasSelected) setHasSelected(true);
  return (
    <QueryState query={query}>
      {() =>
        clients.length === 0 && !isFiltered(filters) ? (
          <FirstSteps />
        ) : (
          <>
            <ClientFilterBar
              filters={filters}
              onChange={onChange}
              tags={clients.flatMap(({ tags }) => tags)}
            />
            <div className={`${lists['card']} ${classes.list}`} aria-busy={query.isPlaceholderData}>
              {clients.length === 0 ? (
                <EmptyState icon={SearchX} title={t.noMatch.title}>
                  {t.noMatch.text}
                </EmptyState>
              ) : (
                <ClientsTable
                  clients={clients}
                  traffic={traffic}
                  selection={mayChange ? rows : undefined}
                  sort={filters.sort}
                  onSort={(sort) => onChange({ ...filters, sort })}
                />
              )}
            </div>
            {mayChange && hasSelected && (
              <Suspense>
                <BulkBar {...bulk} total={total} />
              </Suspense>
            )}
            <ListFoot
              query={query}
              count={clients.length}
              shown={
                total === undefined
                  ? t.filters.shown(clients.length, query.hasNextPage)
                  : t.filters.shownOf(clients.length, total)
              }
            />
          </>
        )
      }
    </QueryState>
  );
}

/** Explains clients while there are none. */
function FirstSteps(): ReactElement {
  const mayAdd = usePermission('clients:write');
  return (
    <div className={lists['card']}>
      <EmptyState
        icon={KeyRound}
        title={t.empty.title}
        action={
          mayAdd && (
            <LinkButton to="/integrations/api-keys/new" leftSection={<Plus size={16} aria-hidden />}>
              {t.addClient}
            </LinkButton>
          )
        }
      >
        {mayAdd ? t.empty.text : t.empty.mayNot}
      </EmptyState>
      {mayAdd && (
        <ol className={classes.steps}>
          {t.empty.steps.map(([title, text]) => (
            <li key={title}>
              <span className={classes.stepTitle}>{title}</span>
              {text}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/**
 * Returns the requests per day of the last 30 days, by client ID. Each page of clients is one query, so loaded pages
 * are not fetched again. Undefined if the person may not see requests.
 */
function useTraffic(
  pages: readonly (readonly Client[])[],
): ReadonlyMap<string, readonly number[]> | undefined {
  const accountId = useAccountId();
  const isPermitted = usePermission('requests:read');
  const answers = useQueries({
    queries: pages.map((clients) => {
      const input = {
        query: {
          interval: 'day',
          by: 'client',
          clientId: clients.map(({ clientId }) => clientId).join(' '),
        },
      } as const;
      return {
        queryKey: queryKeyOf(accountId, 'getRequestStatistics', input),
        queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
          api.call('getRequestStatistics', { ...input, signal }),
        enabled: isPermitted && clients.length > 0,
      };
    }),
  });
  if (!isPermitted) return undefined;
  return new Map(
    answers
      .flatMap(({ data }) => data?.series ?? [])
      .map(({ name, points }) => [name, points.map(({ accepted, refused }) => accepted + refused)]),
  );
}
