import { sql, type Transaction } from 'kysely';
import { isPostgres } from '../../storage/dialect.ts';
import { incarnation } from '../../storage/incarnation.ts';
import type { Schema } from '../../storage/schema.ts';
import type { RegistrySubject } from '../tables.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';

/** What a change is about: a client with everything that belongs to it, a role, the settings of an account, or its people. */
export interface RegistryChange {
  readonly version: number;
  readonly subject: RegistrySubject;
  readonly subjectId: string;
}

/** Where PostgreSQL tells the nodes of every change, with the new version. */
export const registryChannel = 'countersign_registry';

/**
 * Runs a change of the registry as one transaction, or as a part of the one that it is given. Every change of accounts,
 * clients and roles is made so.
 *
 * Changes of all nodes are made one after the other: on PostgreSQL each takes the row of the version first and keeps it to
 * the end of its transaction, on SQLite a transaction has the whole database. So what a change has looked at stays true
 * until it is committed, and two changes cannot wait for each other.
 */
export async function changeRegistry<Result>(
  database: Database,
  change: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return inTransaction(database, async (transaction) => {
    if (isPostgres(transaction)) {
      await transaction.selectFrom('registry_version').select('version').forUpdate().execute();
    }
    return change(transaction);
  });
}

/**
 * Notes a change, in the transaction that makes it, and returns the new version of the registry.
 *
 * Writers take the row of the version in turn and keep it to the end of their transaction, so versions become visible
 * in their order, without gaps, on PostgreSQL too. A reader that knows a version can rely on knowing all before it.
 */
export async function recordChange(
  transaction: Transaction<Schema>,
  subject: RegistrySubject,
  subjectId: string,
  nowMs: number,
): Promise<number> {
  const { version } = await transaction
    .updateTable('registry_version')
    .set((column) => ({ version: column('version', '+', 1) }))
    .returning('version')
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto('registry_changes')
    .values({ version, subject, subject_id: subjectId, changed_at_ms: nowMs })
    .execute();
  await transaction
    .deleteFrom('registry_changes')
    .where('version', '<=', version - changesKept)
    .execute();
  if (isPostgres(transaction)) {
    await sql`select pg_notify(${registryChannel}, ${String(version)})`.execute(transaction);
  }
  return version;
}

/** Where the registry stands, and in which incarnation of the database: versions of different ones say nothing. */
export async function readState(
  database: Database,
): Promise<{ readonly version: number; readonly incarnation: string }> {
  return database
    .selectFrom('registry_version')
    .select(['version', incarnation(database).as('incarnation')])
    .executeTakeFirstOrThrow();
}

/** The version of the registry: the number of changes that were ever committed. */
export async function readVersion(database: Database): Promise<number> {
  const { version } = await database
    .selectFrom('registry_version')
    .select('version')
    .executeTakeFirstOrThrow();
  return version;
}

/**
 * The changes after one version up to another, in order; undefined when some are no longer kept, or when the registry
 * went back (a restored backup): then everything must be read anew.
 */
export async function readChanges(
  database: Database,
  afterVersion: number,
  toVersion: number,
): Promise<readonly RegistryChange[] | undefined> {
  const count = toVersion - afterVersion;
  if (count < 0 || count > changesKept) return undefined;
  const rows = await database
    .selectFrom('registry_changes')
    .select(['version', 'subject', 'subject_id'])
    .where('version', '>', afterVersion)
    .where('version', '<=', toVersion)
    .orderBy('version')
    .execute();
  if (rows.length !== count) return undefined;
  return rows.map((row) => ({ version: row.version, subject: row.subject, subjectId: row.subject_id }));
}

/** A reader that missed more than these reads everything. */
const changesKept = 10_000;
