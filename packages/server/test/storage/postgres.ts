import { after } from 'node:test';
import { openDatabase } from '../../src/storage/database.ts';
import { PostgresServer } from './postgres-server.ts';

/** A database of its own on the server that all tests share. */
export interface TestPostgres {
  readonly url: string;
  /** Ends its connections and removes it. */
  remove(): Promise<void>;
}

/** Makes an empty database; `migrated` has the schema of today already. */
export async function makePostgresDatabase(kind: 'empty' | 'migrated'): Promise<TestPostgres> {
  const server = await sharedServer();
  const name = `test_${++databases}`;
  await server.query(kind === 'empty' ? createEmpty(name) : `create database ${name} template migrated`);
  return {
    url: server.url(name),
    remove: async () => {
      await server.query(`drop database if exists ${name} with (force)`);
    },
  };
}

/** The server that all tests of the process share. It is started when it is first asked for. */
export function sharedServer(): Promise<PostgresServer> {
  return (server ??= startShared());
}

let server: Promise<PostgresServer> | undefined;
let databases = 0;

// At the top of a file this is called once, after the last test of the process.
after(async () => {
  await (await server?.catch(() => undefined))?.remove();
});

async function startShared(): Promise<PostgresServer> {
  const started = await PostgresServer.start();
  await started.query(createEmpty('migrated'));
  await (await openDatabase({ url: started.url('migrated') })).destroy();
  return started;
}

/** With an order of texts that is not the one of their bytes, as on most servers. */
function createEmpty(name: string): string {
  return `create database ${name} template template0 encoding UTF8 locale_provider icu icu_locale 'en-US'`;
}
