import type { ClientStatus } from '../tables.ts';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { readAccountRules } from './account-rules.ts';
import { directoryOfRow, type DirectoryRecord } from './client-directories.ts';
import { profileOfRow } from './client-profile.ts';
import type { KeyRecord } from './key-state.ts';
import { keyOfRow } from './keys.ts';
import type { NetworkRecord } from './networks.ts';

/** A client with everything that belongs to it. */
export interface ClientRecord {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: ClientStatus;
  readonly profile: string;
  readonly allowExplanations: boolean;
  /** The rate limit, per minute and at once; undefined if the account's limit applies. */
  readonly requestsPerMinuteMax: number | undefined;
  readonly requestsBurstMax: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Set only if revoked or archived. */
  readonly revokedAtMs: number | undefined;
  /** When a temporary client goes away, and its keys end at the latest; undefined for all others. */
  readonly expiresAtMs: number | undefined;
  /** Its keys stop verifying after this many days, by its account's rules; undefined for no limit. */
  readonly keyAgeDaysMax: number | undefined;
  /** The registry version of its last change. */
  readonly version: number;
  /** Oldest first, including revoked keys. */
  readonly keys: readonly KeyRecord[];
  /** The directory that its keys come from; undefined if people register them. */
  readonly directory: DirectoryRecord | undefined;
  readonly network: readonly NetworkRecord[];
  readonly roleIds: readonly string[];
  /** The roles' names, sorted. */
  readonly roles: readonly string[];
  /** Sorted. */
  readonly tags: readonly string[];
  /** Texts by key, sorted by key. */
  readonly metadata: ClientMetadata;
}

/** A client's metadata: texts by key. */
export type ClientMetadata = Readonly<Record<string, string>>;

/** A page of clients to read, in id order. */
export interface ClientPage {
  readonly accountId?: string | undefined;
  /** The last clientId of the previous page. */
  readonly afterClientId?: string | undefined;
  readonly limit: number;
}

/** Lists a page of clients, without archived ones. */
export async function listClients(database: Database, page: ClientPage): Promise<ClientRecord[]> {
  return inSnapshot(database, async (transaction) => {
    let query = transaction.selectFrom('clients').selectAll().where('status', '!=', 'archived');
    if (page.accountId !== undefined) query = query.where('account_id', '=', page.accountId);
    if (page.afterClientId !== undefined) query = query.where('client_id', '>', page.afterClientId);
    const clients = await query.orderBy('client_id').limit(page.limit).execute();
    const first = clients.at(0)?.client_id;
    const last = clients.at(-1)?.client_id;
    if (first === undefined || last === undefined) return [];
    return withParts(transaction, clients, { first, last });
  });
}

/** Lists a page of ids of the clients that may send requests, in order. */
export async function listClientIds(database: Database, page: ClientPage): Promise<string[]> {
  const rows = await database
    .selectFrom('clients')
    .select('client_id')
    .where('status', 'in', ['active', 'disabled'])
    .where('client_id', '>', page.afterClientId ?? '')
    .orderBy('client_id')
    .limit(page.limit)
    .execute();
  return rows.map((row) => row.client_id);
}

/** Reads the clients with these ids that exist, including archived ones. A few hundred ids at most. */
export async function readClients(database: Database, clientIds: readonly string[]): Promise<ClientRecord[]> {
  // PostgreSQL treats a text with this character as a bug in the program.
  const possible = clientIds.filter((clientId) => !clientId.includes('\0'));
  if (possible.length === 0) return [];
  return inSnapshot(database, async (transaction) => {
    const clients = await transaction
      .selectFrom('clients')
      .selectAll()
      .where('client_id', 'in', possible)
      .execute();
    return withParts(transaction, clients, { clientIds: possible });
  });
}

/** Reads one client. Throws RegistryError `client_unknown`. */
export async function readClient(database: Database, clientId: string): Promise<ClientRecord> {
  const [client] = await readClients(database, [clientId]);
  if (client === undefined || client.status === 'archived') {
    throw new RegistryError('client_unknown', 'There is no such client: check the clientId.');
  }
  return client;
}

/** Returns true if a client belongs to an account. That never changes. */
export async function isClientOf(database: Database, clientId: string, accountId: string): Promise<boolean> {
  const client = await database
    .selectFrom('clients')
    .select('account_id')
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return client?.account_id === accountId;
}

interface ClientRow {
  readonly client_id: string;
  readonly account_id: string;
  readonly name: string;
  readonly status: ClientStatus;
  readonly accept_without_date: 0 | 1;
  readonly profile: string | null;
  readonly allow_explanations: 0 | 1;
  readonly requests_per_minute_max: number | null;
  readonly requests_burst_max: number | null;
  readonly metadata: string;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly revoked_at_ms: number | null;
  readonly expires_at_ms: number | null;
  readonly version: number;
}

