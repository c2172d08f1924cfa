import type { RequestEntry, RequestExplanation } from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql } from 'kysely';
import type { Database } from '../../storage/transaction.ts';

/** An explanation of a logged request. */
export interface ExplanationRow {
  readonly requestId: string;
  readonly accountId: string;
  /** JSON of bounded length. */
  readonly explanation: string;
}

export interface ExplanationBounds {
  readonly perAccountMax: number;
  readonly rowsMax: number;
}

/**
 * Inserts explanations of logged requests. Drops explanations of other requests, because they could never be
 * found.
 */
export async function insertExplanations(
  database: Database,
  rows: readonly ExplanationRow[],
  { perAccountMax }: Pick<ExplanationBounds, 'perAccountMax'>,
): Promise<void> {
  for (const { requestId, accountId, explanation } of rows) {
    await database
      .insertInto('request_explanations')
      .columns(['request_id', 'account_id', 'explanation', 'finding_code'])
      .expression((query) =>
        query
          .selectFrom('request_records')
          .select([
            'request_id',
            sql.val(accountId).as('account_id'),
            sql.val(explanation).as('explanation'),
            sql.val(firstFindingOf(explanation)).as('finding_code'),
          ])
          .where('request_id', '=', requestId),
      )
      .onConflict((conflict) => conflict.column('request_id').doNothing())
      .execute();
  }
  for (const accountId of new Set(rows.map((row) => row.accountId)))
    await removeBeyond(database, perAccountMax, accountId);
}

function firstFindingOf(explanation: string): string | null {
  const { findings } = JSON.parse(explanation) as Pick<RequestExplanation, 'findings'>;
  return findings[0]?.code ?? null;
}

/**
 * Reads the code of the first finding in each of an account's rejected requests, by request ID. Requests
 * without a finding are absent.
 */
export async function readFindingCodes(
  database: Database,
  accountId: string,
  fromId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await database
    .selectFrom('request_explanations')
    .select(['request_id', 'finding_code'])
    .where('account_id', '=', accountId)
    .where('request_id', '>=', fromId)
    .execute();
  return new Map(codesOf(rows));
}

/** Adds the codes of findings to requests. Looks up only those that failed, a limited number at a time. */
export async function withFindingCodes(
  database: Database,
  entries: readonly RequestEntry[],
): Promise<RequestEntry[]> {
  const failed = entries.filter(({ outcome }) => outcome !== 'accepted').map(({ requestId }) => requestId);
  const codes = new Map<string, string>();
  for (let start = 0; start < failed.length; start += readAtOnce) {
    if (start > 0) await nextLoopTurn('reports');
    const rows = await database
      .selectFrom('request_explanations')
      .select(['request_id', 'finding_code'])
      .where('request_id', 'in', failed.slice(start, start + readAtOnce))
      .execute();
    for (const [requestId, code] of codesOf(rows)) codes.set(requestId, code);
  }
  return entries.map((entry) => {
    const findingCode = codes.get(entry.requestId);
    return findingCode === undefined ? entry : { ...entry, findingCode };
  });
}

const readAtOnce = 500;

/** Leaves out requests without a finding. */
function codesOf(
  rows: readonly { readonly request_id: string; readonly finding_code: string | null }[],
): readonly (readonly [requestId: string, code: string])[] {
  return rows.flatMap(({ request_id, finding_code }) =>
    finding_code === null ? [] : [[request_id, finding_code] as const],
  );
}

/** Removes the oldest explanations beyond a number. Explanations are also removed with their requests. */
export async function trimExplanations(
  database: Database,
  { rowsMax }: Pick<ExplanationBounds, 'rowsMax'>,
): Promise<void> {
  await removeBeyond(database, rowsMax, undefined);
}

/** Reads a request's explanation; undefined if there is none or the request belongs to another account. */
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
