import type { Client, Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useApiQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import { AppLink, LinkButton } from '../../components/app-link.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.tsx';
import { overview } from '../../messages/en/overview.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './overview.module.css';

const t = overview.attention;

const shownMax = 5;

/** Keys due for rotation, overdue ones first. */
export function AttentionSection(): ReactElement {
  const query = useDueClients();
  return (
    <Section
      title={t.title}
      actions={
        query.data?.hasMore && (
          <AppLink to="/integrations/api-keys?rotation=overdue" size="sm">
            {t.more}
          </AppLink>
        )
      }
    >
      <QueryState query={query}>
        {({ clients }) =>
          clients.length === 0 ? (
            <p className={classes['quiet']}>{t.none}</p>
          ) : (
            <ul className={rows['rows']}>
              {clients.map((client) => (
                <DueClient key={client.clientId} client={client} />
              ))}
            </ul>
          )
        }
      </QueryState>
    </Section>
  );
}

function DueClient({ client }: { readonly client: Client }): ReactElement | null {
  const mayRotate = usePermission('keys:write');
  const key = mostUrgent(client.keys);
  if (key === undefined) return null;
  const isLate = key.rotation === 'overdue';
  return (
    <li className={rows['row']}>
      <span className={rows['rowMain']}>
        <Link href={clientPath(client.clientId, '?tab=keys')} className={rows['rowLink']}>
          <bdi>{client.name}</bdi>
        </Link>
        <span className={rows['rowDetail']}>
          <StatusBadge tone={isLate ? 'danger' : 'warning'}>{isLate ? t.overdue : t.due}</StatusBadge>
          {t.age(key.ageDays)}
        </span>
      </span>
      {mayRotate && (
        <LinkButton
          to={clientPath(client.clientId, '/rotate')}
          size="xs"
          variant="default"
          aria-label={t.rotateOf(client.name)}
        >
          {t.rotate}
        </LinkButton>
      )}
    </li>
  );
}

interface DueClients {
  readonly clients: readonly Client[];
  readonly hasMore: boolean;
}

function useDueClients(): { data: DueClients | undefined; error: unknown; refetch: () => unknown } {
  const overdue = useApiQuery('listClients', { query: { rotation: 'overdue', limit: shownMax } });
  const due = useApiQuery('listClients', { query: { rotation: 'due', limit: shownMax } });
  const refetch = (): unknown => Promise.all([overdue.refetch(), due.refetch()]);
  const error = overdue.error ?? due.error;
  if (overdue.data === undefined || due.data === undefined) return { data: undefined, error, refetch };
  // A client with keys of both kinds is in both lists.
  const late = new Set(overdue.data.data.map(({ clientId }) => clientId));
  const all = [...overdue.data.data, ...due.data.data.filter(({ clientId }) => !late.has(clientId))];
  const isCut = overdue.data.nextCursor !== null || due.data.nextCursor !== null;
  const data = { clients: all.slice(0, shownMax), hasMore: all.length > shownMax || isCut };
  return { data, error, refetch };
}

function mostUrgent(keys: readonly Key[]): Key | undefined {
  return (
    keys.find(({ rotation }) => rotation === 'overdue') ?? keys.find(({ rotation }) => rotation === 'due')
  );
}
