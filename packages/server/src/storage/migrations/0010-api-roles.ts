import { type Kysely, sql } from 'kysely';

/** The built-in roles for an API behind the gateway. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const name of ['api-user', 'api-reader']) {
    await sql`insert into roles (role_id, account_id, name, created_at_ms) values (${name}, null, ${name}, 0)`.execute(
      database,
    );
  }
}
