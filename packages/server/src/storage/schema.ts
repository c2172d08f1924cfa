import type { ColumnType } from 'kysely';

/*
 * Each folder declares the tables that it stores by adding them to `Schema`. Types are chosen so that SQLite and
 * PostgreSQL run the same statements: ids and names are text, times are whole milliseconds since 1970, booleans are 0
 * or 1.
 */

/** All tables by name. */
export interface Schema {}

/** A value that is set when the row is inserted and never changes. */
export type Fixed<Value> = ColumnType<Value, Value, never>;

/** A value that the database fills in if a row is inserted without it. */
export type Defaulted<Value> = ColumnType<Value, Value | undefined, Value>;

/** Milliseconds since 1970. */
export type TimeMs = number;
