import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from './dialect.ts';
import type { Database } from './transaction.ts';

/**
 * Returns an expression for a text that changes as soon as committed transactions may have been lost: when a
 * standby that lagged was promoted (which changes the timeline), or a backup was restored (which changes the
 * timeline, server or database). A crash loses nothing and changes nothing. SQLite only ever has one server,
 * this process, so its text is empty.
 *
 * Use the expression inside the statement that depends on it. On a standby it fails.
 */
export function incarnation(database: Database): RawBuilder<string> {
  return isPostgres(database) ? postgresIncarnation : sql<string>`''`;
}

/** The same expression, for a database that is known to be PostgreSQL. */
// Takes the timeline from the log's file names, because the control data is late after a promotion.
export const postgresIncarnation: RawBuilder<string> = sql<string>`concat_ws('/',
  (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database()))`;
