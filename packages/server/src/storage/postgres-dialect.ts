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
import { asConnectError, asPostgresStorageError, endsConnection } from './postgres-error.ts';

/** Kysely on PostgreSQL: a pool, whose connections are thrown away as soon as they cannot be trusted. */
export function postgresDialect(pool: Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new SameOrderCompiler(),
  };
}

/**
 * Text columns are compared byte by byte, as SQLite does. Otherwise lists, and the cursors of their pages, would follow
 * the language of the server, and indexes would break with its updates.
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
    await connection.executeQuery(CompiledQuery.raw(`start transaction${isolation} ${accessMode ?? ''}`));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    // After a statement that failed, PostgreSQL answers a commit by rolling back.
    if ((await (connection as PostgresConnection).run('commit')) !== 'COMMIT')
      throw new AbortedTransactionError();
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

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { command, rowCount, rows } = await this.#client.query(sql, parameters as unknown[]);
      const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
      return { rows: rows as Row[], ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) };
    } catch (error) {
      throw this.#judge(error);
    }
  }

  /** Runs a command and returns the one that PostgreSQL says it has done. */
  async run(command: string): Promise<string> {
    try {
      return (await this.#client.query(command)).command;
    } catch (error) {
      throw this.#judge(error);
    }
  }

  /** Never throws: what cannot be rolled back is undone with its connection, and the error before it is the one to tell. */
  async rollback(): Promise<void> {
    await this.#client.query('rollback').catch(() => {
      this.#isUseless = true;
    });
  }

  release(): void {
    this.#client.release(this.#isUseless);
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a stream, and nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Rows are not streamed: read them in pages.');
  }

  #judge(error: unknown): unknown {
    if (endsConnection(error)) this.#isUseless = true;
    return asPostgresStorageError(error);
  }
}
