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
import { LoopShare } from './loop-share.ts';
import { StatementCache } from './statement-cache.ts';
import { asCommitError, asStorageError, StorageError } from './storage-error.ts';
import type { Database } from './transaction.ts';
import { Turns } from './turns.ts';
import { whenFree } from './when-free.ts';

/** An open SQLite database. */
export interface SqliteParts {
  readonly database: DatabaseSync;
  readonly busyTimeoutMs: number;
  /** Syncs commits to disk; undefined if durability is not needed. */
  readonly log: LogSync | undefined;
  /** Closes everything else that belongs to the database. */
  readonly close: () => void;
}

/**
 * Kysely on `node:sqlite`: one connection, used by one query or transaction at a time.
 *
 * A transaction that may write takes the write lock when it begins (`begin immediate`). A lock taken later,
 * between reading and writing, could fail at once if another process has written in between.
 *
 * Transactions that start in the same turn of the event loop are savepoints of one SQLite transaction, a group:
 * one that fails is rolled back alone, and the others are committed together. A commit only hands the log to
 * the system; then one sync (`LogSync`) writes it to disk, possibly for several groups. Until then, nothing is
 * reported: neither that a transaction is committed, nor what a query has read of it.
 */
export function sqliteDialect(parts: SqliteParts): Dialect {
  return {
    createAdapter: () => new SharedConnectionAdapter(parts.log),
    createDriver: () => new SqliteDriver(parts),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/**
 * Resolves when everything committed on a database so far is on disk; undefined if it already is. For data that
 * another connection has read.
 *
 * @throws StorageError `unavailable` if the disk fails
 */
export function whenOnDisk(database: Database): Promise<void> | undefined {
  const { adapter } = database.getExecutor();
  if (!(adapter instanceof SharedConnectionAdapter)) return undefined;
  return adapter.log?.settled()?.catch((error: unknown) => {
    throw unavailable(error);
  });
}

/**
 * Disables Kysely's own mutex: it would wait for a transaction's sync before the next one begins. The driver
 * takes turns itself.
 */
class SharedConnectionAdapter extends SqliteAdapter {
  readonly log: LogSync | undefined;

  constructor(log: LogSync | undefined) {
    super();
    this.log = log;
  }

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
    return connection.begin(settings.accessMode === 'read only');
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
  readonly #turns = new Turns();
  readonly #loopShare = new LoopShare();
  /** The SQLite transaction that contains the transactions of this turn of the event loop. */
  #group: Group | undefined;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
    this.#statements = new StatementCache(parts.database, statementsMax);
  }

  /**
   * Begins a transaction when the connection is free. While this one waits for another process's lock, others
   * may use the connection.
   */
  async begin(isReadOnly: boolean): Promise<void> {
    await this.#runInTurn(() => {
      if (this.#group === undefined && isReadOnly) this.#execute('begin');
      else {
        this.#group ??= this.#beginGroup();
        this.#execute('savepoint one');
      }
    }, true);
  }

  /** Commits, and returns a function that waits until the commit is on disk. */
  async commit(isRead: boolean): Promise<() => Promise<void>> {
    const group = this.#group;
    await this.#run(() => this.#execute(group === undefined ? 'commit' : 'release one'), asCommitError);
    this.#turns.release();
    return () => this.#settle(group, isRead);
  }

  async rollback(): Promise<void> {
    try {
      // After some errors (disk full, disk error) SQLite has already rolled back. Rolling back again would
      // raise an error that hides the first.
      if (!this.#parts.database.isTransaction) return;
      await this.#run(() => {
        if (this.#group === undefined) return this.#execute('rollback');
        this.#execute('rollback to one');
        this.#execute('release one');
      });
    } finally {
      this.#turns.release();
    }
  }

  /** Runs a query of the transaction that has the turn. */
  async queryInTransaction<Row>(query: CompiledQuery): Promise<Queried<Row>> {
    await this.#loopShare.next();
    return this.#run(() => this.#query<Row>(query));
  }

  /** Runs a query outside a transaction. */
  async query<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    let group: Group | undefined;
    const run = (): Queried<Row> => {
      group = this.#group;
      return this.#query<Row>(query);
    };
    // Outside a transaction, a statement that writes also commits.
    const asError = query.query.kind === 'SelectQueryNode' ? asStorageError : asCommitError;
    const { result, isRead } = await this.#runInTurn(run, false, asError);
    await this.#settle(group, isRead);
    return result;
  }

  async close(): Promise<void> {
    const { database, log, close } = this.#parts;
    await this.#group?.committed.catch(() => undefined);
    await log?.settled()?.catch(() => undefined);
    if (database.isOpen) database.close();
    close();
  }

  #beginGroup(): Group {
    this.#execute('begin immediate');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // It is awaited only if the transaction succeeds.
    promise.catch(() => undefined);
    setImmediate(() => void this.#commitGroup());
    return { committed: promise, resolve, reject };
  }

  async #commitGroup(): Promise<void> {
    await this.#turns.take();
    const group = this.#group;
    this.#group = undefined;
    try {
      if (group === undefined) return;
      await this.#run(() => this.#execute('commit'), asCommitError);
      this.#parts.log?.committed();
      group.resolve();
    } catch (error) {
      group?.reject(error);
      if (this.#parts.database.isTransaction) this.#execute('rollback');
    } finally {
      this.#turns.release();
    }
  }

  /** Waits until the data that was written, or that others wrote before it was read, is on disk. */
  async #settle(group: Group | undefined, isRead: boolean): Promise<void> {
    const { log } = this.#parts;
    try {
      if (group !== undefined) await group.committed;
      else if (!isRead) log?.committed();
      await log?.settled();
    } catch (error) {
      if (!isRead) throw error;
      throw unavailable(error);
    }
  }

  /** Runs one SQLite call once no other connection holds the lock that it needs. */
  async #run<Result>(call: () => Promise<Result> | Result, asError = asStorageError): Promise<Result> {
    try {
      return await whenFree(call, this.#parts.busyTimeoutMs);
    } catch (error) {
      const known = asError(error);
      // After some errors SQLite has rolled back the whole group. The other transactions can be retried.
      if (this.#group !== undefined && !this.#parts.database.isTransaction) {
        this.#group.reject(new StorageError('conflict', 'Another transaction has failed: try again.', known));
        this.#group = undefined;
      }
      throw known;
    }
  }

  /**
   * Runs one SQLite call when the connection is free. While the call waits for a lock, others may use the
   * connection.
   */
  #runInTurn<Result>(call: () => Result, keepsTurn: boolean, asError = asStorageError): Promise<Result> {
    return this.#run(async () => {
      await this.#turns.take();
      let isDone = false;
      try {
        if (this.#group === undefined) this.#repair();
        const result = call();
        isDone = true;
        return result;
      } finally {
        if (!isDone || !keepsTurn) this.#turns.release();
      }
    }, asError);
  }

  #execute(text: string): void {
    this.#statements.get(text).statement.run();
  }

  #query<Row>({ sql, parameters }: CompiledQuery): Queried<Row> {
    const { statement, givesRows, isRead } = this.#statements.get(sql);
    const values = parameters as readonly SQLInputValue[];
    if (givesRows) return { result: { rows: statement.all(...values) as Row[] }, isRead };
    const numAffectedRows = BigInt(statement.run(...values).changes);
    return { result: { rows: [], numAffectedRows }, isRead };
  }

  /**
   * Recovers from a failed sync. A second sync may succeed although the disk lacks what the first should have
   * written, so this copies the whole log into the database, which is then synced itself.
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

/** Converts the error of a read. A read changes nothing, so its failure leaves nothing in doubt. */
function unavailable(error: unknown): StorageError {
  return new StorageError('unavailable', (error as Error).message, error);
}

