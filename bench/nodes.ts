import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { PostgresServer } from '@countersign/testing/postgres-server';
import { RedisServerProcess } from '@countersign/testing/redis';
import { ServiceProcess } from '@countersign/testing/service-process';
import { openLocalRegistry } from '../packages/server/src/registry/local-registry.ts';
import { inTurn } from './in-turn.ts';
import { load } from './load.ts';
import { quantile, quartilesOf } from './paired.ts';
import { processorTimes } from './processor-times.ts';
import { baseUrl, signedPayment } from './signed-payment.ts';

/** Requests per second of one process and of two, on PostgreSQL and Redis. */
export interface NodesResult {
  readonly onePerSecond: number;
  readonly twoPerSecond: number;
  /** Median over the rounds of two relative to one. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  /** Share of the machine's processor time in use, 0 to 1. */
  readonly oneBusy: number;
  readonly twoBusy: number;
}

const connectionsPerNode = 12;
/** Not an operation, so it gets 404 after every check, including the guard's. */
const path = '/v1/nothing';

/** Loads one of two service processes, then both, in short rounds, with requests signed beforehand. */
export async function benchNodes(rounds: number, perRound: number): Promise<NodesResult> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const postgres = await PostgresServer.start();
  const redis = await RedisServerProcess.start();
  const nodes: ServiceProcess[] = [];
  try {
    await postgres.query('create database nodes');
    const databaseUrl = postgres.url('nodes');
    const { publicKey, privateKey } = makeKeyPair();
    const registry = await openLocalRegistry({ databaseUrl });
    const network = [{ entry: '127.0.0.1' }];
    await registry.addClient({ name: 'Bench', clientId: 'bench', publicKey, network, roles: [] });
    await registry.close();
    const settings = {
      COUNTERSIGN_DATABASE_URL: databaseUrl,
      COUNTERSIGN_REDIS_URL: redis.url,
      COUNTERSIGN_NODES: '2',
      COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl,
      // One client makes all requests; its limit is checked, but never reached.
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '10000000',
      COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '10000000',
    };
    for (let node = 0; node < 2; node++) nodes.push(new ServiceProcess(join(folder, `${node}`), settings));
    const addresses = await Promise.all(nodes.map((node) => node.listening()));
    const ports = addresses.map((address) => Number(new URL(address).port));
    const signer = createSigner({ keyid: 'bench', privateKey });
    return await measure(ports, rounds, (round) =>
      Array.from({ length: perRound }, (_, index) => signedPayment(signer, path, round * perRound + index)),
    );
  } finally {
    await Promise.all(nodes.map((node) => node.end('SIGTERM')));
    await redis.stop();
    await postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  ports: readonly number[],
  rounds: number,
  requestsOf: (round: number) => readonly Buffer[],
): Promise<NodesResult> {
  const results = await inTurn(['one', 'two'] as const, rounds, (round) => {
    const sides = {
      one: { ports: [ports[round % 2]!], requests: requestsOf(2 * round) },
      two: { ports, requests: requestsOf(2 * round + 1) },
    };
    return (side) => loadNodes(sides[side].ports, sides[side].requests);
  });
  const ones = results.map(([one]) => one!);
  const twos = results.map(([, two]) => two!);
  const ratios = twos.map(({ perSecond }, index) => perSecond / ones[index]!.perSecond);
  const median = (values: readonly Measured[], of: keyof Measured): number =>
    quantile(
      values.map((value) => value[of]),
      0.5,
    );
  return {
    onePerSecond: median(ones, 'perSecond'),
    twoPerSecond: median(twos, 'perSecond'),
    ratio: quantile(ratios, 0.5),
    quartiles: quartilesOf(ratios),
    oneBusy: median(ones, 'busy'),
    twoBusy: median(twos, 'busy'),
  };
}

interface Measured {
  readonly perSecond: number;
  readonly busy: number;
}

/** Spreads the requests evenly. */
async function loadNodes(ports: readonly number[], requests: readonly Buffer[]): Promise<Measured> {
  const each = requests.length / ports.length;
  const before = processorTimes();
  const startedMs = performance.now();
  await Promise.all(
    ports.map((port, index) =>
      load(port, requests.slice(index * each, (index + 1) * each), connectionsPerNode, 404),
    ),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const after = processorTimes();
  const busy = 1 - (after.idle - before.idle) / (after.total - before.total);
  return { perSecond: requests.length / seconds, busy };
}
