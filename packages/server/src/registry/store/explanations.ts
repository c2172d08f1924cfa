import { sql } from 'kysely';
import type { Database } from '../../storage/transaction.ts';

/** An explanation of a request of the log. */
export interface ExplanationRow {
  readonly requestId: string;
  readonly accountId: string;
  /** JSON of bounded length. */
  readonly explanation: string;
}

/** How many explanations are kept. */
export interface ExplanationBounds {
  readonly perAccountMax: number;
  readonly rowsMax: number;
}

/** Writes explanations of requests that are in the log; for others there is nobody who could find them. */
export async function insertExplanations(
  database: Database,
  rows: readonly ExplanationRow[],
  { perAccountMax }: Pick<ExplanationBounds, 'perAccountMax'>,
): Promise<void> {
  for (const { requestId, accountId, explanation } of rows) {
    await database
      .insertInto('request_explanations')
      .columns(['request_id', 'account_id', 'explanation'])
      .expression((query) =>
        query
          .selectFrom('request_records')
          .select(['request_id', sql.val(accountId).as('account_id'), sql.val(explanation).as('explanation')])
          .where('request_id', '=', requestId),
      )
      .onConflict((conflict) => conflict.column('request_id').doNothing())
      .execute();
  }
  for (const accountId of new Set(rows.map((row) => row.accountId)))
    await removeBeyond(database, perAccountMax, accountId);
}

/** Removes the oldest explanations beyond a number. Those of requests that leave the log go with them. */
export async function trimExplanations(
  database: Database,
  { rowsMax }: Pick<ExplanationBounds, 'rowsMax'>,
): Promise<void> {
  await removeBeyond(database, rowsMax, undefined);
}

/** The explanation of a request; undefined when there is none, or when the request belongs to another account. */
export async function readExplanation(
  database: Database,
  requestId: string,
  accountId: string | undefined,
): Promise<string | undefined> {
  let query = database
    .selectFrom('request_explanations')
    .select('explanation')
    .where('request_id', '=', requestId);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  return (await query.executeTakeFirst())?.explanation;
}

async function removeBeyond(
  database: Database,
  rowsMax: number,
  accountId: string | undefined,
): Promise<void> {
  let beyond = database.selectFrom('request_explanations').select('request_id');
  if (accountId !== undefined) beyond = beyond.where('account_id', '=', accountId);
  const last = await beyond.orderBy('request_id', 'desc').limit(1).offset(rowsMax).executeTakeFirst();
  if (last === undefined) return;
  let removal = database.deleteFrom('request_explanations').where('request_id', '<=', last.request_id);
  if (accountId !== undefined) removal = removal.where('account_id', '=', accountId);
  await removal.execute();
}
