import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { AppLink } from '../../components/app-link.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { requestsPath } from '../requests/request-filters.ts';
import { FailureList } from './failure-list.tsx';
import classes from './client.module.css';

const shownMax = 6;

/** Why requests of a client were refused in the last day. */
export function ClientFailures({ clientId }: { readonly clientId: string }): ReactElement {
  const { overview: t, requests } = useMessages('client');
  const query = useApiQuery('listRequestFailures', { query: { clientId } });
  const inLogs = requestsPath({ clientId, outcome: 'refused' });
  return (
    <Section
      title={t.failures}
      description={t.failuresDescription}
      actions={
        <AppLink to={inLogs} size="sm">
          {requests.open}
        </AppLink>
      }
    >
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes['quiet']}>{t.noFailures}</p>
          ) : (
            <FailureList groups={items.slice(0, shownMax)} />
          )
        }
      </QueryState>
    </Section>
  );
}
