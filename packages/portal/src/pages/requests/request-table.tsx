import type { RequestEntry } from '@countersign/contract';
import type { ReactElement } from 'react';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useMessages } from '../../messages/messages.ts';
import { OutcomeBadge } from '../../explanation/outcome-badge.tsx';
import classes from './requests.module.css';

/** The requests of a list, each leading to its detail. */
export function RequestTable({
  entries,
  clientName,
  hrefOf,
}: {
  readonly entries: readonly RequestEntry[];
  readonly clientName: (clientId: string) => string | undefined;
  readonly hrefOf: (requestId: string) => string;
}): ReactElement {
  const t = useMessages('requests');
  const columns: readonly DataColumn<RequestEntry>[] = [
    {
      id: 'request',
      header: t.request,
      isRowHeader: true,
      cell: ({ method, url }) => (
        <span className={classes['request']}>
          <span className={classes['method']}>{method}</span> <bdi className={classes['url']}>{url}</bdi>
        </span>
      ),
    },
    { id: 'outcome', header: t.outcome, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
    {
      id: 'client',
      header: t.client,
      cell: ({ clientId }) => <bdi title={clientId}>{clientName(clientId) ?? <code>{clientId}</code>}</bdi>,
    },
    {
      id: 'source',
      header: t.sourceAddress,
      cell: ({ sourceAddress }) => <code className={classes['address']}>{sourceAddress}</code>,
    },
    {
      id: 'time',
      header: t.time,
      align: 'right',
      cell: ({ receivedAt }) => (
        <span className={classes['time']}>
          <RelativeTime at={receivedAt} />
        </span>
      ),
    },
  ];
  return (
    <DataTable
      label={t.list}
      columns={columns}
      rows={entries}
      rowKey={({ requestId }) => requestId}
      rowHref={({ requestId }) => hrefOf(requestId)}
    />
  );
}
