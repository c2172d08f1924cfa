import type { ClientStatus, KeyRotation } from '@countersign/contract';

/** What the table shows, as the address of the page says it. */
export interface ClientFilters {
  readonly search: string;
  readonly status: ClientStatus | undefined;
  readonly role: string | undefined;
  readonly rotation: KeyRotation | undefined;
}

const statuses: readonly ClientStatus[] = ['active', 'disabled', 'revoked'];
const rotations: readonly KeyRotation[] = ['not_due', 'due', 'overdue'];
const searchLengthMax = 100;

/** Reads the filters from the query of the page; what cannot be read counts as not given. */
export function readClientFilters(query: URLSearchParams): ClientFilters {
  const role = query.get('role') ?? '';
  return {
    search: (query.get('search') ?? '').slice(0, searchLengthMax),
    status: statuses.find((status) => status === query.get('status')),
    role: /^[a-z0-9-]{1,64}$/.test(role) ? role : undefined,
    rotation: rotations.find((rotation) => rotation === query.get('rotation')),
  };
}

/** The path of the table with these filters; only what is set is in it. */
export function clientsPath(filters: ClientFilters): string {
  const query = new URLSearchParams();
  for (const name of ['search', 'status', 'role', 'rotation'] as const) {
    const value = filters[name];
    if (value !== undefined && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? '/integrations/api-keys' : `/integrations/api-keys?${text}`;
}

/** Whether anything is filtered out. */
export function isFiltered({ search, status, role, rotation }: ClientFilters): boolean {
  return search.trim() !== '' || status !== undefined || role !== undefined || rotation !== undefined;
}

/** The filters as the API takes them. */
export function clientListQuery({ search, ...others }: ClientFilters): {
  readonly search?: string;
  readonly status?: ClientStatus;
  readonly role?: string;
  readonly rotation?: KeyRotation;
} {
  const { status, role, rotation } = others;
  const wanted = search.trim();
  return {
    ...(wanted !== '' && { search: wanted }),
    ...(status !== undefined && { status }),
    ...(role !== undefined && { role }),
    ...(rotation !== undefined && { rotation }),
  };
}
