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
import type { LogSync } from './log-sync.ts';
import { StatementCache } from './statement-cache.ts';
import { asCommitError, asStorageError, StorageError } from './storage-error.ts';
import { Turns } from './turns.ts';
import { whenFree } from './when-free.ts';

/** An open SQLite database. */
export interface SqliteParts {
  readonly database: DatabaseSync;
  readonly busyTimeoutMs: number;
  /** Syncs commits to disk; undefined if nobody relies on them. */
  readonly log: LogSync | undefined;
  /** Closes what else belongs to the database. */
  readonly close: () => void;
}

/**
 * Kysely on `node:sqlite`: one connection, which one query or transaction has at a time.
 *
 * A transaction that may write takes the write lock when it begins (`begin immediate`). A lock taken later, between
 * reading and writing, could fail at once if another process has written in between.
 *
 * A commit only hands the log to the system. The connection is free for the next transaction at once, and all that
 * committed meanwhile share one sync of the log (`LogSync`). Until then nobody is told: neither that it is committed, nor
 * what a query has read of it.
 */
export function sqliteDialect(parts: SqliteParts): Dialect {
  return {
    createAdapter: () => new SharedConnectionAdapter(),
    createDriver: () => new SqliteDriver(parts),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Kysely must not wait for a transaction's sync before it begins the next one, so the driver itself gives turns. */
class SharedConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

const statementsMax = 200;

class SqliteDriver implements Driver {
  readonly #shared: SharedConnection;

  constructor(parts: SqliteParts) {
    this.#shared = new SharedConnection(parts);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#shared);
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction(connection: SqliteConnection, settings: TransactionSettings): Promise<void> {
    return connection.begin(settings.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }

  commitTransaction(connection: SqliteConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: SqliteConnection): Promise<void> {
    return connection.rollback();
  }

  destroy(): Promise<void> {
    return this.#shared.close();
  }
}

/** The connection that all queries and transactions share. */
class SharedConnection {
  readonly #parts: SqliteParts;
  readonly #statements: StatementCache;
  readonly turns = new Turns();

  constructor(parts: SqliteParts) {
    this.#parts = parts;
    this.#statements = new StatementCache(parts.database, statementsMax);
  }

  get isInTransaction(): boolean {
    return this.#parts.database.isTransaction;
  }

  /** Runs one SQLite call once no other connection holds the lock that it needs. */
  async run<Result>(call: () => Promise<Result> | Result, asError = asStorageError): Promise<Result> {
    try {
      return await whenFree(call, this.#parts.busyTimeoutMs);
    } catch (error) {
      throw asError(error);
    }
  }

  /** Runs one SQLite call when nobody else has the connection. Others have it while the call waits for a lock. */
  runInTurn<Result>(call: () => Result, keepsTurn: boolean, asError = asStorageError): Promise<Result> {
    return this.run(async () => {
      await this.turns.take();
      let isDone = false;
      try {
        this.#repair();
        const result = call();
        isDone = true;
        return result;
      } finally {
        if (!isDone || !keepsTurn) this.turns.release();
      }
    }, asError);
  }

  execute(text: string): void {
    this.#parts.database.exec(text);
  }

  query<Row>({ sql, parameters }: CompiledQuery): Queried<Row> {
    const { statement, givesRows, isRead } = this.#statements.get(sql);
    const values = parameters as readonly SQLInputValue[];
    if (givesRows) return { result: { rows: statement.all(...values) as Row[] }, isRead };
    const numAffectedRows = BigInt(statement.run(...values).changes);
    return { result: { rows: [], numAffectedRows }, isRead };
  }

  /** Waits until what was written, or others wrote before it was read, is on the disk. */
  async settle(isRead: boolean): Promise<void> {
    const { log } = this.#parts;
    if (!isRead) log?.committed();
    try {
      await log?.settled();
    } catch (error) {
      if (!isRead) throw error;
      throw new StorageError('unavailable', (error as Error).message, error);
    }
  }

  async close(): Promise<void> {
    const { database, log, close } = this.#parts;
    await log?.settled()?.catch(() => undefined);
    if (database.isOpen) database.close();
    close();
  }

  /**
   * After a sync has failed, a second one may succeed although the disk lacks what the first should have written. So
   * all of the log is copied into the database, which is then synced itself.
   */
  #repair(): void {
    const { database, log } = this.#parts;
    if (log?.isBroken !== true) return;
    const row = database.prepare('pragma wal_checkpoint(truncate)').get();
    if (row?.['busy'] !== 0)
      throw new StorageError(
        'unavailable',
        'The disk has reported an error, and the database is being repaired.',
      );
    log.repaired();
  }
}

interface Queried<Row> {
  readonly result: QueryResult<Row>;
  /** True if it wrote nothing. */
  readonly isRead: boolean;
}

/** What Kysely takes for a connection of its own: one query, or one transaction. */
class SqliteConnection implements DatabaseConnection {
  readonly #shared: SharedConnection;
  #hasTurn = false;
  #hasWritten = false;

  constructor(shared: SharedConnection) {
    this.#shared = shared;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#hasTurn) {
      const { result, isRead } = await this.#shared.run(() => this.#shared.query<Row>(query));
      if (!isRead) this.#hasWritten = true;
      return result;
    }
    // Outside a transaction, a statement that writes commits.
    const asError = query.query.kind === 'SelectQueryNode' ? asStorageError : asCommitError;
    const run = (): Queried<Row> => this.#shared.query<Row>(query);
    const { result, isRead } = await this.#shared.runInTurn(run, false, asError);
    await this.#shared.settle(isRead);
    return result;
  }

  async begin(text: string): Promise<void> {
    await this.#shared.runInTurn(() => this.#shared.execute(text), true);
    this.#hasTurn = true;
    this.#hasWritten = false;
  }

  async commit(): Promise<void> {
    await this.#shared.run(() => this.#shared.execute('commit'), asCommitError);
    this.#endTurn();
    await this.#shared.settle(!this.#hasWritten);
  }

  async rollback(): Promise<void> {
    if (!this.#hasTurn) return;
    try {
      // After some errors (disk full, disk error) SQLite has already rolled back, and rolling back again would raise an
      // error that hides the first.
      if (this.#shared.isInTransaction) await this.#shared.run(() => this.#shared.execute('rollback'));
    } finally {
      this.#endTurn();
    }
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a stream, and nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows are not streamed: read them in pages.');
  }

  #endTurn(): void {
    this.#hasTurn = false;
    this.#shared.turns.release();
  }
}
