import type { Client, Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { clientPath } from '../../clients/client-path.ts';
import { AppLink, LinkButton } from '../../components/app-link.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.tsx';
import { overview } from '#messages/overview.ts';
import { usePermission } from '../../session/session-context.ts';
import { duePath, useDueClients } from './due-clients.ts';

const t = overview.attention;

/** Keys due for rotation, overdue ones first; nothing without such keys, which the figure tells. */
export function AttentionSection(): ReactElement | null {
  const query = useDueClients();
  if (!query.error && (query.data?.clients.length ?? 0) === 0) return null;
  return (
    <Section
      title={t.title}
      actions={
        query.data?.hasMore && (
          <AppLink to={duePath(query.data)} size="sm">
            {t.more}
          </AppLink>
        )
      }
    >
      <QueryState query={query}>
        {({ clients }) => (
          <ul className={rows['rows']}>
            {clients.map((client) => (
              <DueClient key={client.clientId} client={client} />
            ))}
          </ul>
        )}
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

function mostUrgent(keys: readonly Key[]): Key | undefined {
  return (
    keys.find(({ rotation }) => rotation === 'overdue') ?? keys.find(({ rotation }) => rotation === 'due')
  );
}
