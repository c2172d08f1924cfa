import type { AnalyticsFact } from '@countersign/contract';
import type { Range } from '../../components/range-picker.tsx';
import { type RequestFilters, requestsPath } from '../../requests/request-filters.ts';

/** Returns the path of the list of requests with a value. */
export function requestsWith(
  by: AnalyticsFact,
  name: string,
  scope: { readonly range: Range; readonly clientId: string | undefined },
): string {
  return requestsPath({ ...filtersOf(by, name), period: scope.range, clientId: scope.clientId });
}

function filtersOf(by: AnalyticsFact, name: string): Partial<RequestFilters> {
  if (by === 'status') return { status: name };
  if (by === 'cause') return { outcome: name };
  return { search: by === 'operation' ? operationSearch(name) : name };
}

/** The list searches the beginning of a path, so the parameters of the configured one and what follows are left out. */
function operationSearch(name: string): string {
  const space = name.indexOf(' ');
  const method = name.slice(0, space);
  const start = name.slice(space + 1).replace(/[{*].*$/, '');
  return [...(method === '*' ? [] : [`method:${method}`]), `path:${start}`].join(' ');
}
