import { clientRolesMax } from '@countersign/contract';
import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { readAccount } from './accounts.ts';
import { difference, type Difference, recordAudited } from './audit.ts';
import { changeFor } from './caller.ts';
import { isArchived } from './client-change.ts';
import { type ClientRecord, readClients } from './client-records.ts';
import { moveClient } from './client-states.ts';
import { updateClient } from './clients.ts';
import type { ChangeContext } from './context.ts';
import { addNetworkEntry, type NetworkInput, readNetwork, removeNetworkEntry } from './networks.ts';
import { roleIdsByName } from './roles.ts';

/** The same change for many clients. */
export type BulkChange =
  | { readonly action: 'enable' | 'disable' }
  | { readonly action: 'add_tags' | 'remove_tags'; readonly tags: readonly string[] }
  | { readonly action: 'add_roles' | 'remove_roles'; readonly roles: readonly string[] }
  | {
      readonly action: 'add_network_entry' | 'remove_network_entry';
      readonly networkEntry: Exclude<NetworkInput, string>;
    };

/** A client to change. */
export interface ChosenClient {
  readonly clientId: string;
  /** Returns true if this is the version that the caller has seen. Default any version. */
  readonly isExpected?: ((version: number) => boolean) | undefined;
}

/** The result for one client. */
export interface BulkResult {
  readonly clientId: string;
  /** The client before and after; undefined if the account has none with this ID. */
  readonly before: ClientRecord | undefined;
  readonly after: ClientRecord | undefined;
  /** Undefined if nothing was changed. */
  readonly difference: Difference | undefined;
  /** The reason why it could not be changed. */
  readonly error: RegistryError | undefined;
}

/**
 * Makes the same change to many clients of one account, in one transaction. Each client is changed as a whole
 * or not at all, with its own audit event; one more event summarizes the change.
 *
 * @throws RegistryError `role_unknown`, `network_invalid`, or an error about the caller; an error about a
 *   single client is in its result
 */
export async function changeClients(
  database: Database,
  accountId: string,
  chosen: readonly ChosenClient[],
  change: BulkChange,
  initialContext: ChangeContext,
): Promise<readonly BulkResult[]> {
  if ('networkEntry' in change) readNetwork([change.networkEntry]);
  return changeFor(database, initialContext, async (transaction, context) => {
    if ('roles' in change)
      await roleIdsByName(transaction, await readAccount(transaction, accountId), change.roles);
    const clientIds = chosen.map(({ clientId }) => clientId);
    const present = (await readClients(transaction, clientIds)).filter(
      (client) => client.accountId === accountId && !isArchived(client, context.nowMs),
    );
    const byId = new Map(present.map((client) => [client.clientId, client]));
    const results = new Map<string, BulkResult>();
    for (const { clientId, isExpected } of callerLast(chosen, context)) {
      const result = await changeOne(transaction, clientId, byId.get(clientId), change, {
        ...context,
        isExpected,
      });
      results.set(clientId, result);
    }
    const inOrder = clientIds.map((clientId) => results.get(clientId)!);
    await recordSummary(transaction, accountId, change, inOrder, context);
    return inOrder;
  });
}

/**
 * Moves the client that makes the change to the end, so that it can change all others before it loses the
 * permission.
 */
function callerLast(chosen: readonly ChosenClient[], { caller }: ChangeContext): readonly ChosenClient[] {
  const isCaller = ({ clientId }: ChosenClient): boolean =>
    caller?.kind === 'client' && caller.clientId === clientId;
  return [...chosen.filter((client) => !isCaller(client)), ...chosen.filter(isCaller)];
}

