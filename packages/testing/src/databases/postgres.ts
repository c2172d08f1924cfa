import { after } from 'node:test';
import { openDatabase } from '../../../server/src/storage/database.ts';
import { PostgresServer } from './postgres-server.ts';

/** A database of its own on the server that all tests share. */
export interface TestPostgres {
  readonly url: string;
  /** Ends its connections and removes it. */
  readonly remove: () => Promise<void>;
}

/** Makes an empty database; `migrated` has the schema of today already. */
export async function makePostgresDatabase(kind: 'empty' | 'migrated'): Promise<TestPostgres> {
  const started = await sharedServer();
  if (kind === 'empty') return make(started, createEmpty);
  const made = ready ?? make(started, createMigrated);
  // Made while this test runs, for the next one.
  ready = made.then(() => make(started, createMigrated));
  ready.catch(() => undefined);
  return made;
}

/** The server that all tests of the process share. It is started when it is first asked for. */
export function sharedServer(): Promise<PostgresServer> {
  return (server ??= startShared());
}

let server: Promise<PostgresServer> | undefined;
let ready: Promise<TestPostgres> | undefined;
const removals = new Set<Promise<unknown>>();
let databases = 0;

// At the top of a file this is called once, after the last test of the process.
after(async () => {
  await Promise.allSettled([ready, ...removals]);
  await (await server?.catch(() => undefined))?.remove();
});

function startShared(): Promise<PostgresServer> {
  return PostgresServer.startFilled('postgres-migrated', async (filled) => {
    await filled.query(createEmpty('migrated'));
    await (await openDatabase({ url: filled.url('migrated') })).destroy();
  });
}

async function make(on: PostgresServer, create: (name: string) => string): Promise<TestPostgres> {
  const name = `test_${++databases}`;
  await on.query(create(name));
  const remove = async (): Promise<void> => {
    // Only the end of the tests waits for it.
    const removal = on.query(`drop database if exists ${name} with (force)`).catch(() => undefined);
    removals.add(removal);
    void removal.finally(() => removals.delete(removal));
  };
  return { url: on.url(name), remove };
}

/** With an order of texts that is not the one of their bytes, as on most servers. */
function createEmpty(name: string): string {
  return `create database ${name} template template0 encoding UTF8 locale_provider icu icu_locale 'en-US'`;
}

/** The files of the template are copied as they are: half the work of writing all that they hold to the log. */
function createMigrated(name: string): string {
  return `create database ${name} template migrated strategy file_copy`;
}
