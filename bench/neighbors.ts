import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newId } from '@countersign/contract';
import { createSigner, type Signer } from '@countersign/signature/node';
import { type KeyPair, makeKeyPair } from '@countersign/testing/key-pair';
import { requestText } from '@countersign/testing/raw-connection';
import { baseUrl } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import { databaseFileName, openLocalRegistry } from '../packages/server/src/registry/local-registry.ts';
import { insertRequestRecords } from '../packages/server/src/request-log/records/request-inserts.ts';
import { openDatabase } from '../packages/server/src/storage/database.ts';
import { loadAtRate } from './load.ts';
import { quantile, quartilesOf } from './paired.ts';

/**
 * The duration of a customer's requests, alone and next to a hostile customer, of another service on the same machine and
 * of its own. Medians over the rounds.
 */
export interface NeighborsResult {
  readonly perSecond: number;
  readonly sides: Readonly<Record<Side, Latencies>>;
  /** The p99 next to a hostile customer of the same service relative to another p99 of the same round. */
  readonly ratios: Readonly<Record<Exclude<Side, 'beside'>, Ratio>>;
  /** The responses to the hostile customer of the same service, by status. */
  readonly answered: Readonly<Record<string, number>>;
}

/** `elsewhere` measures what the machine's processors cost when programs share them. */
type Side = 'alone' | 'elsewhere' | 'beside';

interface Ratio {
  readonly median: number;
  readonly quartiles: readonly [number, number];
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
  const services: ServiceProcess[] = [];
  const hostiles: ChildProcess[] = [];
  try {
    const dataFolder = join(folder, 'data');
    const [honest, other] = await prepare(dataFolder);
    const otherFolder = join(folder, 'other');
    cpSync(dataFolder, otherFolder, { recursive: true });
    const start = async (servedFolder: string): Promise<{ port: number; hostile: ChildProcess }> => {
      const service = new ServiceProcess(servedFolder);
      services.push(service);
      const port = Number(new URL(await service.listening()).port);
      const task: HostileTask = { port, ...other, atOnce: hostileAtOnce };
      const hostile = fork(program, [JSON.stringify(task)], { execArgv: [] });
      hostiles.push(hostile);
      return { port, hostile };
    };
    const own = await start(dataFolder);
    const another = await start(otherFolder);
    const signer = createSigner({ keyid: honest.clientId, privateKey: honest.privateKey });
    const besideOf = async (hostile: ChildProcess) => {
      await tell(hostile, 'begin');
      const latencies = await measure(own.port, signer);
      return { latencies, answered: await tell(hostile, 'end') };
    };
    const measured: Round[] = [];
    let answered: NeighborsResult['answered'] = {};
    for (let round = 0; round < rounds; round += 1) {
      const alone = await measure(own.port, signer);
      const elsewhere = await besideOf(another.hostile);
      const beside = await besideOf(own.hostile);
      ({ answered } = beside);
      measured.push({ alone, elsewhere: elsewhere.latencies, beside: beside.latencies });
    }
    return { ...summary(measured), answered };
  } finally {
    for (const hostile of hostiles) hostile.disconnect();
    for (const service of services) await service.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Round = Readonly<Record<Side, Latencies>>;

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

function summary(rounds: readonly Round[]): Omit<NeighborsResult, 'answered'> {
  const median = (figure: (round: Round) => number): number => quantile(rounds.map(figure), 0.5);
  const latencies = (side: Side): Latencies => ({
    p50Ms: median((round) => round[side].p50Ms),
    p99Ms: median((round) => round[side].p99Ms),
  });
  const ratioTo = (side: Side): Ratio => {
    const ratios = rounds.map((round) => round.beside.p99Ms / round[side].p99Ms);
    return { median: quantile(ratios, 0.5), quartiles: quartilesOf(ratios) };
  };
  return {
    perSecond,
    sides: { alone: latencies('alone'), elsewhere: latencies('elsewhere'), beside: latencies('beside') },
    ratios: { alone: ratioTo('alone'), elsewhere: ratioTo('elsewhere') },
  };
}
