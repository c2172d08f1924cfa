import type { RequestEntry } from '@countersign/contract';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { requests as t } from '../../messages/en/requests.ts';
import { isRefusal } from '../../requests/refusal.ts';
import { type RequestFilters, requestTotalsQuery } from '../../requests/request-filters.ts';

interface RequestTotalsLineProps {
  readonly filters: RequestFilters;
  /** The time that the list shows. */
  readonly nowMs: number;
  /** What came since. */
  readonly arrived: readonly RequestEntry[];
}

/** Says how many requests the filters select, and how many of them were accepted. */
export function RequestTotalsLine({ filters, nowMs, arrived }: RequestTotalsLineProps): ReactElement {
  const { data } = useApiQuery(
    'getRequestTotals',
    { query: requestTotalsQuery(filters, nowMs) },
    { keepsPrevious: true },
  );
  if (data === undefined) return <span className="tabular">{t.counting}</span>;
  const accepted = arrived.filter(({ outcome, isObserved }) => !isObserved && !isRefusal(outcome)).length;
  const observed = arrived.filter(({ isObserved }) => isObserved).length;
  return (
    <span className="tabular">
      {t.totals({
        count: data.count + arrived.length,
        accepted: data.accepted + accepted,
        observed: data.observed + observed,
        refused: data.refused + arrived.length - accepted - observed,
        isComplete: data.isComplete,
      })}
    </span>
  );
}
