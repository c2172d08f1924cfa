import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Signer } from '@countersign/signature/node';
import { freePort } from '@countersign/testing/free-port';
import { PostgresServer } from '@countersign/testing/postgres-server';
import { baseUrl } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import { openLocalRegistry } from '../../packages/server/src/registry/local-registry.ts';
import { registerPayer } from '../cluster/payer.ts';
import { type Balancer, type BalancerName, startBalancer } from './balancers.ts';

export interface RollingOptions {
  readonly balancers: readonly BalancerName[];
  /** The minimum number of requests through each balancer. */
  readonly requests: number;
  /** The minimum number of nodes to restart, one after the other. */
  readonly restarts: number;
  /** Requests that begin in a second through each balancer. */
  readonly perSecond: number;
  /** Makes balancers wait longer for a node's response to a check than their files say. */
  readonly isPatient?: boolean;
}

export interface RollingResult {
  /** Requests with a 2xx response, by balancer. */
  readonly accepted: ReadonlyMap<BalancerName, number>;
  /** The outcomes of the others, with their counts. */
  readonly failures: ReadonlyMap<string, number>;
  readonly restarts: number;
  /** Restarts that did not end cleanly. */
  readonly unclean: readonly string[];
  /** The slowest response. */
  readonly slowestMs: number;
  /** What the balancers printed. */
  readonly output: string;
}

const nodeCount = 3;
/** How long a rolling restart waits after a node is ready, until balancers have it back. */
const settleMs = 3000;

/**
 * Restarts three nodes in turn, by SIGTERM, with their replay guard in PostgreSQL, while signed requests pass
 * through balancers over TLS: half of them payments, half of them reads.
 */
export async function runRolling(options: RollingOptions): Promise<RollingResult> {
  const closers: (() => unknown)[] = [];
  try {
    const postgres = await PostgresServer.start();
    closers.push(() => postgres.remove());
    await postgres.query('create database nodes');
    const databaseUrl = postgres.url('nodes');
    const makeSigner = await addPayer(databaseUrl);
    const nodes = await Promise.all(Array.from({ length: nodeCount }, () => startNode(databaseUrl)));
    closers.push(() => Promise.all(nodes.map((node) => node.remove())));
    const balancers: Balancer[] = [];
    for (const name of options.balancers) {
      const balancer = await startBalancer(
        name,
        nodes.map(({ port }) => port),
        options.isPatient,
      );
      closers.push(() => balancer.stop());
      balancers.push(balancer);
    }
    await sleep(settleMs);
    return await rollUnderLoad(nodes, balancers, makeSigner, options);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/**
 * Returns a function that creates a signer: one for each balancer, so that their equal reads are not counted
 * together.
 */
async function addPayer(databaseUrl: string): Promise<() => Signer> {
  const registry = await openLocalRegistry({ databaseUrl });
  try {
    return await registerPayer(registry);
  } finally {
    await registry.close();
  }
}

/** A node in its own process, on a port that stays the same. */
interface Node {
  readonly port: number;
  /** Ends it by SIGTERM and restarts it. Returns how it ended. */
  restart(): Promise<string>;
  remove(): Promise<void>;
}

async function startNode(databaseUrl: string): Promise<Node> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-rolling-'));
  const port = await freePort();
  const open = async (): Promise<ServiceProcess> => {
    const started = new ServiceProcess(dataFolder, {
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_DATABASE_URL: databaseUrl,
      COUNTERSIGN_NODES: String(nodeCount),
      COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1',
      // One client makes all requests.
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0',
      // Other tests may be using the machine.
      COUNTERSIGN_GUARD_TIMEOUT_MS: '5000',
      COUNTERSIGN_DATABASE_CONNECT_TIMEOUT_MS: '10000',
      COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT_MS: '20000',
    });
    await started.listening();
    return started;
  };
  let running = await open();
  return {
    port,
    restart: async () => {
      const { code, signal } = await running.end('SIGTERM');
      const { output } = running;
      running = await open();
      return code === 0 ? 'clean' : `exit code ${code}, signal ${signal}: ${output}`;
    },
    remove: async () => {
      await running.end();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

async function rollUnderLoad(
  nodes: readonly Node[],
  balancers: readonly Balancer[],
  makeSigner: () => Signer,
  { requests, restarts, perSecond }: RollingOptions,
): Promise<RollingResult> {
  const endings: string[] = [];
  const loads = balancers.map((balancer) => new Load(balancer, makeSigner(), perSecond));
  const isEnough = (): boolean =>
    endings.length >= restarts && loads.every(({ finished }) => finished >= requests);
  while (!isEnough()) {
    endings.push(await nodes[endings.length % nodes.length]!.restart());
    await sleep(settleMs);
  }
  await Promise.all(loads.map((load) => load.end()));
  const failures = new Map<string, number>();
  for (const { name, failed } of loads)
    for (const [what, count] of failed) failures.set(`${name}: ${what}`, count);
  return {
    accepted: new Map(loads.map(({ name, accepted }) => [name, accepted])),
    failures,
    restarts: endings.length,
    unclean: endings.filter((ending) => ending !== 'clean'),
    slowestMs: Math.max(...loads.map(({ slowestMs }) => slowestMs)),
    output: balancers.map((balancer) => balancer.output()).join('\n'),
  };
}

/** Sends new signed requests through a balancer, at a steady rate, until it is ended. */
class Load {
  readonly name: BalancerName;
  accepted = 0;
  slowestMs = 0;
  readonly failed = new Map<string, number>();
  readonly #port: number;
  readonly #signer: Signer;
  readonly #agent: Agent;
  readonly #timer: NodeJS.Timeout;
  readonly #running = new Set<Promise<void>>();
  #count = 0;

  constructor({ name, port, certificate }: Balancer, signer: Signer, perSecond: number) {
    this.name = name;
    this.#port = port;
    this.#signer = signer;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 64, ca: certificate });
    const startedMs = performance.now();
    this.#timer = setInterval(() => {
      const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond);
      // After the machine was stalled, not all overdue requests are sent at once.
      for (let sent = 0; this.#count < due && sent < 8; sent += 1) this.#begin();
    }, 10);
  }

  get finished(): number {
    return this.#count - this.#running.size;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
    this.#agent.destroy();
  }

  #begin(): void {
    const number = (this.#count += 1);
    const running = this.#sendOne(number).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #sendOne(number: number): Promise<void> {
    const startedMs = performance.now();
    const outcome = await this.#send(number).catch(String);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startedMs);
    if (outcome === undefined) this.accepted += 1;
    else this.failed.set(outcome, (this.failed.get(outcome) ?? 0) + 1);
  }

  /** Sends one request once. Resolves with what is wrong with its response. */
  #send(number: number): Promise<string | undefined> {
    const isPayment = number % 2 === 0;
    const order = { amount: 1250, currency: 'EUR', reference: `${this.name}-${number}` };
    const body = isPayment ? JSON.stringify(order) : undefined;
    const method = isPayment ? 'POST' : 'GET';
    const path = isPayment ? '/v1/payments' : `/v1/payments?limit=${1 + (Math.floor(number / 2) % 100)}`;
    const signed = this.#signer.sign({ method, url: baseUrl + path, ...(body !== undefined && { body }) });
    const { host } = new URL(baseUrl);
    const length = body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port: this.#port,
          servername: host,
          method,
          path,
          headers: { Host: host, ...length, ...signed.headers },
        },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const { statusCode = 0 } = incoming;
            const isAccepted = statusCode >= 200 && statusCode < 300;
            resolve(isAccepted ? undefined : `${statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text}`);
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}
