import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';

/** The first mistake in an explanation, so that failures can be grouped by it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('request_explanations').addColumn('finding_code', 'text').execute();
  const code = isPostgres(database)
    ? sql`explanation::json -> 'findings' -> 0 ->> 'code'`
    : sql`json_extract(explanation, '$.findings[0].code')`;
  await sql`update request_explanations set finding_code = ${code}`.execute(database);
}
