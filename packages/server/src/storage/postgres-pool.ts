import pg from 'pg';

/** How a pool of connections to PostgreSQL is made. */
export interface PostgresPoolOptions {
  /** `postgresql://user:password@host:port/database`, with TLS as its parameters say (`sslmode`, `sslrootcert`). */
  readonly url: string;
  readonly connectionsMax: number;
  /** Shown by the server beside each connection. */
  readonly applicationName: string;
  /** How long a statement may take before the server ends it; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** How long a statement waits for what another transaction has locked; 0 for no limit. */
  readonly lockTimeoutMs: number;
  /** How long to wait for a connection: for one of the pool to be free, or for a new one to be made. */
  readonly connectTimeoutMs: number;
}

/**
 * A pool of connections. Nothing is connected yet.
 *
 * Each connection writes its commits to the disk before it reports them, and reads what is committed, whatever the
 * server's defaults are. A transaction that stands still, because its process does, is ended after 5 s: it may hold a
 * lock that others wait for.
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
    // oxlint-disable-next-line typescript/no-misused-promises -- it is awaited, which its type does not say
    onConnect: prepareSession,
    idle_in_transaction_session_timeout: 5000,
    lock_timeout: lockTimeoutMs,
    ...(statementTimeoutMs > 0 && {
      statement_timeout: statementTimeoutMs,
      // A server that stands still does not end its statements.
      query_timeout: statementTimeoutMs + 100,
    }),
  });
  // Whoever uses a connection is told by the query that fails. Unheard errors would end the process.
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

/** The driver gives 64 bits as text, because not all of them fit into a number. Ours do: times, versions, amounts. */
function readInt8(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError('The database holds a number that is too large.');
}
