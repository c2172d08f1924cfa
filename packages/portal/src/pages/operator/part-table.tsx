import type { PartHealth } from '@countersign/contract';
import type { ReactElement } from 'react';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { StatusBadge, type Tone } from '../../components/notice.tsx';
import { operator as t } from '#messages/operator.ts';
import classes from './operator.module.css';

const tones: Readonly<Record<PartHealth['state'], Tone>> = {
  ok: 'success',
  warning: 'warning',
  failing: 'danger',
};

const columns: readonly DataColumn<PartHealth>[] = [
  { id: 'name', header: t.part, isRowHeader: true, cell: (part) => nameOf(part) },
  {
    id: 'state',
    header: t.partState,
    cell: ({ state, reason }) => (
      <span className={classes['partState']}>
        <StatusBadge tone={tones[state]}>{t.partStates[state]}</StatusBadge>
        {reason !== undefined && <span className={classes['reason']}>{reason}</span>}
      </span>
    ),
  },
  { id: 'p50', header: t.p50, align: 'right', cell: ({ p50Ms }) => t.milliseconds(p50Ms) },
  { id: 'p99', header: t.p99, align: 'right', cell: ({ p99Ms }) => t.milliseconds(p99Ms) },
  { id: 'count', header: t.measured, align: 'right', cell: ({ count }) => t.count(count) },
];

/** Lists the parts of the node with their state, delay and reason. */
export function PartTable({ parts }: { readonly parts: readonly PartHealth[] }): ReactElement {
  return (
    <DataTable
      label={t.parts}
      columns={columns}
      rows={parts}
      rowKey={({ name, subject = '' }) => `${name} ${subject}`}
    />
  );
}

function nameOf({ name, subject }: PartHealth): string {
  if (name === 'upstream') return t.upstream(subject ?? '');
  if (name !== 'threads') return t.partNames[name];
  const [threads = '1', nodes = '1'] = (subject ?? '').split('/');
  return t.threads(Number(threads), Number(nodes));
}
