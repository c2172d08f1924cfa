import type { Selectable } from 'kysely';
import type { Database } from '../../storage/transaction.ts';
import type { RequestRecordsTable } from '../../registry/request-tables.ts';

/** A row of the request log. */
export type RequestRow = Selectable<RequestRecordsTable>;

/** Inserts rows, a few hundred at most. Existing rows stay unchanged. */
export async function insertRequestRecords(database: Database, rows: readonly RequestRow[]): Promise<void> {
  if (rows.length === 0) return;
  await database
    .insertInto('request_records')
    .values(rows)
    .onConflict((conflict) => conflict.column('request_id').doNothing())
    .execute();
}
