import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { databaseFileName, type RegistryPlace } from '../../src/registry/local-registry.ts';
import { openDatabase, type PostgresOptions, type SqliteOptions } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { makePostgresDatabase } from './postgres.ts';
import { postgresSkip } from './postgres-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Context = Pick<TestContext, 'after'>;
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

/** Every database, for suites that must pass on each of them. */
export const backends: readonly Backend[] = [
  {
    name: 'SQLite',
    skip: false,
    makeEmpty: makeFile,
    settings: async () => ({}),
    make: (context) => opened(makeFile(context)),
  },
  {
    name: 'PostgreSQL',
    skip: postgresSkip,
    makeEmpty: (context) => makeOnServer(context, 'empty'),
    settings: async (context) => {
      const { url, remove } = await makePostgresDatabase('migrated');
      context.after(remove);
      return {
        COUNTERSIGN_DATABASE_URL: url,
        COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT_MS: String(patientStatementTimeoutMs),
      };
    },
    make: (context) => opened(makeOnServer(context, 'migrated')),
  },
];

/** PostgreSQL answers late on a machine that runs many tests at once. */
const patientStatementTimeoutMs = 20_000;

/** One of them, for suites that are divided because they take long. */
export function backendNamed(name: Backend['name']): Backend {
  return backends.find((backend) => backend.name === name)!;
}

async function opened(
  making: Promise<TestDatabase>,
): Promise<TestDatabase & { readonly database: Database }> {
  const made = await making;
  return { ...made, database: await made.open() };
}

async function makeFile(context: Context): Promise<TestDatabase> {
  const dataFolder = temporaryFolder(context);
  const file = join(dataFolder, databaseFileName);
  return {
    place: { dataFolder },
    open: opener(context, { file }, () => rmSync(dataFolder, { recursive: true, force: true })),
  };
}

async function makeOnServer(context: Context, kind: 'empty' | 'migrated'): Promise<TestDatabase> {
  const { url, remove } = await makePostgresDatabase(kind);
  return { place: { databaseUrl: url }, open: opener(context, { url }, remove) };
}

function opener(
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
