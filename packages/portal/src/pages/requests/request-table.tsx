import type { RequestEntry, RequestSort } from '@countersign/contract';
import type { ReactElement } from 'react';
import { type DataColumn, DataTable, type TableSort } from '../../components/data-table.tsx';
import { ExactTime } from '../../components/exact-time.tsx';
import { RequestOutcome } from '../../explanation/request-outcome.tsx';
import { requests as t } from '#messages/requests.ts';
import classes from './requests.module.css';

interface RequestTableProps {
  readonly entries: readonly RequestEntry[];
  readonly clientName: (clientId: string) => string | undefined;
  readonly hrefOf: (requestId: string) => string;
  /** The request that is shown beside the list, which then has room for the most important columns alone. */
  readonly openId: string | undefined;
  readonly sort: RequestSort;
  readonly onSort: (sort: RequestSort) => void;
}

export function RequestTable(props: RequestTableProps): ReactElement {
  const { entries, clientName, hrefOf, openId, sort, onSort } = props;
  const isBeside = openId !== undefined;
  const columns = columnsOf(clientName);
  return (
    <DataTable
      label={t.list}
      isDense={isBeside ? 'always' : true}
      sort={tableSort(sort, onSort)}
      columns={isBeside ? columns.filter(({ id }) => !hiddenBeside.has(id)) : columns}
      rows={entries}
      rowKey={({ requestId }) => requestId}
      rowHref={({ requestId }) => hrefOf(requestId)}
      openKey={openId}
    />
  );
}

const hiddenBeside: ReadonlySet<string> = new Set(['client', 'duration']);

function columnsOf(
  clientName: (clientId: string) => string | undefined,
): readonly DataColumn<RequestEntry>[] {
  return [
    {
      id: 'request',
      header: t.request,
      isRowHeader: true,
      cell: ({ method, url }) => (
        <span className={classes['request']} title={`${method} ${url}`}>
          <span className={classes['method']}>{method}</span> <bdi className={classes['url']}>{url}</bdi>
        </span>
      ),
    },
    {
      id: 'status',
      header: t.status,
      cell: (entry) => (
        <span className={classes['outcome']}>
          <span className="tabular">{entry.status === 0 ? t.noStatus : entry.status}</span>
          <RequestOutcome entry={entry} />
        </span>
      ),
    },
    {
      id: 'client',
      header: t.clientAndAddress,
      cell: ({ clientId, sourceAddress }) => (
        <span className={classes['client']}>
          <bdi className={classes['name']} title={clientId}>
            {clientName(clientId) ?? <code>{clientId}</code>}
          </bdi>
          <code className={classes['address']} title={sourceAddress}>
            {sourceAddress === '' ? t.unknownAddress : sourceAddress}
          </code>
        </span>
      ),
    },
    {
      id: 'duration',
      header: t.duration,
      align: 'right',
      cell: ({ durationMs }) => (
        <span className={classes['duration']}>
          {durationMs === undefined ? t.durationUnknown : t.durationMs(durationMs)}
        </span>
      ),
    },
    {
      id: 'time',
      header: t.time,
      align: 'right',
      cell: ({ receivedAt }) => <ExactTime at={receivedAt} isShort />,
    },
  ];
}

/** The members that columns sort by. */
const members = { request: 'url', status: 'status', duration: 'durationMs', time: 'receivedAt' } as const;
type SortedColumn = keyof typeof members;

/** Paths begin with the first letter, everything else with the highest value. A second click reverses the order. */
function tableSort(sort: RequestSort, onSort: (sort: RequestSort) => void): TableSort {
  const columnIds = Object.keys(members) as SortedColumn[];
  const sorted = columnIds.find((id) => sort === members[id] || sort === `-${members[id]}`);
  return {
    columnIds,
    columnId: sorted,
    isDescending: sort.startsWith('-'),
    onSort: (columnId, isDescending) => {
      const member = members[columnId as SortedColumn];
      const isHighestFirst = columnId === sorted ? isDescending : member !== 'url';
      onSort(isHighestFirst ? `-${member}` : member);
    },
  };
}
