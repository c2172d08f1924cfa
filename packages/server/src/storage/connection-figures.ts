import type { Pool } from 'pg';
import type { Database } from './transaction.ts';

/** How busy the connections of a database are. */
export interface ConnectionFigures {
  readonly open: number;
  /** Of the open ones, those that nobody uses. */
  readonly idle: number;
  /** How many wait for one. */
  readonly waiting: number;
}

const pools = new WeakMap<Database, Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>>();

/** Notes the pool that a database is on. */
export function rememberPool(database: Database, pool: Pool): void {
  pools.set(database, pool);
}

/** The figures of a database now; undefined where it has no pool, as in a file. */
export function connectionFigures(database: Database): ConnectionFigures | undefined {
  const pool = pools.get(database);
  return pool && { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
}