/** Selects the clients to read: a list, or all between two ids, which takes one query for any number. */
type Selection =
  | { readonly clientIds: readonly string[] }
  | { readonly first: string; readonly last: string };

async function withParts(
  database: Database,
  clients: readonly ClientRow[],
  selection: Selection,
): Promise<ClientRecord[]> {
  const keys = await readKeys(database, selection);
  const directories = await readDirectories(database, selection);
  const networks = await readNetworks(database, selection);
  const roles = await readClientRoles(database, selection);
  const tags = await readTags(database, selection);
  const rules = await readAccountRules(database);
  return clients.map((row) => ({
    clientId: row.client_id,
    accountId: row.account_id,
    name: row.name,
    status: row.status,
    profile: profileOfRow(row),
    allowExplanations: row.allow_explanations === 1,
    requestsPerMinuteMax: row.requests_per_minute_max ?? undefined,
    requestsBurstMax: row.requests_burst_max ?? undefined,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    revokedAtMs: row.revoked_at_ms ?? undefined,
    expiresAtMs: row.expires_at_ms ?? undefined,
    keyAgeDaysMax: rules.get(row.account_id)?.keyAgeDaysMax,
    version: row.version,
    keys: keys.get(row.client_id) ?? [],
    directory: directories.get(row.client_id)?.[0],
    network: networks.get(row.client_id) ?? [],
    roleIds: (roles.get(row.client_id) ?? []).map((role) => role.roleId),
    roles: (roles.get(row.client_id) ?? []).map((role) => role.name),
    tags: tags.get(row.client_id) ?? [],
    metadata: JSON.parse(row.metadata) as ClientMetadata,
  }));
}

async function readKeys(database: Database, selection: Selection): Promise<Map<string, KeyRecord[]>> {
  const query = database.selectFrom('client_keys').selectAll();
  const rows = await (
    'clientIds' in selection
      ? query.where('client_id', 'in', selection.clientIds)
      : query.where('client_id', '>=', selection.first).where('client_id', '<=', selection.last)
  )
    .orderBy('created_at_ms')
    .orderBy('key_id')
    .execute();
  return grouped(rows, keyOfRow);
}

async function readDirectories(
  database: Database,
  selection: Selection,
): Promise<Map<string, DirectoryRecord[]>> {
  const query = database.selectFrom('client_directories').selectAll();
  const rows = await (
    'clientIds' in selection
      ? query.where('client_id', 'in', selection.clientIds)
      : query.where('client_id', '>=', selection.first).where('client_id', '<=', selection.last)
  ).execute();
  return grouped(rows, directoryOfRow);
}

async function readNetworks(database: Database, selection: Selection): Promise<Map<string, NetworkRecord[]>> {
  const query = database.selectFrom('network_entries').select(['client_id', 'entry', 'label']);
  const rows = await (
    'clientIds' in selection
      ? query.where('client_id', 'in', selection.clientIds)
      : query.where('client_id', '>=', selection.first).where('client_id', '<=', selection.last)
  )
    .orderBy('entry')
    .execute();
  return grouped(rows, ({ entry, label }) => ({ entry, label }));
}

async function readClientRoles(
  database: Database,
  selection: Selection,
): Promise<Map<string, { roleId: string; name: string }[]>> {
  const query = database
    .selectFrom('client_roles')
    .innerJoin('roles', 'roles.role_id', 'client_roles.role_id')
    .select(['client_id', 'roles.role_id', 'roles.name']);
  const rows = await (
    'clientIds' in selection
      ? query.where('client_id', 'in', selection.clientIds)
      : query.where('client_id', '>=', selection.first).where('client_id', '<=', selection.last)
  )
    .orderBy('roles.name')
    .execute();
  return grouped(rows, (row) => ({ roleId: row.role_id, name: row.name }));
}

async function readTags(database: Database, selection: Selection): Promise<Map<string, string[]>> {
  const query = database.selectFrom('client_tags').select(['client_id', 'tag']);
  const rows = await (
    'clientIds' in selection
      ? query.where('client_id', 'in', selection.clientIds)
      : query.where('client_id', '>=', selection.first).where('client_id', '<=', selection.last)
  ).execute();
  // Sorted here, because databases differ in how they order punctuation.
  const groups = grouped(rows, ({ tag }) => tag);
  for (const group of groups.values()) group.sort();
  return groups;
}

function grouped<Row extends { readonly client_id: string }, Part>(
  rows: readonly Row[],
  part: (row: Row) => Part,
): Map<string, Part[]> {
  const groups = new Map<string, Part[]>();
  for (const row of rows) {
    const group = groups.get(row.client_id);
    if (group === undefined) groups.set(row.client_id, [part(row)]);
    else group.push(part(row));
  }
  return groups;
}
