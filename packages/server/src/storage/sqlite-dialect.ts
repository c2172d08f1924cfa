import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { StatementCache } from './statement-cache.ts';
import { asCommitError, asStorageError } from './storage-error.ts';
import { whenFree } from './when-free.ts';

/**
 * Kysely on `node:sqlite`: one connection, which Kysely gives to one query or transaction at a time.
 *
 * A transaction that may write takes the write lock when it begins (`begin immediate`). A lock taken later, between
 * reading and writing, could fail at once if another process has written in between.
 */
export function sqliteDialect(database: DatabaseSync, busyTimeoutMs: number): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(database, busyTimeoutMs),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

const statementsMax = 200;

class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #connection: DatabaseConnection;
  readonly #busyTimeoutMs: number;

  constructor(database: DatabaseSync, busyTimeoutMs: number) {
    this.#database = database;
    this.#connection = new SqliteConnection(database, busyTimeoutMs);
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(_connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await this.#execute(settings.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }

  async commitTransaction(): Promise<void> {
    await this.#execute('commit', asCommitError);
  }

  async rollbackTransaction(): Promise<void> {
    // After some errors (disk full, disk error) SQLite has already rolled back, and rolling back again would raise an
    // error that hides the first.
    if (this.#database.isTransaction) await this.#execute('rollback');
  }

  async destroy(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  async #execute(text: string, asError = asStorageError): Promise<void> {
    try {
      await whenFree(() => this.#database.exec(text), this.#busyTimeoutMs);
    } catch (error) {
      throw asError(error);
    }
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements: StatementCache;
  readonly #busyTimeoutMs: number;

  constructor(database: DatabaseSync, busyTimeoutMs: number) {
    this.#database = database;
    this.#statements = new StatementCache(database, statementsMax);
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    // Outside a transaction, a statement that writes commits.
    const commits = !this.#database.isTransaction && query.query.kind !== 'SelectQueryNode';
    try {
      return await whenFree(() => this.#run<Row>(query), this.#busyTimeoutMs);
    } catch (error) {
      throw commits ? asCommitError(error) : asStorageError(error);
    }
  }

  #run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const { statement, givesRows } = this.#statements.get(sql);
    const values = parameters as readonly SQLInputValue[];
    if (givesRows) return { rows: statement.all(...values) as Row[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a stream, and nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows are not streamed: read them in pages.');
  }
}
