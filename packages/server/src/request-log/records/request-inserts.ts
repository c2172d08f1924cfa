import { CompiledQuery, type Selectable } from 'kysely';
import { isPostgres } from '../../storage/dialect.ts';
import type { Database } from '../../storage/transaction.ts';
import type { RequestRecordsTable } from '../../registry/request-tables.ts';

/** A row of the request log. */
export type RequestRow = Omit<Selectable<RequestRecordsTable>, 'epoch'>;

/**
 * Inserts rows, a few hundred at most. Existing rows stay unchanged.
 *
 * @param epoch what `joinEpoch` returned in this transaction; null to keep the rows out of streams
 */
export async function insertRequestRecords(
  database: Database,
  rows: readonly RequestRow[],
  epoch: number | null = null,
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.flatMap((row) => [...columns.map((column) => row[column]), epoch]);
  await database.executeQuery(CompiledQuery.raw(insertText(rows.length, isPostgres(database)), values));
}

/** As an object, so that a column cannot be forgotten. */
const columnNames: Readonly<Record<keyof RequestRow, true>> = {
  request_id: true,
  received_at_ms: true,
  account_id: true,
  client_id: true,
  is_proved: true,
  outcome: true,
  is_observed: true,
  reason: true,
  method: true,
  url: true,
  status: true,
  source_address: true,
  key_fingerprint: true,
  clock_difference_seconds: true,
  duration_us: true,
};
const columns = Object.keys(columnNames) as readonly (keyof RequestRow)[];
const written: readonly string[] = [...columns, 'epoch'];

/** The statements by number of rows and dialect. Building one takes longer than inserting its rows. */
const texts = new Map<string, string>();
const textsMax = 200;

function insertText(rowCount: number, hasNumbers: boolean): string {
  const name = `${rowCount} ${hasNumbers}`;
  let text = texts.get(name);
  if (text === undefined) {
    text = newInsertText(rowCount, hasNumbers);
    if (texts.size < textsMax) texts.set(name, text);
  }
  return text;
}

function newInsertText(rowCount: number, hasNumbers: boolean): string {
  const rows = Array.from({ length: rowCount }, (_, row) => {
    const places = written.map((_column, index) =>
      hasNumbers ? `$${row * written.length + index + 1}` : '?',
    );
    return `(${places.join(', ')})`;
  });
  return `insert into request_records (${written.join(', ')}) values ${rows.join(', ')} on conflict (request_id) do nothing`;
}
