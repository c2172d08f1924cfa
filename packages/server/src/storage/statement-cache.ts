import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** A prepared statement. */
export interface CachedStatement {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
  /** True if it only reads. False may also mean a read that is hard to recognize. */
  readonly isRead: boolean;
}

/** Caches prepared statements by their text, so that frequent queries are compiled once. */
export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #statementsMax: number;
  readonly #statements = new Map<string, CachedStatement>();

  constructor(database: DatabaseSync, statementsMax: number) {
    this.#database = database;
    this.#statementsMax = statementsMax;
  }

  /** Returns the statement for a text. If there are too many, drops the least recently used one. */
  get(text: string): CachedStatement {
    let cached = this.#statements.get(text);
    if (cached === undefined) {
      const statement = this.#database.prepare(text);
      cached = { statement, givesRows: statement.columns().length > 0, isRead: /^select\s/i.test(text) };
    } else {
      this.#statements.delete(text);
    }
    // A Map keeps insertion order, so the most recently used is last.
    this.#statements.set(text, cached);
    if (this.#statements.size > this.#statementsMax) {
      for (const oldest of this.#statements.keys()) {
        this.#statements.delete(oldest);
        break;
      }
    }
    return cached;
  }
}
