import { type Kysely, sql } from 'kysely';

/**
 * Records who has proved control of their email address. An earlier password may belong to
 * someone else who was shown the invitation link, which wasn't recorded until now.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('invitations')
    .addColumn('is_mailed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update persons set is_email_verified = 0
    where user_id in (select user_id from person_credentials where provider_id = 'credential')`.execute(
    database,
  );
}