/** Transactions that are committed together. */
interface Group {
  /** Rejects if none of them was committed, or if that is unknown. */
  readonly committed: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Queried<Row> {
  readonly result: QueryResult<Row>;
  /** True if it wrote nothing. */
  readonly isRead: boolean;
}

/** The connection that Kysely sees: one query, or one transaction. */
class SqliteConnection implements DatabaseConnection {
  readonly #shared: SharedConnection;
  #isInTransaction = false;
  #hasWritten = false;

  constructor(shared: SharedConnection) {
    this.#shared = shared;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.#isInTransaction) return this.#shared.query(query);
    const { result, isRead } = await this.#shared.queryInTransaction<Row>(query);
    if (!isRead) this.#hasWritten = true;
    return result;
  }

  async begin(isReadOnly: boolean): Promise<void> {
    await this.#shared.begin(isReadOnly);
    this.#isInTransaction = true;
    this.#hasWritten = false;
  }

  async commit(): Promise<void> {
    const onDisk = await this.#shared.commit(!this.#hasWritten);
    // From here on there is nothing to roll back.
    this.#isInTransaction = false;
    await onDisk();
  }

  async rollback(): Promise<void> {
    if (!this.#isInTransaction) return;
    this.#isInTransaction = false;
    await this.#shared.rollback();
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a stream, and nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows are not streamed: read them in pages.');
  }
}
