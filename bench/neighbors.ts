import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newId } from '@countersign/contract';
import { createSigner, type Signer } from '@countersign/signature/node';
import { databaseFileName, openLocalRegistry } from '../packages/server/src/registry/local-registry.ts';
import { insertRequestRecords } from '../packages/server/src/request-log/records/request-inserts.ts';
import { openDatabase } from '../packages/server/src/storage/database.ts';
import { requestText } from '../packages/server/test/http/raw-connection.ts';
import { type KeyPair, makeKeyPair } from '../packages/server/test/key-pair.ts';
import { baseUrl } from '../packages/server/test/running-service.ts';
import { ServiceProcess } from '../packages/server/test/service-process.ts';
import { loadAtRate } from './load.ts';
import { quantile, quartilesOf } from './paired.ts';

/** The duration of a customer's requests, alone and next to a hostile customer. Medians over the rounds. */
export interface NeighborsResult {
  readonly perSecond: number;
  readonly alone: Latencies;
  readonly beside: Latencies;
  /** The p99 next to the hostile customer relative to the p99 alone, in one round. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  /** The responses to the hostile customer, by status. */
  readonly answered: Readonly<Record<string, number>>;
}

interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface HostileTask {
  readonly port: number;
  readonly clientId: string;
  readonly privateKey: string;
  readonly atOnce: number;
}

const perSecond = 100;
const secondsPerRound = 4;
const hostileAtOnce = 4;
const storedRequests = 50_000;
const storedClients = 500;

/**
 * Measures an honest customer at a steady rate in turn, alone and next to one that sends the most expensive
 * requests.
 */
export async function benchNeighbors(rounds: number): Promise<NeighborsResult> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-neighbors-'));
  let service: ServiceProcess | undefined;
  let hostile: ChildProcess | undefined;
  try {
    const dataFolder = join(folder, 'data');
    const [honest, other] = await prepare(dataFolder);
    service = new ServiceProcess(dataFolder);
    const port = Number(new URL(await service.listening()).port);
    const task: HostileTask = { port, ...other, atOnce: hostileAtOnce };
    hostile = fork(program, [JSON.stringify(task)], { execArgv: [] });
    const signer = createSigner({ keyid: honest.clientId, privateKey: honest.privateKey });
    const measured: { readonly alone: Latencies; readonly beside: Latencies }[] = [];
    let answered: NeighborsResult['answered'] = {};
    for (let round = 0; round < rounds; round += 1) {
      const alone = await measure(port, signer);
      await tell(hostile, 'begin');
      const beside = await measure(port, signer);
      answered = await tell(hostile, 'end');
      measured.push({ alone, beside });
    }
    return { ...summary(measured), answered };
  } finally {
    hostile?.disconnect();
    await service?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = fileURLToPath(new URL('hostile-neighbor.ts', import.meta.url));

async function tell(hostile: ChildProcess, what: 'begin' | 'end'): Promise<NeighborsResult['answered']> {
  const told = once(hostile, 'message') as Promise<[NeighborsResult['answered']]>;
  hostile.send(what);
  const [answered] = await told;
  return answered;
}

interface Customer {
  readonly clientId: string;
  readonly privateKey: string;
}

/** Adds both customers; the second has everything that its requests can search through. */
async function prepare(dataFolder: string): Promise<readonly [Customer, Customer]> {
  const registry = await openLocalRegistry({ dataFolder, createIfMissing: true });
  const add = async (name: string, { publicKey, privateKey }: KeyPair) => {
    const { accountId } = await registry.addAccount({ name });
    const client = { name, accountId, publicKey, network: ['0.0.0.0'], roles: ['administrator'] };
    const { clientId } = await registry.addClient(client);
    return { accountId, clientId, privateKey };
  };
  const honest = await add('Honest', makeKeyPair());
  const other = await add('Other', makeKeyPair());
  for (let index = 0; index < storedClients; index += 1) {
    const network = Array.from({ length: 10 }, (_, entry) => `10.${index >> 8}.${index & 255}.${entry}`);
    await registry.addClient({ name: `Client ${index}`, accountId: other.accountId, network, roles: [] });
  }
  await registry.close();
  const database = await openDatabase({ file: join(dataFolder, databaseFileName) });
  await addRequests(database, other);
  await database.destroy();
  return [honest, other];
}

const rowsAtOnce = 500;

async function addRequests(
  database: Parameters<typeof insertRequestRecords>[0],
  { accountId, clientId }: { readonly accountId: string; readonly clientId: string },
): Promise<void> {
  const startMs = Date.now() - 86_400_000;
  for (let start = 0; start < storedRequests; start += rowsAtOnce) {
    const rows = Array.from({ length: rowsAtOnce }, (_, index) => ({
      request_id: newId('request', startMs + start + index),
      received_at_ms: startMs + start + index,
      account_id: accountId,
      client_id: clientId,
      is_proved: 1 as const,
      outcome: 'accepted',
      is_observed: 0 as const,
      reason: null,
      method: 'GET',
      url: `/v1/orders/${start + index}/${'lines/'.repeat(10)}`,
      status: 200,
      source_address: '203.0.113.7',
      key_fingerprint: null,
      clock_difference_seconds: null,
      duration_us: index,
    }));
    await insertRequestRecords(database, rows);
  }
}

let measuredCount = 0;

/** Signs beforehand, so that the load costs the sender next to nothing. */
async function measure(port: number, signer: Signer): Promise<Latencies> {
  const requests = Array.from({ length: perSecond * secondsPerRound }, () => {
    const target = `/v1/signature-test?count=${(measuredCount += 1)}`;
    const { headers } = signer.sign({ method: 'GET', url: baseUrl + target });
    return Buffer.from(requestText('GET', target, { Host: new URL(baseUrl).host, ...headers }), 'latin1');
  });
  const milliseconds = await loadAtRate(port, requests, perSecond, 200);
  return { p50Ms: quantile(milliseconds, 0.5), p99Ms: quantile(milliseconds, 0.99) };
}

function summary(
  rounds: readonly { readonly alone: Latencies; readonly beside: Latencies }[],
): Omit<NeighborsResult, 'answered'> {
  const figures = (side: 'alone' | 'beside'): Latencies => ({
    p50Ms: quantile(
      rounds.map((round) => round[side].p50Ms),
      0.5,
    ),
    p99Ms: quantile(
      rounds.map((round) => round[side].p99Ms),
      0.5,
    ),
  });
  const ratios = rounds.map(({ alone, beside }) => beside.p99Ms / alone.p99Ms);
  return {
    perSecond,
    alone: figures('alone'),
    beside: figures('beside'),
    ratio: quantile(ratios, 0.5),
    quartiles: quartilesOf(ratios),
  };
}
