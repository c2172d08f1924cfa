import { locale } from '#messages/locale.ts';
import { useState } from 'react';
import type { TableSort } from './data-table.tsx';

/** A column's sort key: texts alphabetically, numbers by size. Undefined comes first. */
type SortValue = string | number | undefined;

interface SortedRows<Row> {
  readonly rows: readonly Row[];
  readonly sort: TableSort;
}

/** Sorts the rows of a table that are all loaded. Equal rows keep their order. */
export function useSortedRows<Row>(
  rows: readonly Row[],
  valuesOf: Readonly<Record<string, (row: Row) => SortValue>>,
): SortedRows<Row> {
  const [order, setOrder] = useState<{ readonly columnId: string; readonly isDescending: boolean }>();
  const valueOf = order && valuesOf[order.columnId];
  const ascending = valueOf && rows.toSorted((one, other) => compare(valueOf(one), valueOf(other)));
  return {
    rows: (order?.isDescending ? ascending?.toReversed() : ascending) ?? rows,
    sort: {
      columnIds: Object.keys(valuesOf),
      columnId: order?.columnId,
      isDescending: order?.isDescending ?? false,
      onSort: (columnId, isDescending) => setOrder({ columnId, isDescending }),
    },
  };
}

const words = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });

function compare(one: SortValue, other: SortValue): number {
  if (one === undefined || other === undefined)
    return Number(one !== undefined) - Number(other !== undefined);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return words.compare(String(one), String(other));
}
