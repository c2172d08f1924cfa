import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { readAccount } from './accounts.ts';
import { recordAudited } from './audit.ts';
import { changeFor } from './caller.ts';
import { changeRegistry, readVersion, recordChange } from './changes.ts';
import type { ChangeContext } from './context.ts';
import { forgetFigures } from './stored-figures.ts';

/** The amount of demo data in an account. */
export interface DemoDataRecord {
  readonly clients: number;
  readonly members: number;
  readonly requests: number;
  readonly auditEvents: number;
}

/**
 * Makes a change, and marks the client and the audit events that it adds as demo data. Changes are serialized,
 * so all versions in between belong to this change.
 */
export async function markDemoData(
  database: Database,
  accountId: string,
  change: (transaction: Transaction<Schema>) => Promise<unknown>,
): Promise<void> {
  await changeRegistry(database, async (transaction) => {
    const before = await readVersion(transaction);
    await change(transaction);
    const events = await transaction
      .selectFrom('audit_events')
      .select(['event_id', 'client_id', 'action'])
      .where('version', '>', before)
      .execute();
    const added = events.filter(({ action }) => action === 'client.added');
    await mark(
      transaction,
      accountId,
      'event',
      events.map((row) => row.event_id),
    );
    await mark(
      transaction,
      accountId,
      'client',
      added.flatMap((row) => row.client_id ?? []),
    );
  });
}

/** Marks people who were added to an account, and their audit events, as demo data. */
export async function markDemoPeople(
  database: Database,
  accountId: string,
  userIds: readonly string[],
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const events = await transaction
      .selectFrom('audit_events')
      .select('event_id')
      .where('account_id', '=', accountId)
      .where('actor_kind', '=', 'person')
      .where('actor_id', 'in', userIds)
      .execute();
    await mark(transaction, accountId, 'person', userIds);
    await mark(
      transaction,
      accountId,
      'event',
      events.map((row) => row.event_id),
    );
  });
}

async function mark(
  database: Database,
  accountId: string,
  subject: 'client' | 'person' | 'event',
  subjectIds: readonly string[],
): Promise<void> {
  if (subjectIds.length === 0) return;
  await database
    .insertInto('demo_data')
    .values(subjectIds.map((subjectId) => ({ account_id: accountId, subject, subject_id: subjectId })))
    .execute();
}

/** Returns true if an account has demo data. */
export async function hasDemoData(database: Database, accountId: string): Promise<boolean> {
  const row = await database
    .selectFrom('demo_data')
    .select('subject_id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Lists the accounts that have demo data. */
export async function listDemoAccounts(database: Database): Promise<string[]> {
  const rows = await database.selectFrom('demo_data').select('account_id').distinct().execute();
  return rows.map((row) => row.account_id);
}

/** Counts an account's demo data. */
export async function countDemoData(database: Database, accountId: string): Promise<DemoDataRecord> {
  const clientIds = await marked(database, accountId, 'client');
  const { requests } = await database
    .selectFrom('request_records')
    .select(({ fn }) => fn.countAll<number | string>().as('requests'))
    .where('client_id', 'in', nonEmpty(clientIds))
    .executeTakeFirstOrThrow();
  return {
    clients: clientIds.length,
    members: (await marked(database, accountId, 'person')).length,
    requests: Number(requests),
    auditEvents: (await marked(database, accountId, 'event')).length,
  };
}

/**
 * Removes an account's demo data: its clients with everything that belongs to them, its people, their requests
 * and the generated audit events. Whatever real people and clients did stays, with its audit events. Returns
 * the amount removed.
 *
 * @throws RegistryError `account_unknown`
 */
export async function removeDemoData(
  database: Database,
  accountId: string,
  initialContext: ChangeContext,
): Promise<DemoDataRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    await readAccount(transaction, accountId);
    const found = await countDemoData(transaction, accountId);
    const clientIds = await marked(transaction, accountId, 'client');
    const userIds = await marked(transaction, accountId, 'person');
    const eventIds = await marked(transaction, accountId, 'event');
    if (clientIds.length + userIds.length + eventIds.length === 0) return found;
    await forgetRequests(transaction, accountId, clientIds);
    await removeClients(transaction, clientIds, context.nowMs);
    // This also removes their memberships, sessions and invitations.
    await transaction.deleteFrom('persons').where('user_id', 'in', nonEmpty(userIds)).execute();
    for (const some of inParts(eventIds))
      await transaction.deleteFrom('audit_events').where('event_id', 'in', some).execute();
    await forgetNotices(transaction, accountId, clientIds, eventIds);
    await transaction.deleteFrom('demo_data').where('account_id', '=', accountId).execute();
    await recordAudited(
      transaction,
      {
        subject: 'account',
        subjectId: accountId,
        accountId,
        action: 'demo_data.removed',
        targets: [{ type: 'account', id: accountId }],
        before: { ...found },
      },
      context,
    );
    return found;
  });
}

