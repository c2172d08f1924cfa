import { type Kysely, PostgresAdapter } from 'kysely';

/** Whether a database, or a transaction on it, is PostgreSQL. For the few statements that SQLite has no need of. */
export function isPostgres<Tables>(database: Kysely<Tables>): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}
