import type { Client } from '@countersign/contract';
import { useState } from 'react';
import { type RowSelection, useRowSelection } from '../../../components/use-row-selection.ts';
import { clientFilterOf, type ClientFilters } from '../table/client-filters.ts';
import type { BulkChoice } from './bulk-choice.ts';

interface ClientSelection {
  readonly rows: RowSelection;
  readonly choice: BulkChoice | undefined;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
}

/** Keeps the selected clients of the list: some rows, or all that match the filters, shown or not. */
export function useClientSelection(clients: readonly Client[], filters: ClientFilters): ClientSelection {
  const filter = clientFilterOf(filters);
  const filterText = JSON.stringify(filter);
  const rows = useRowSelection(clients.map(({ clientId }) => clientId));
  // Other filters match other clients, so the selection ends with them.
  const [allOf, setAllOf] = useState<string>();
  const isAll = allOf === filterText;
  const some =
    rows.keys.size === 0 ? undefined : { clients: [...rows.keys].map((clientId) => ({ clientId })) };
  return {
    rows: {
      ...rows,
      toggle(...change) {
        setAllOf(undefined);
        rows.toggle(...change);
      },
      toggleAll(isSelected) {
        setAllOf(undefined);
        rows.toggleAll(isSelected);
      },
    },
    choice: isAll ? { filter } : some,
    onSelectAll() {
      rows.toggleAll(true);
      setAllOf(filterText);
    },
    onClear() {
      setAllOf(undefined);
      rows.clear();
    },
  };
}
