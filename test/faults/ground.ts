import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { PostgresServer, postgresSkip } from '@countersign/testing/postgres-server';
import { redisIsMissing, RedisServerProcess } from '@countersign/testing/redis';
import { keyPair } from '@countersign/testing/running-service';
import { callsCannotFail, compileFailingCalls } from './failing-calls.ts';

/** The store in which the service under test keeps its persistent data. */
export const stores = ['files', 'redis', 'postgres'] as const;
export type Store = (typeof stores)[number];

/** The parts that all runs share. */
export interface Ground {
  readonly store: Store;
  /** From `compileFailingCalls`. */
  readonly library: string;
  /** A data folder to copy: with one client, unless that is in a database. */
  readonly template: string;
  readonly clientId: string;
  /** Where runs put their files. */
  readonly folder: string;
  /** Creates the parts of one run besides its data folder. */
  readonly openStore: () => Promise<OpenStore>;
  readonly remove: () => Promise<void>;
}

export interface OpenStore {
  readonly settings: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** The reason why runs with a store are not possible on this machine; false if they are. */
export function storeIsMissing(store: Store): string | false {
  if (callsCannotFail !== false) return callsCannotFail;
  return { files: false, redis: redisIsMissing, postgres: postgresSkip }[store] as string | false;
}

/** Compiles the library and registers the client of all runs. Remove it at the end. */
export async function prepareGround(store: Store): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
  const template = join(folder, 'template');
  mkdirSync(template, { mode: 0o700 });
  const server = store === 'postgres' ? await PostgresServer.start() : undefined;
  await server?.query(`create database template_of_runs`);
  const clientId = await addClient(
    server
      ? { databaseUrl: server.url('template_of_runs') }
      : { dataFolder: template, createIfMissing: true },
  );
  return {
    store,
    folder,
    template,
    clientId,
    library: compileFailingCalls(folder),
    openStore: server ? () => copyDatabase(server) : store === 'redis' ? startRedis : async () => noStore,
    remove: async () => {
      await server?.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const noStore: OpenStore = { settings: {}, close: async () => undefined };

async function addClient(place: Parameters<typeof openLocalRegistry>[0]): Promise<string> {
  const registry = await openLocalRegistry(place);
  try {
    const { clientId } = await registry.addClient({
      name: 'Paying client',
      publicKey: keyPair.publicKey,
      network: [{ entry: '0.0.0.0' }],
      roles: ['payments-operator'],
      allowExplanations: true,
    });
    return clientId;
  } finally {
    await registry.close();
  }
}

let databases = 0;

async function copyDatabase(server: PostgresServer): Promise<OpenStore> {
  const name = `run_${++databases}`;
  await server.query(`create database ${name} template template_of_runs strategy file_copy`);
  return {
    settings: { COUNTERSIGN_DATABASE_URL: server.url(name) },
    close: async () => void (await server.query(`drop database ${name} with (force)`)),
  };
}

async function startRedis(): Promise<OpenStore> {
  const server = await RedisServerProcess.start();
  return { settings: { COUNTERSIGN_REDIS_URL: server.url }, close: () => server.stop() };
}
