import type { LastUseSubject } from '../tables.ts';
import type { Database } from '../../storage/transaction.ts';

export interface LastUse {
  readonly subject: LastUseSubject;
  readonly subjectId: string;
  readonly usedAtMs: number;
  /** The address that a client called from. */
  readonly sourceAddress?: string | undefined;
}

/** Builds the id of a client's whitelist entry. No clientId contains a space. */
export function networkUseId(clientId: string, entry: string): string {
  return `${clientId} ${entry}`;
}

/**
 * Records last uses, a few hundred at most. Each subject may appear once; an earlier time never replaces a
 * later one.
 *
 * This isn't a registry change, so no node reloads anything.
 */
export async function writeLastUses(database: Database, uses: readonly LastUse[]): Promise<void> {
  if (uses.length === 0) return;
  // All nodes write in the same order, so that simultaneous writes don't deadlock.
  const rows = uses
    .toSorted((one, other) => compare(one.subject, other.subject) || compare(one.subjectId, other.subjectId))
    .map(({ subject, subjectId, usedAtMs, sourceAddress }) => ({
      subject,
      subject_id: subjectId,
      used_at_ms: usedAtMs,
      source_address: sourceAddress ?? null,
    }));
  await database
    .insertInto('last_uses')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['subject', 'subject_id'])
        .doUpdateSet((column) => ({
          used_at_ms: column.ref('excluded.used_at_ms'),
          source_address: column.ref('excluded.source_address'),
        }))
        .whereRef('last_uses.used_at_ms', '<', 'excluded.used_at_ms'),
    )
    .execute();
}

/** Reads last-use times of one kind by id. Ids that were never used are absent. */
export async function readLastUses(
  database: Database,
  subject: LastUseSubject,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const uses = new Map<string, number>();
  for (let start = 0; start < subjectIds.length; start += idsPerQuery) {
    const rows = await database
      .selectFrom('last_uses')
      .select(['subject_id', 'used_at_ms'])
      .where('subject', '=', subject)
      .where('subject_id', 'in', subjectIds.slice(start, start + idsPerQuery))
      .execute();
    for (const row of rows) uses.set(row.subject_id, row.used_at_ms);
  }
  return uses;
}

/** A client's last request. */
export interface ClientUse {
  readonly usedAtMs: number;
  /** Undefined if unknown. */
  readonly sourceAddress: string | undefined;
}

/** Reads the last requests of clients by id, a few hundred at most. Clients without requests are absent. */
export async function readClientUses(
  database: Database,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, ClientUse>> {
  if (clientIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('last_uses')
    .select(['subject_id', 'used_at_ms', 'source_address'])
    .where('subject', '=', 'client')
    .where('subject_id', 'in', clientIds)
    .execute();
  return new Map(
    rows.map((row) => [
      row.subject_id,
      { usedAtMs: row.used_at_ms, sourceAddress: row.source_address ?? undefined },
    ]),
  );
}

const idsPerQuery = 500;

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
