import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from './dialect.ts';
import type { Database } from './transaction.ts';

/**
 * A text that is another one as soon as committed transactions may have been lost: a standby that lagged was promoted
 * (then the timeline is another one), a backup was restored (timeline, server or database). A crash loses none and
 * changes nothing. SQLite has one server for ever, which is this process, so its text is empty.
 *
 * It is an expression, to be a part of the statement that it is about. On a standby it is an error.
 */
export function incarnation(database: Database): RawBuilder<string> {
  return isPostgres(database) ? postgresIncarnation : sql<string>`''`;
}

/** The same, where the database is known to be PostgreSQL. */
// The timeline stands in the names of the log's files. What the control data say of it is late after a promotion.
export const postgresIncarnation: RawBuilder<string> = sql<string>`concat_ws('/',
  (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database()))`;
