import type { RequestEntry } from '@countersign/contract';
import { ScrollText } from 'lucide-react';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { AppLink, LinkButton } from '../../components/app-link.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.tsx';
import { client as clientWords } from '#messages/client.ts';
import { outcomeWords } from '../../requests/failure-list.tsx';
import { isRefusal } from '../../explanation/refusal.ts';
import { requestsPath } from '../../requests/request-filters.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './client.module.css';

const t = clientWords.requests;

const shownMax = 15;

export function RequestsTab({ view }: { readonly view: ClientView }): ReactElement {
  const maySee = usePermission('requests:read');
  const { clientId } = view.client;
  const query = useApiQuery('listRequests', { query: { clientId, limit: shownMax } }, { enabled: maySee });
  const columns = useColumns();
  return (
    <Section
      title={t.title}
      description={t.description}
      isFlush
      isPlain
      actions={
        <>
          <AppLink to={`/logs/analytics?client=${encodeURIComponent(clientId)}`} size="sm">
            {t.analytics}
          </AppLink>
          <AppLink to={requestsPath({ clientId })} size="sm">
            {t.open}
          </AppLink>
        </>
      }
    >
      {maySee ? (
        <QueryState query={query}>
          {({ data }) => (
            <DataTable
              label={t.title}
              columns={columns}
              rows={data}
              rowKey={({ requestId }) => requestId}
              rowHref={({ requestId }) => `/logs/requests?request=${encodeURIComponent(requestId)}`}
              empty={<NoRequests clientId={clientId} />}
            />
          )}
        </QueryState>
      ) : (
        <p className={classes['padded']}>{t.mayNot}</p>
      )}
    </Section>
  );
}

function useColumns(): readonly DataColumn<RequestEntry>[] {
  return [
    {
      id: 'request',
      header: t.request,
      isRowHeader: true,
      cell: ({ method, url }) => (
        <code className={classes['wrap']}>
          {method} {url}
        </code>
      ),
    },
    {
      id: 'outcome',
      header: t.outcome,
      cell: ({ outcome, isObserved }) =>
        outcome === 'accepted' ? (
          <StatusBadge tone="success">{t.accepted}</StatusBadge>
        ) : (
          <span className={classes['outcome']}>
            {isObserved ? (
              <StatusBadge tone="warning">{t.observed}</StatusBadge>
            ) : (
              isRefusal(outcome) && <StatusBadge tone="danger">{t.refused}</StatusBadge>
            )}
            <span className={rows['rowDetail']}>{outcomeWords(outcome)}</span>
          </span>
        ),
    },
    { id: 'source', header: t.source, cell: ({ sourceAddress }) => <code>{sourceAddress}</code> },
    {
      id: 'time',
      header: t.time,
      cell: ({ receivedAt }) => (
        <span className={classes['nowrap']}>
          <RelativeTime at={receivedAt} />
        </span>
      ),
    },
  ];
}

function NoRequests({ clientId }: { readonly clientId: string }): ReactElement {
  return (
    <EmptyState
      icon={ScrollText}
      title={t.none}
      action={
        <LinkButton to={clientPath(clientId, '?tab=snippets')} variant="default">
          {t.snippets}
        </LinkButton>
      }
    >
      {t.noneText}
    </EmptyState>
  );
}
