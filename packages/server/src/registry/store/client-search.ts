import {
  clientListLimits,
  type ClientStatus,
  entryTextsFor,
  isId,
  type KeyRotation,
  parseAddress,
} from '@countersign/contract';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { readAccount } from './accounts.ts';
import { restorableMs } from './client-change.ts';
import { type ClientRecord, readClients } from './client-records.ts';
import type { ClientOrder, ClientPlace } from './client-order.ts';
import { isInRotation } from './key-rotation.ts';
import { readKeyNameOwner } from './key-names.ts';
import { isNamedLike } from './names.ts';

/** A search for an account's clients, page by page. */
export interface ClientSearch {
  readonly accountId: string;
  readonly status?: ClientStatus | undefined;
  /** The name of a role that they have. */
  readonly role?: string | undefined;
  readonly tag?: string | undefined;
  /** Part of the name, ignoring case, the beginning of the clientId, an allowed address, or a key, also as signatures name it. */
  readonly search?: string | undefined;
  readonly rotation?: KeyRotation | undefined;
  readonly order: ClientOrder;
  /** The last client of the previous page. */
  readonly after?: ClientPlace | undefined;
  readonly limit: number;
  readonly nowMs: number;
}

/** A page of results. */
export interface ClientSearchResult {
  readonly clients: readonly ClientRecord[];
  /** The position before the next page; undefined once everything has been scanned. */
  readonly next: ClientPlace | undefined;
  /** The number of matching clients; undefined on later pages, or if there are too many to count. */
  readonly total: number | undefined;
}

/**
 * Searches clients. Each call scans a limited number of clients, so that no search can tie up the database for
 * long: a page may be short or empty and still have a cursor.
 *
 * @throws RegistryError `sort_impossible` if the order would require scanning too many clients
 */
export async function searchClients(database: Database, search: ClientSearch): Promise<ClientSearchResult> {
  return inSnapshot(database, async (transaction) => {
    const last = await endOfLook(transaction, search);
    const matching = await matchingClients(transaction, search, last);
    const found = await matching
      .select(['clients.client_id', search.order.value.as('value')])
      .orderBy(search.order.by as RawBuilder<never>)
      .limit(search.limit + 1)
      .execute();
    const page = found.slice(0, search.limit);
    const records = await readClients(
      transaction,
      page.map((row) => row.client_id),
    );
    const byId = new Map(records.map((record) => [record.clientId, record]));
    const isFirst = search.after === undefined && last === undefined;
    return {
      clients: page.flatMap((row) => byId.get(row.client_id) ?? []),
      next: found.length > search.limit ? placeOf(page.at(-1)) : last,
      total: isFirst ? await countOf(matching) : undefined,
    };
  });
}

interface PlaceRow {
  readonly client_id: string;
  readonly value: string | number | null;
}

function placeOf(row: PlaceRow | undefined): ClientPlace | undefined {
  return row && { clientId: row.client_id, value: row.value ?? undefined };
}

async function countOf(matching: Awaited<ReturnType<typeof matchingClients>>): Promise<number> {
  const { count } = await matching.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow();
  return count;
}

/** Returns the position of the last client that this call scans; undefined if it scans to the end. */
async function endOfLook(
  database: Database,
  { accountId, order, after }: ClientSearch,
): Promise<ClientPlace | undefined> {
  let query = database.selectFrom('clients').where('account_id', '=', accountId);
  if (order.needsAllClients && (await hasTooManyToSort(database, accountId))) {
    throw new RegistryError(
      'sort_impossible',
      `sort is not by lastUsedAt in an account of more than ${clientListLimits.lookedAtMax} clients`,
    );
  }
  if (after !== undefined) query = query.where(order.isAfter(after));
  const row = await query
    .select(['clients.client_id', order.value.as('value')])
    .orderBy(order.by as RawBuilder<never>)
    .limit(1)
    .offset(clientListLimits.lookedAtMax - 1)
    .executeTakeFirst();
  return placeOf(row);
}

