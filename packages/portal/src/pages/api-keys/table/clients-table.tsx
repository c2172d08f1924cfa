import type { Client, ClientSort } from '@countersign/contract';
import { Fragment, type ReactElement } from 'react';
import { clientPath } from '../../../clients/client-path.ts';
import { ProfileBadge } from '../../../clients/client-profile.tsx';
import { isClosedProfile } from '../../../clients/profile-switch.ts';
import { ClientStatusBadge, TemporaryBadge } from '../../../clients/status-badges.tsx';
import { TagList } from '../../../clients/tag-list.tsx';
import { CopyableText } from '../../../components/copyable-text.tsx';
import { type DataColumn, DataTable } from '../../../components/data-table.tsx';
import { StatusBadge } from '../../../components/notice.tsx';
import { RelativeTime, useNow } from '../../../components/relative-time.tsx';
import { Sparkline } from '../../../components/sparkline.tsx';
import type { RowSelection } from '../../../components/use-row-selection.ts';
import { apiKeys } from '#messages/api-keys.ts';
import { ClientMenu } from './client-menu.tsx';
import classes from './clients-table.module.css';
import { countKeys, timeLeft } from './key-words.ts';

const t = apiKeys.table;

export interface ClientsTableProps {
  readonly clients: readonly Client[];
  /** Requests per day by client ID, oldest first; undefined until known. */
  readonly traffic: ReadonlyMap<string, readonly number[]> | undefined;
  /** Undefined if the person may not change clients. */
  readonly selection: RowSelection | undefined;
  readonly sort: ClientSort;
  readonly onSort: (sort: ClientSort) => void;
}

const sortOfColumn = { name: 'name', lastUsed: 'lastUsedAt' } as const;
const sortableColumns = Object.keys(sortOfColumn) as (keyof typeof sortOfColumn)[];

export function ClientsTable({ clients, traffic, selection, sort, onSort }: ClientsTableProps): ReactElement {
  const sortedBy = sort.replace('-', '');
  return (
    <DataTable
      label={t.label}
      isDense
      columns={useColumns(traffic)}
      rows={clients}
      rowKey={({ clientId }) => clientId}
      rowHref={({ clientId }) => clientPath(clientId)}
      selection={selection && { rows: selection, nameOf: ({ name }) => name }}
      sort={{
        columnIds: sortableColumns,
        columnId: sortableColumns.find((id) => sortOfColumn[id] === sortedBy),
        isDescending: sort.startsWith('-'),
        onSort(id, isDescending) {
          const column = sortOfColumn[id as keyof typeof sortOfColumn];
          onSort(isDescending ? `-${column}` : column);
        },
      }}
    />
  );
}

function useColumns(traffic: ClientsTableProps['traffic']): readonly DataColumn<Client>[] {
  return [
    {
      id: 'name',
      header: t.name,
      isRowHeader: true,
      cell: ({ name }) => (
        <span className={classes.name} title={name}>
          {name}
        </span>
      ),
      below: ({ clientId, tags, profile, expiresAt }) => (
        <>
          <span className={classes.clientId}>
            <CopyableText value={clientId} label={t.clientId} isShort />
          </span>
          {expiresAt !== undefined && <TemporaryBadge expiresAt={expiresAt} />}
          {!isClosedProfile(profile) && <ProfileBadge name={profile} />}
          <TagList tags={tags} shownMax={1} />
        </>
      ),
    },
    { id: 'status', header: t.status, cell: (client) => <ClientStatusBadge client={client} /> },
    { id: 'keys', header: t.keys, cell: (client) => <ClientKeys client={client} /> },
    { id: 'network', header: t.network, cell: (client) => <ClientNetwork client={client} /> },
    { id: 'lastUsed', header: t.lastUsed, cell: (client) => <LastUse client={client} /> },
    {
      id: 'traffic',
      header: t.traffic,
      isHiddenOnCard: true,
      isHiddenWhenNarrow: true,
      cell: ({ clientId, name }) =>
        traffic && (
          <div className={classes.traffic}>
            <Sparkline points={traffic.get(clientId) ?? []} label={t.trafficOf(name)} />
          </div>
        ),
    },
    { id: 'menu', header: t.menu, isHeaderHidden: true, cell: (client) => <ClientMenu client={client} /> },
  ];
}

function ClientNetwork({ client }: { readonly client: Client }): ReactElement {
  const { isEveryone, entries } = client.network;
  return isEveryone ? (
    <StatusBadge tone="warning">{t.everyone}</StatusBadge>
  ) : (
    <span>{t.entries(entries)}</span>
  );
}

function LastUse({ client }: { readonly client: Client }): ReactElement {
  const { lastUsedAt, lastUsedFrom } = client;
  if (lastUsedAt === undefined) return <span className={classes.dimmed}>{t.neverUsed}</span>;
  return (
    <div className={classes.stack}>
      <span className={classes.whole}>
        <RelativeTime at={lastUsedAt} />
      </span>
      {lastUsedFrom && (
        <span className={classes.from} title={t.from(lastUsedFrom)}>
          {t.from(lastUsedFrom)}
        </span>
      )}
    </div>
  );
}

/** Summarizes a client's keys: `1 active, 1 retiring in 2 d`. */
function ClientKeys({ client }: { readonly client: Client }): ReactElement {
  const nowMs = useNow();
  const { active, pending, retiring, nextEndMs, rotation } = countKeys(client);
  const words = [
    active > 0 ? t.active(active) : '',
    pending > 0 ? t.pending(pending) : '',
    retiring > 0 && nextEndMs !== undefined ? t.retiring(retiring, timeLeft(nextEndMs, nowMs, t)) : '',
  ].filter(Boolean);
  if (words.length === 0) return <span className={classes.dimmed}>{t.noKeys}</span>;
  return (
    <div className={classes.keys}>
      <span className="tabular">
        {words.map((phrase, index) => (
          <Fragment key={phrase}>
            <span className={classes.whole}>{index < words.length - 1 ? `${phrase},` : phrase}</span>{' '}
          </Fragment>
        ))}
      </span>
      {rotation !== undefined && (
        <StatusBadge tone={rotation === 'overdue' ? 'danger' : 'warning'}>{t[rotation]}</StatusBadge>
      )}
    </div>
  );
}
