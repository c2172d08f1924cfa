import type { ClientStatus, KeyRotation } from '@countersign/contract';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { readAccount } from './accounts.ts';
import { restorableMs } from './client-change.ts';
import { type ClientRecord, readClients } from './client-records.ts';
import { isInRotation } from './key-rotation.ts';
import { isNamedLike } from './names.ts';

/** A search for an account's clients, in id order and page by page. */
export interface ClientSearch {
  readonly accountId: string;
  readonly status?: ClientStatus | undefined;
  /** The name of a role that they have. */
  readonly role?: string | undefined;
  readonly tag?: string | undefined;
  /** Part of the name, ignoring case, or the beginning of the clientId. */
  readonly search?: string | undefined;
  readonly rotation?: KeyRotation | undefined;
  /** The last clientId of the previous page. */
  readonly afterClientId?: string | undefined;
  readonly limit: number;
  readonly nowMs: number;
}

/** A page of results. */
export interface ClientSearchResult {
  readonly clients: readonly ClientRecord[];
  /** The cursor for the next page; undefined once everything has been scanned. */
  readonly nextClientId: string | undefined;
}

/**
 * Searches clients. Each call scans a limited number of clients, so that no search can tie up the database for long:
 * a page may be short or empty and still have a cursor.
 */
export async function searchClients(database: Database, search: ClientSearch): Promise<ClientSearchResult> {
  return inSnapshot(database, async (transaction) => {
    const last = await endOfLook(transaction, search);
    const found = await matchingIds(transaction, search, last);
    const page = found.slice(0, search.limit);
    const records = await readClients(transaction, page);
    const byId = new Map(records.map((record) => [record.clientId, record]));
    return {
      clients: page.flatMap((clientId) => byId.get(clientId) ?? []),
      nextClientId: found.length > search.limit ? page.at(-1) : last,
    };
  });
}

/** The number of clients scanned per page. */
const lookedAtMax = 20_000;

/** Returns the last clientId that this call scans; undefined if it scans to the end. */
async function endOfLook(database: Database, search: ClientSearch): Promise<string | undefined> {
  let query = database.selectFrom('clients').select('client_id').where('account_id', '=', search.accountId);
  if (search.afterClientId !== undefined) query = query.where('client_id', '>', search.afterClientId);
  const [row] = await query
    .orderBy('client_id')
    .limit(1)
    .offset(lookedAtMax - 1)
    .execute();
  return row?.client_id;
}

async function matchingIds(
  database: Database,
  search: ClientSearch,
  last: string | undefined,
): Promise<string[]> {
  const { accountId, status, role, tag, afterClientId, nowMs } = search;
  let query = database
    .selectFrom('clients')
    .select('clients.client_id')
    .where('clients.account_id', '=', accountId)
    .where('clients.status', '!=', 'archived')
    .where((column) =>
      column.or([
        column('clients.status', '!=', 'revoked'),
        column('clients.revoked_at_ms', '>', nowMs - restorableMs),
      ]),
    );
  if (afterClientId !== undefined) query = query.where('clients.client_id', '>', afterClientId);
  if (last !== undefined) query = query.where('clients.client_id', '<=', last);
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
  if (search.search !== undefined)
    query = query.where(isNamedLike('clients.search_name', 'clients.client_id', search.search));
  if (search.rotation !== undefined) {
    const { rotation } = search;
    const { keyAgeDaysMax } = await readAccount(database, accountId);
    query = query.where((column) =>
      column.exists(
        column
          .selectFrom('client_keys')
          .select('key_id')
          .whereRef('client_keys.client_id', '=', 'clients.client_id')
          .where((key) => isInRotation(key as never, rotation, keyAgeDaysMax, nowMs)),
      ),
    );
  }
  const rows = await query
    .orderBy('clients.client_id')
    .limit(search.limit + 1)
    .execute();
  return rows.map((row) => row.client_id);
}
