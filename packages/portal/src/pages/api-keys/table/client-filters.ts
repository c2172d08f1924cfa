import type { ClientStatus, KeyRotation } from '@countersign/contract';

/** The filters in the page's address. */
export interface ClientFilters {
  readonly search: string;
  readonly status: ClientStatus | undefined;
  readonly role: string | undefined;
  readonly rotation: KeyRotation | undefined;
}

const statuses: readonly ClientStatus[] = ['active', 'disabled', 'revoked'];
const rotations: readonly KeyRotation[] = ['not_due', 'due', 'overdue'];
const searchLengthMax = 100;

/** Ignores what it cannot read. */
export function readClientFilters(query: URLSearchParams): ClientFilters {
  const role = query.get('role') ?? '';
  return {
    search: (query.get('search') ?? '').slice(0, searchLengthMax),
    status: statuses.find((status) => status === query.get('status')),
    role: /^[a-z0-9-]{1,64}$/.test(role) ? role : undefined,
    rotation: rotations.find((rotation) => rotation === query.get('rotation')),
  };
}

export function clientsPath(filters: ClientFilters): string {
  const query = new URLSearchParams();
  for (const name of ['search', 'status', 'role', 'rotation'] as const) {
    const value = filters[name];
    if (value !== undefined && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? '/integrations/api-keys' : `/integrations/api-keys?${text}`;
}

export function isFiltered({ search, status, role, rotation }: ClientFilters): boolean {
  return search.trim() !== '' || status !== undefined || role !== undefined || rotation !== undefined;
}

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