async function hasTooManyToSort(database: Database, accountId: string): Promise<boolean> {
  const row = await database
    .selectFrom('clients')
    .select('client_id')
    .where('account_id', '=', accountId)
    .orderBy('client_id')
    .limit(1)
    .offset(clientListLimits.lookedAtMax)
    .executeTakeFirst();
  return row !== undefined;
}

async function matchingClients(database: Database, search: ClientSearch, last: ClientPlace | undefined) {
  const { accountId, status, role, tag, order, after, nowMs } = search;
  let query = database
    .selectFrom('clients')
    .where('clients.account_id', '=', accountId)
    .where('clients.status', '!=', 'archived')
    .where((column) =>
      column.or([
        column('clients.status', '!=', 'revoked'),
        column('clients.revoked_at_ms', '>', nowMs - restorableMs),
      ]),
    )
    .where((column) =>
      column.or([column('clients.expires_at_ms', 'is', null), column('clients.expires_at_ms', '>', nowMs)]),
    );
  if (after !== undefined) query = query.where(order.isAfter(after));
  if (last !== undefined) query = query.where(order.isUpTo(last));
  if (status !== undefined) query = query.where('clients.status', '=', status);
  if (role !== undefined) {
    query = query.where((column) =>
      column.exists(
        column
          .selectFrom('client_roles')
          .innerJoin('roles', 'roles.role_id', 'client_roles.role_id')
          .select('roles.role_id')
          .whereRef('client_roles.client_id', '=', 'clients.client_id')
          .where('roles.name', '=', role),
      ),
    );
  }
  if (tag !== undefined) {
    query = query.where((column) =>
      column.exists(
        column
          .selectFrom('client_tags')
          .select('tag')
          .whereRef('client_tags.client_id', '=', 'clients.client_id')
          .where('tag', '=', tag),
      ),
    );
  }
  if (search.search !== undefined) {
    const owner = await readKeyNameOwner(database, accountId, search.search);
    query = query.where(isFoundBy(accountId, owner ?? search.search));
  }
  if (search.rotation !== undefined) {
    const { rotation } = search;
    const { keyAgeDaysMax } = await readAccount(database, accountId);
    // The keys of a temporary client end with it.
    query = query.where('clients.expires_at_ms', 'is', null).where((column) =>
      column.exists(
        column
          .selectFrom('client_keys')
          .select('key_id')
          .whereRef('client_keys.client_id', '=', 'clients.client_id')
          .where((key) => isInRotation(key as never, rotation, keyAgeDaysMax, nowMs)),
      ),
    );
  }
  return query;
}

/** Matches clients by name or clientId, and also by address or key if the text has that form. */
function isFoundBy(accountId: string, text: string): RawBuilder<SqlBool> {
  const isNamed = isNamedLike('clients.search_name', 'clients.client_id', text);
  const address = parseAddress(text);
  if (address !== undefined) {
    // Hidden from the index: a client has few entries, and an IPv6 address is in 129 networks.
    return sql<SqlBool>`(${isNamed} or exists (select 1 from network_entries
      where network_entries.client_id = clients.client_id
        and (entry || '') in (${sql.join(entryTextsFor(address))})))`;
  }
  const isKey = keyCondition(text);
  if (isKey === undefined) return isNamed;
  return sql<SqlBool>`(${isNamed} or clients.client_id in
    (select client_id from client_keys where account_id = ${accountId} and ${isKey}))`;
}

/** Matches a key by its id, its fingerprint, or the beginning of its fingerprint. */
function keyCondition(text: string): RawBuilder<SqlBool> | undefined {
  if (isId('key', text)) return sql<SqlBool>`key_id = ${text}`;
  if (!text.startsWith('SHA256:')) return undefined;
  return sql<SqlBool>`fingerprint >= ${text} and fingerprint < ${`${text}\u{10ffff}`}`;
}
