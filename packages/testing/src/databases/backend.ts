import type { TestContext } from 'node:test';
import type { RegistryPlace } from '@countersign/server/local-registry';
import {
  openDatabase,
  type PostgresOptions,
  type SqliteOptions,
} from '../../../server/src/storage/database.ts';
import type { Database } from '../../../server/src/storage/transaction.ts';

export type Context = Pick<TestContext, 'after'>;
type OpenOptions = Omit<SqliteOptions & PostgresOptions, 'file' | 'url'>;

/** A database that a test may open as often as it likes; what is opened here is closed when the test ends. */
export interface TestDatabase {
  /** Opens it once more, as another process would. */
  readonly open: (options?: OpenOptions) => Promise<Database>;
  /** Where the operator's commands find it. */
  readonly place: RegistryPlace;
}

/** A database that storage runs on. */
export interface Backend {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Why tests on it are skipped; false when they are not. */
  readonly skip: string | false;
  /** Makes a database without any table; removed when the test ends. */
  readonly makeEmpty: (context: Context) => Promise<TestDatabase>;
  /** The settings of a service on a database of its own; that of SQLite is in the data folder. */
  readonly settings: (context: Context) => Promise<Readonly<Record<string, string>>>;
  /** Makes a database with the schema of today. */
  readonly make: (context: Context) => Promise<TestDatabase & { readonly database: Database }>;
}

/** PostgreSQL answers late on a machine that runs many tests at once. */
export const patientStatementTimeoutMs = 20_000;

/** Opens a database that has been made. */
export async function opened(
  making: Promise<TestDatabase>,
): Promise<TestDatabase & { readonly database: Database }> {
  const made = await making;
  return { ...made, database: await made.open() };
}

/** Returns a function that opens the database at `place`; when the test ends, what it opened is closed, then `remove` is called. */
export function opener(
  context: Context,
  place: { readonly file: string } | { readonly url: string },
  remove: () => Promise<void> | void,
): TestDatabase['open'] {
  const databases: Database[] = [];
  context.after(async () => {
    for (const database of databases) await database.destroy();
    await remove();
  });
  // Waiting for a lock ends as it does in a service.
  const patience = 'url' in place && {
    statementTimeoutMs: patientStatementTimeoutMs,
    busyTimeoutMs: 2500,
    connectTimeoutMs: 10_000,
  };
  return async (options = {}) => {
    const database = await openDatabase({ ...patience, ...place, ...options });
    databases.push(database);
    return database;
  };
}
