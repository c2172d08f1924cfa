import type { ColumnType } from 'kysely';

/*
 * Each room declares the tables that it stores, by adding them to `Schema`. Types are chosen so that SQLite and PostgreSQL
 * run the same statements: ids and names are text, times are whole milliseconds since 1970, switches are 0 or 1.
 */

/** All tables, by their names. */
export interface Schema {}

/** A value that is set when the row is made, and never again. */
export type Fixed<Value> = ColumnType<Value, Value, never>;

/** A value that the database fills in when a row is made without it. */
export type Defaulted<Value> = ColumnType<Value, Value | undefined, Value>;

/** Milliseconds since 1970. */
export type TimeMs = number;
