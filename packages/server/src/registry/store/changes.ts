import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';

/** What a change is about: one client with everything that belongs to it, or one role. */
export interface RegistryChange {
  readonly version: number;
  readonly subject: 'client' | 'role';
  readonly subjectId: string;
}

/**
 * Notes a change, in the transaction that makes it, and returns the new version of the registry.
 *
 * Writers take the row of the version in turn and keep it to the end of their transaction, so versions become visible
 * in their order, without gaps, on PostgreSQL too. A reader that knows a version can rely on knowing all before it.
 */
export async function recordChange(
  transaction: Transaction<Schema>,
  subject: 'client' | 'role',
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
  return version;
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
