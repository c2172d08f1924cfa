import type { SavedView } from '@countersign/contract';
import { useState } from 'react';
import { useAccountId } from '../../api/current-account.ts';
import { areFiltered, type RequestFilters, requestFiltersQuery } from '../../requests/request-filters.ts';

/** The view that the list shows. */
export interface UsedView {
  readonly view: SavedView;
  /** True if the filters are no longer those of the view. */
  readonly isChanged: boolean;
}

/** The view that was chosen last in each account, also after a look at another page. */
const lastChosen = new Map<string, string>();

/**
 * Returns the view in use: the one with exactly these filters, otherwise the one that was chosen last, until all
 * filters are cleared.
 */
export function useUsedView(
  views: readonly SavedView[],
  filters: RequestFilters,
): { readonly used: UsedView | undefined; readonly choose: (view: SavedView) => void } {
  const accountId = useAccountId();
  const [, setChosen] = useState<string>();
  const query = requestFiltersQuery(filters).toString();
  const chosenId = lastChosen.get(accountId);
  const chosen = views.find(({ savedViewId }) => savedViewId === chosenId);
  const same = chosen?.query === query ? chosen : views.find((view) => view.query === query);
  const view = same ?? (areFiltered(filters) ? chosen : undefined);
  return {
    used: view && { view, isChanged: view !== same },
    choose: ({ savedViewId }) => {
      lastChosen.set(accountId, savedViewId);
      setChosen(savedViewId);
    },
  };
}
