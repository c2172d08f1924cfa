import { generateKeyPairSync } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Signer } from '@countersign/signature/node';
import { type LocalRegistry, openLocalRegistry } from '../../packages/server/src/registry/local-registry.ts';
import { RedisServerProcess, redisIsMissing } from '../../packages/server/test/replay/redis.ts';
import { baseUrl, type RunningService, runService } from '../../packages/server/test/running-service.ts';
import { PostgresServer, postgresSkip } from '../../packages/server/test/storage/postgres-server.ts';

/** Where the nodes keep their replay guard. */
export type GuardKind = 'redis' | 'postgres';

/** Every kind of guard that several nodes can share. */
export const guardKinds: readonly GuardKind[] = ['redis', 'postgres'];

/** Why nodes with this guard cannot run on this machine; false when they can. */
export function whyMissing(guard: GuardKind): string | false {
  return postgresSkip === false && guard === 'redis' ? redisIsMissing : postgresSkip;
}

/** A request that was signed and can be sent to any node, any number of times. */
export interface PreparedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The status, and the code of the problem where there is one. */
export interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
  readonly etag: string | undefined;
  readonly text: string;
}

/** Three services on one PostgreSQL database, with a registry to change it from outside. */
export interface Cluster {
  readonly nodes: readonly RunningService[];
  readonly registry: LocalRegistry;
  send(node: RunningService, call: PreparedCall): Promise<Outcome>;
  close(): Promise<void>;
}

/** A key pair for a benchmark or a campaign, both halves as PEM. */
export function makeKeyPair(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** Starts PostgreSQL, Redis when the guard is there, and three nodes. Close it when done. */
export async function startCluster(guard: GuardKind, nodeCount = 3): Promise<Cluster> {
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).toReversed()) await each();
  };
  try {
    const server = await PostgresServer.start();
    closers.push(() => server.remove());
    await server.query('create database nodes');
    const settings: Record<string, string> = {
      COUNTERSIGN_DATABASE_URL: server.url('nodes'),
      COUNTERSIGN_NODES: String(nodeCount),
      // Whatever is refused here is refused on purpose.
      COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
    };
    if (guard === 'redis') {
      const redis = await RedisServerProcess.start();
      closers.push(() => redis.stop());
      settings['COUNTERSIGN_REDIS_URL'] = redis.url;
    }
    const nodes: RunningService[] = [];
    for (let number = 0; number < nodeCount; number++) {
      const node = await runService(settings);
      closers.push(() => node.close());
      nodes.push(node);
    }
    const registry = await openLocalRegistry({ databaseUrl: server.url('nodes') });
    closers.push(() => registry.close());
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    closers.push(() => agent.destroy());
    return { nodes, registry, send: (node, call) => send(agent, node.port, call), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Signs a call, with a body of JSON where one is given. */
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

/** One of them, each as likely as the others. */
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
          resolve({ status, code, etag: incoming.headers.etag, text });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