async function changeOne(
  transaction: Transaction<Schema>,
  clientId: string,
  before: ClientRecord | undefined,
  change: BulkChange,
  context: ChangeContext,
): Promise<BulkResult> {
  if (before === undefined) {
    const error = new RegistryError('client_unknown', 'There is no such client: check the clientId.');
    return { clientId, before, after: undefined, difference: undefined, error };
  }
  await sql`savepoint bulk_change`.execute(transaction);
  try {
    const after = await apply(transaction, before, change, context);
    await sql`release savepoint bulk_change`.execute(transaction);
    return { clientId, before, after, difference: differenceOf(before, after), error: undefined };
  } catch (error) {
    // An error about the caller affects every client.
    if (!(error instanceof RegistryError) || error.code.startsWith('caller_')) throw error;
    await sql`rollback to savepoint bulk_change`.execute(transaction);
    await sql`release savepoint bulk_change`.execute(transaction);
    const isAlreadyDone = alreadyDone.has(error.code);
    return {
      clientId,
      before,
      after: before,
      difference: undefined,
      error: isAlreadyDone ? undefined : error,
    };
  }
}

/** Single changes reject what is already done; in a bulk change, it is not an error. */
const alreadyDone: ReadonlySet<string> = new Set(['network_entry_taken', 'network_entry_unknown']);

function apply(
  transaction: Transaction<Schema>,
  client: ClientRecord,
  change: BulkChange,
  context: ChangeContext,
): Promise<ClientRecord> {
  const { clientId } = client;
  switch (change.action) {
    case 'add_tags':
      return updateClient(transaction, clientId, { tags: [...client.tags, ...change.tags] }, context);
    case 'remove_tags':
      return updateClient(transaction, clientId, { tags: without(client.tags, change.tags) }, context);
    case 'add_roles':
      return updateClient(transaction, clientId, { roles: withRoles(client.roles, change.roles) }, context);
    case 'remove_roles':
      return updateClient(transaction, clientId, { roles: without(client.roles, change.roles) }, context);
    case 'add_network_entry':
      return addNetworkEntry(transaction, clientId, change.networkEntry, context);
    case 'remove_network_entry':
      return removeNetworkEntry(transaction, clientId, change.networkEntry.entry, context);
    case 'enable':
    case 'disable':
    default:
      return moveClient(transaction, clientId, change.action, context);
  }
}

function without(present: readonly string[], removed: readonly string[]): readonly string[] {
  return present.filter((text) => !removed.includes(text));
}

function withRoles(present: readonly string[], added: readonly string[]): readonly string[] {
  const roles = [...new Set([...present, ...added])];
  if (roles.length > clientRolesMax)
    throw new RegistryError('roles_too_many', `A client has at most ${clientRolesMax} roles.`);
  return roles;
}

function differenceOf(before: ClientRecord, after: ClientRecord): Difference | undefined {
  const members = ({ status, tags, roles }: ClientRecord): Readonly<Record<string, unknown>> => ({
    status,
    tags,
    roles,
  });
  const added = newEntry(after, before);
  const removed = newEntry(before, after);
  if (added === undefined && removed === undefined) return difference(members(before), members(after));
  return { before: { networkEntry: removed ?? null }, after: { networkEntry: added ?? null } };
}

/** Returns an entry that the first whitelist has and the second one lacks. */
function newEntry(one: ClientRecord, other: ClientRecord): ClientRecord['network'][number] | undefined {
  const present = new Set(other.network.map(({ entry }) => entry));
  return one.network.find(({ entry }) => !present.has(entry));
}

async function recordSummary(
  transaction: Transaction<Schema>,
  accountId: string,
  change: BulkChange,
  results: readonly BulkResult[],
  context: ChangeContext,
): Promise<void> {
  const changed = results.filter((result) => result.difference !== undefined);
  const [first] = changed;
  if (first === undefined) return;
  const failed = results.filter(({ error }) => error !== undefined).length;
  const after = { ...change, clients: changed.length, failed };
  await recordAudited(
    transaction,
    {
      // Every record needs a part of the registry to reload. Use one of the clients, which is reloaded anyway.
      subject: 'client',
      subjectId: first.clientId,
      accountId,
      action: 'clients.changed',
      targets: [{ type: 'account', id: accountId }],
      after,
    },
    context,
  );
}
