import type { Pool } from 'pg';
import type { Database } from './transaction.ts';

/** Usage figures of a database's connections. */
export interface ConnectionFigures {
  readonly open: number;
  /** Open connections that are not in use. */
  readonly idle: number;
  /** Callers waiting for a connection. */
  readonly waiting: number;
}

const pools = new WeakMap<Database, Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>>();

/** Records a database's connection pool. */
export function rememberPool(database: Database, pool: Pool): void {
  pools.set(database, pool);
}

/** Returns a database's current figures; undefined if it has no pool, like a file database. */
export function connectionFigures(database: Database): ConnectionFigures | undefined {
  const pool = pools.get(database);
  return pool && { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
}
