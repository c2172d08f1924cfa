import {
  AbortedTransactionError,
  type ColumnDefinitionNode,
  CompiledQuery,
  type DatabaseConnection,
  type DataTypeNode,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { asCommitError, asConnectError, asPostgresStorageError, endsConnection } from './postgres-error.ts';

/** Kysely on PostgreSQL, with a pool that discards connections as soon as they can't be trusted. */
export function postgresDialect(pool: Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new SameOrderCompiler(),
  };
}

/**
 * Compares text columns byte by byte, as SQLite does. Otherwise lists and their page cursors would follow the
 * server's locale, and server updates would break indexes.
 */
class SameOrderCompiler extends PostgresQueryCompiler {
  #isInColumn = false;

  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    this.#isInColumn = true;
    super.visitColumnDefinition(node);
    this.#isInColumn = false;
  }

  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (this.#isInColumn && node.dataType === 'text') this.append(' collate "C"');
  }
}

class PostgresDriver implements Driver {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    try {
      return new PostgresConnection(await this.#pool.connect());
    } catch (error) {
      throw asConnectError(error);
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as PostgresConnection).release();
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel, accessMode } = settings;
    const isolation = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
    const begin = `start transaction${isolation} ${accessMode ?? ''}`;
    await (connection as PostgresConnection).begin(begin);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    // After a failed statement, PostgreSQL responds to a commit by rolling back.
    if (!(await (connection as PostgresConnection).commit())) throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as PostgresConnection).rollback();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  #isUseless = false;
  #isInTransaction = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { command, rowCount, rows } = await this.#client.query(sql, parameters as unknown[]);
      const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
      return { rows: rows as Row[], ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) };
    } catch (error) {
      // Outside a transaction, a statement that writes also commits.
      throw this.#judge(error, !this.#isInTransaction && writing.has(query.kind));
    }
  }

  async begin(command: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(command));
    this.#isInTransaction = true;
  }

  /** Commits; returns false if PostgreSQL rolled back instead. */
  async commit(): Promise<boolean> {
    try {
      const { command } = await this.#client.query('commit');
      this.#isInTransaction = false;
      return command === 'COMMIT';
    } catch (error) {
      throw this.#judge(error, true);
    }
  }

  /**
   * Never throws: if the rollback fails, closing the connection undoes the work, and the earlier error is the one to
   * report.
   */
  async rollback(): Promise<void> {
    await this.#client.query('rollback').catch(() => {
      this.#isUseless = true;
    });
    this.#isInTransaction = false;
  }

  release(): void {
    this.#client.release(this.#isUseless);
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a stream, and nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows are not streamed: read them in pages.');
  }

  #judge(error: unknown, commits: boolean): unknown {
    if (endsConnection(error)) this.#isUseless = true;
    return commits ? asCommitError(error) : asPostgresStorageError(error);
  }
}

const writing: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']);
