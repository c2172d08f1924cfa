import { sql, type Transaction } from 'kysely';
import { isPostgres } from '../../storage/dialect.ts';
import { incarnation } from '../../storage/incarnation.ts';
import type { Schema } from '../../storage/schema.ts';
import type { RegistrySubject } from '../tables.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';

/** A change to a client and everything that belongs to it, a role, an account's settings, or its people. */
export interface RegistryChange {
  readonly version: number;
  readonly subject: RegistrySubject;
  readonly subjectId: string;
}

/** The PostgreSQL channel that notifies nodes of every change, with the new version. */
export const registryChannel = 'countersign_registry';

/**
 * Runs a registry change as one transaction, or as part of the given one. Every change of accounts, clients and
 * roles must use this function.
 *
 * Changes are serialized across all nodes: on PostgreSQL each locks the version row first and keeps it until
 * its transaction ends; on SQLite a transaction locks the whole database. So everything that a change has read
 * stays true until it commits, and two changes cannot deadlock.
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
 * Records a change in the transaction that makes it, and returns the registry's new version.
 *
 * Writers lock the version row in turn and keep it until their transaction ends, so versions become visible in order
 * and without gaps, on PostgreSQL too. A reader that knows a version can rely on knowing all before it.
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

/** Reads the registry's version and the database's incarnation. Versions of different incarnations can't be compared. */
export async function readState(
  database: Database,
): Promise<{ readonly version: number; readonly incarnation: string }> {
  return database
    .selectFrom('registry_version')
    .select(['version', incarnation(database).as('incarnation')])
    .executeTakeFirstOrThrow();
}

/** Reads the registry's version: the number of changes ever committed. */
export async function readVersion(database: Database): Promise<number> {
  const { version } = await database
    .selectFrom('registry_version')
    .select('version')
    .executeTakeFirstOrThrow();
  return version;
}

/**
 * Returns the changes after one version and up to another, in order. Returns undefined if some are no longer
 * kept, or if the registry went back (a restored backup): then everything must be reloaded.
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

/** A reader that missed more changes than this reloads everything. */
const changesKept = 10_000;
