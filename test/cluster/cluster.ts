import { Agent, request } from 'node:http';
import type { Signer } from '@countersign/signature/node';
import { PostgresServer, postgresSkip } from '@countersign/testing/postgres-server';
import { RedisServerProcess, redisIsMissing } from '@countersign/testing/redis';
import { baseUrl, type RunningService, runService } from '@countersign/testing/running-service';
import { TcpSwitch } from '@countersign/testing/tcp-switch';
import { type LocalRegistry, openLocalRegistry } from '../../packages/server/src/registry/local-registry.ts';
import { registerPayer } from './payer.ts';

export type GuardKind = 'redis' | 'postgres';

/** The guards that several nodes can share. */
export const guardKinds: readonly GuardKind[] = ['redis', 'postgres'];

/** Returns why nodes with this guard cannot run here, or false if they can. */
export function whyMissing(guard: GuardKind): string | false {
  return postgresSkip === false && guard === 'redis' ? redisIsMissing : postgresSkip;
}

/** A signed request that can be sent to any node, any number of times. */
export interface PreparedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** Returns true if a node was too slow to decide and did nothing. */
export function isUndecided({ code }: Outcome): boolean {
  return code === 'guard_unavailable' || code === 'registry_stale';
}

export const databaseName = 'nodes';

/** Three services on one PostgreSQL database, and a registry that changes it from outside. */
export interface Cluster {
  readonly guard: GuardKind;
  readonly nodes: readonly RunningService[];
  readonly registry: LocalRegistry;
  /** The nodes' server; an outage may replace it. */
  postgres: PostgresServer;
  /** Likewise. Undefined when the guard is in PostgreSQL. */
  redis: RedisServerProcess | undefined;
  /** The connections to each of these servers that a test can cut, one per node, after the registry's own. */
  readonly ways: Readonly<Record<GuardKind, readonly TcpSwitch[]>>;
  send(node: RunningService, call: PreparedCall): Promise<Outcome>;
  close(): Promise<void>;
}

/**
 * Starts PostgreSQL, three nodes, and Redis if the guard uses it. Close it when done.
 *
 * @param settings environment variables for all nodes
 */
export async function startCluster(
  guard: GuardKind,
  settings: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).toReversed()) await each();
  };
  try {
    const postgres = await PostgresServer.start();
    closers.push(() => cluster.postgres.remove());
    await postgres.query(`create database ${databaseName}`);
    const redis = guard === 'redis' ? await RedisServerProcess.start() : undefined;
    closers.push(() => cluster.redis?.stop());
    const open = async (port: number): Promise<TcpSwitch> => {
      const way = await TcpSwitch.open(port);
      closers.push(() => way.close());
      return way;
    };
    const toPostgres = await Promise.all(Array.from({ length: nodeCount + 1 }, () => open(postgres.port)));
    const toRedis = await Promise.all(Array.from({ length: redis ? nodeCount : 0 }, () => open(redis!.port)));
    const databaseUrl = (way: TcpSwitch): string =>
      `postgresql://tests@127.0.0.1:${way.port}/${databaseName}`;
    const registry = await openLocalRegistry({ databaseUrl: databaseUrl(toPostgres[nodeCount]!) });
    closers.push(() => registry.close());
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    closers.push(() => agent.destroy());
    const nodes: RunningService[] = [];
    const cluster: Cluster = {
      guard,
      nodes,
      registry,
      postgres,
      redis,
      ways: { postgres: toPostgres, redis: toRedis },
      send: (node, call) => send(agent, node.port, call),
      close,
    };
    await Promise.all(
      Array.from({ length: nodeCount }, async (_, number) => {
        const redisWay = toRedis[number];
        const node = await runService({
          COUNTERSIGN_DATABASE_URL: databaseUrl(toPostgres[number]!),
          COUNTERSIGN_NODES: String(nodeCount),
          // Any rejection here is intentional.
          COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
          COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0',
          ...(redisWay && { COUNTERSIGN_REDIS_URL: `redis://127.0.0.1:${redisWay.port}` }),
          ...settings,
        });
        closers.push(() => node.close());
        nodes.push(node);
      }),
    );
    return cluster;
  } catch (error) {
    await close();
    throw error;
  }
}

const nodeCount = 3;

/** Adds a client that may make payments, and waits until every node knows it. */
export async function addPayer({ registry, nodes }: Cluster): Promise<Signer> {
  const makeSigner = await registerPayer(registry);
  await Promise.all(nodes.map((node) => node.service.readRegistry()));
  return makeSigner();
}

/** Prepares a payment with a unique reference. */
export function preparePayment(signer: Signer, reference: string): PreparedCall {
  return prepare(signer, 'POST', '/v1/payments', { json: { amount: 1250, currency: 'EUR', reference } });
}

/** Signs a call, with an optional JSON body. */
export function prepare(
  signer: Signer,
  method: string,
  path: string,
  { json, headers = {} }: { json?: unknown; headers?: Readonly<Record<string, string>> } = {},
): PreparedCall {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const signed = signer.sign({ method, url: baseUrl + path, ...(body !== undefined && { body }) });
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return { method, path, body, headers: { ...type, ...headers, ...signed.headers } };
}

/** Picks one at random. */
export function anyOf<Element>(elements: readonly Element[]): Element {
  return elements[Math.floor(Math.random() * elements.length)]!;
}

function send(agent: Agent, port: number, { method, path, headers, body }: PreparedCall): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        setHost: false,
        headers: { Host: new URL(baseUrl).host, ...length, ...headers },
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const status = incoming.statusCode ?? 0;
          const code =
            status < 300 ? undefined : String((JSON.parse(text) as Record<string, unknown>)['code']);
          resolve({ status, code, retryAfter: incoming.headers['retry-after'], text });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
