import { type ClientSort, type ClientStatus, isTag, type KeyRotation } from '@countersign/contract';

/** The filters in the page's address. */
export interface ClientFilters {
  readonly search: string;
  readonly status: ClientStatus | undefined;
  readonly role: string | undefined;
  readonly rotation: KeyRotation | undefined;
  readonly tag: string | undefined;
  readonly sort: ClientSort;
}

const statuses: readonly ClientStatus[] = ['active', 'disabled', 'revoked'];
const rotations: readonly KeyRotation[] = ['not_due', 'due', 'overdue'];
const clientSorts: readonly ClientSort[] = [
  'name',
  '-name',
  '-createdAt',
  'createdAt',
  '-lastUsedAt',
  'lastUsedAt',
];
const searchLengthMax = 100;

/** A client that was just added is the first one. */
export const defaultClientFilters: ClientFilters = {
  search: '',
  status: undefined,
  role: undefined,
  rotation: undefined,
  tag: undefined,
  sort: '-createdAt',
};

/** Ignores unreadable values. */
export function readClientFilters(query: URLSearchParams): ClientFilters {
  const role = query.get('role') ?? '';
  const tag = query.get('tag') ?? '';
  return {
    search: (query.get('search') ?? '').slice(0, searchLengthMax),
    status: statuses.find((status) => status === query.get('status')),
    role: /^[a-z0-9-]{1,64}$/.test(role) ? role : undefined,
    rotation: rotations.find((rotation) => rotation === query.get('rotation')),
    tag: isTag(tag) ? tag : undefined,
    sort: clientSorts.find((sort) => sort === query.get('sort')) ?? defaultClientFilters.sort,
  };
}

export function clientsPath(filters: ClientFilters): string {
  const query = new URLSearchParams();
  for (const name of ['search', 'status', 'role', 'rotation', 'tag', 'sort'] as const) {
    const value = filters[name];
    if (value !== undefined && value !== defaultClientFilters[name]) query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? '/integrations/api-keys' : `/integrations/api-keys?${text}`;
}

export function isFiltered(filters: ClientFilters): boolean {
  return Object.keys(clientFilterOf(filters)).length > 0;
}

/** The filters alone, in the API's form. */
export type ClientFilter = Readonly<Partial<Omit<ClientFilters, 'sort'>>>;

export function clientFilterOf({ search, status, role, rotation, tag }: ClientFilters): ClientFilter {
  const wanted = search.trim();
  return {
    ...(wanted !== '' && { search: wanted }),
    ...(status !== undefined && { status }),
    ...(role !== undefined && { role }),
    ...(rotation !== undefined && { rotation }),
    ...(tag !== undefined && { tag }),
  };
}

export function clientListQuery(filters: ClientFilters): ClientFilter & { readonly sort: ClientSort } {
  return { ...clientFilterOf(filters), sort: filters.sort };
}
