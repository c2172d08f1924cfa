import { type Kysely, PostgresAdapter } from 'kysely';

/**
 * Returns true if a database, or a transaction on it, is PostgreSQL. Use it only for the few statements that
 * SQLite does not need.
 */
export function isPostgres<Tables>(database: Kysely<Tables>): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}
