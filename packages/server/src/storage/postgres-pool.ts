import pg from 'pg';

/** Settings for a PostgreSQL connection pool. */
export interface PostgresPoolOptions {
  /** `postgresql://user:password@host:port/database`, with TLS as set by its parameters (`sslmode`, `sslrootcert`). */
  readonly url: string;
  readonly connectionsMax: number;
  /** The name that the server shows for each connection. */
  readonly applicationName: string;
  /** The server cancels a statement after this time; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** A statement waits this long for another transaction's lock; 0 for no limit. */
  readonly lockTimeoutMs: number;
  /** Timeout for getting a free or new connection. */
  readonly connectTimeoutMs: number;
}

/**
 * Opens a connection pool. Does not connect yet.
 *
 * Each connection writes its commits to disk before reporting them, and reads committed data, whatever the
 * server's defaults are. The server ends a transaction that is idle for 5 s because its process hangs, since it
 * may hold a lock that others wait for.
 */
export function openPool(options: PostgresPoolOptions): pg.Pool {
  const { statementTimeoutMs, lockTimeoutMs } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types: { getTypeParser },
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits it, despite its type
    onConnect: prepareSession,
    idle_in_transaction_session_timeout: 5000,
    lock_timeout: lockTimeoutMs,
    ...(statementTimeoutMs > 0 && {
      statement_timeout: statementTimeoutMs,
      // A server that hangs does not cancel its statements.
      query_timeout: statementTimeoutMs + 100,
    }),
  });
  // The failing query reports the error to the connection's user. Unhandled error events would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

const prepare = `
  select set_config('default_transaction_isolation', 'read committed', false),
    case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', false) end`;

async function prepareSession(client: pg.ClientBase): Promise<void> {
  await client.query(prepare);
}

const int8: number = pg.types.builtins.INT8;

function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === int8 && format !== 'binary') return readInt8;
  return pg.types.getTypeParser(oid, format) as (text: string) => unknown;
}

/**
 * Converts 64-bit integers, which the driver returns as text because not all of them fit into a number. Ours
 * do: times, versions, amounts.
 */
function readInt8(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError('The database holds a number that is too large.');
}
