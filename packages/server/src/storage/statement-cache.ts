import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** A prepared statement, and whether running it gives rows. */
export interface CachedStatement {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
}

/** Keeps prepared statements by their text, so that a query that runs often is compiled once. */
export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #statementsMax: number;
  readonly #statements = new Map<string, CachedStatement>();

  constructor(database: DatabaseSync, statementsMax: number) {
    this.#database = database;
    this.#statementsMax = statementsMax;
  }

  /** The statement of a text; the one that was not used for longest is dropped when there are too many. */
  get(text: string): CachedStatement {
    let cached = this.#statements.get(text);
    if (cached === undefined) {
      const statement = this.#database.prepare(text);
      cached = { statement, givesRows: statement.columns().length > 0 };
    } else {
      this.#statements.delete(text);
    }
    // A Map keeps the order of insertion: the last used stands last.
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