/** Removes the requests of removed clients, with their counts. */
export async function forgetDemoRequests(
  database: Database,
  accountId: string,
  clientIds: readonly string[],
): Promise<void> {
  await inTransaction(database, (transaction) => forgetRequests(transaction, accountId, clientIds));
}

async function forgetRequests(
  transaction: Transaction<Schema>,
  accountId: string,
  clientIds: readonly string[],
): Promise<void> {
  const ids = nonEmpty(clientIds);
  await transaction
    .deleteFrom('request_explanations')
    .where('request_id', 'in', (query) =>
      query.selectFrom('request_records').select('request_id').where('client_id', 'in', ids),
    )
    .execute();
  await transaction.deleteFrom('request_records').where('client_id', 'in', ids).execute();
  await forgetCounts(transaction, accountId, ids);
  await forgetFigures(transaction, accountId, ids);
}

/** Removes the clients' counts, and subtracts them from the sums over all clients of the account. */
async function forgetCounts(
  transaction: Transaction<Schema>,
  accountId: string,
  clientIds: readonly string[],
): Promise<void> {
  // Subtract exactly the removed counts. A sum read before would miss requests counted in between.
  const removed = await transaction
    .deleteFrom('request_counts')
    .where('account_id', '=', accountId)
    .where('client_id', 'in', clientIds)
    .returning(['span', 'starts_at_ms', 'outcome', 'count', 'observed_count'])
    .execute();
  const sums = new Map<string, (typeof removed)[number]>();
  for (const row of removed) {
    const name = `${row.span} ${row.starts_at_ms} ${row.outcome}`;
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, { ...row });
    else {
      sum.count += row.count;
      sum.observed_count += row.observed_count;
    }
  }
  for (const { span, starts_at_ms: startsAtMs, outcome, count, observed_count: observed } of sums.values()) {
    await transaction
      .updateTable('request_counts')
      .set((row) => ({
        count: row('count', '-', count),
        observed_count: row('observed_count', '-', observed),
      }))
      .where('account_id', '=', accountId)
      .where('client_id', '=', '')
      .where('key_id', '=', '')
      .where('span', '=', span)
      .where('starts_at_ms', '=', startsAtMs)
      .where('outcome', '=', outcome)
      .execute();
  }
  await transaction
    .deleteFrom('request_counts')
    .where('account_id', '=', accountId)
    .where('client_id', '=', '')
    .where('count', '<=', 0)
    .execute();
}

/** Removes the notices of clients and events. The registry knows their table only by name. */
async function forgetNotices(
  transaction: Transaction<Schema>,
  accountId: string,
  clientIds: readonly string[],
  eventIds: readonly string[],
): Promise<void> {
  for (const [column, ids] of [
    ['client_id', clientIds],
    ['event_id', eventIds],
  ] as const) {
    for (const some of inParts(ids))
      await sql`delete from notices where account_id = ${accountId}
        and ${sql.ref(column)} in (${sql.join(some)})`.execute(transaction);
  }
}

/** Removes clients as if they had never existed. Every node notices. */
async function removeClients(
  transaction: Transaction<Schema>,
  clientIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const ids = nonEmpty(clientIds);
  const keys = await transaction
    .selectFrom('client_keys')
    .select('key_id')
    .where('client_id', 'in', ids)
    .execute();
  const used = [...clientIds, ...keys.map((row) => row.key_id)];
  await transaction.deleteFrom('last_uses').where('subject_id', 'in', nonEmpty(used)).execute();
  for (const clientId of clientIds) {
    await transaction
      .deleteFrom('last_uses')
      .where('subject', '=', 'network')
      .where('subject_id', '>=', `${clientId} `)
      .where('subject_id', '<', `${clientId}!`)
      .execute();
  }
  // A table of the sandbox, which the registry knows only by name.
  await sql`delete from payments where client_id in (${sql.join(ids)})`.execute(transaction);
  for (const table of [
    'client_keys',
    'client_directories',
    'network_entries',
    'client_roles',
    'client_tags',
    'clients',
  ] as const)
    await transaction.deleteFrom(table).where('client_id', 'in', ids).execute();
  for (const clientId of clientIds) await recordChange(transaction, 'client', clientId, nowMs);
}

async function marked(
  database: Database,
  accountId: string,
  subject: 'client' | 'person' | 'event',
): Promise<string[]> {
  const rows = await database
    .selectFrom('demo_data')
    .select('subject_id')
    .where('account_id', '=', accountId)
    .where('subject', '=', subject)
    .execute();
  return rows.map((row) => row.subject_id);
}

/** Avoids an empty list, which SQL does not have. No id is empty. */
function nonEmpty(ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [''] : ids;
}

function* inParts(ids: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < ids.length; start += idsPerStatement)
    yield ids.slice(start, start + idsPerStatement);
}

const idsPerStatement = 500;
