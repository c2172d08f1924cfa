import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSigner, type Signer } from '@countersign/signature/node';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { freePort } from '@countersign/testing/free-port';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { baseUrl } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import type { StrangerFigures, StrangerTask } from './stranger-process.ts';

export interface StrangersOptions {
  readonly idleCount: number;
  /** The number of ended connections that the strangers reopen per second. */
  readonly reopenedPerSecond: number;
  readonly forgedPerSecond: number;
  /** How long honest requests are measured, once alone and once among strangers. */
  readonly seconds: number;
  readonly honestPerSecond: number;
  readonly processes: number;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Honest requests: half of them over kept connections, half of them each over a new one. */
export interface HonestFigures {
  readonly sentCount: number;
  /** Requests without a 200, by status or by the error's code. */
  readonly failures: Readonly<Record<string, number>>;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** The service's own figures. */
export interface ServiceFigures {
  readonly residentBytes: number;
  readonly openFiles: number;
  readonly connections: number;
  readonly connectionsMax: number;
  readonly turnedAwayCount: number;
}

export interface StrangersReport {
  readonly alone: HonestFigures;
  /** While the strangers arrive, all at once. */
  readonly arriving: HonestFigures;
  /** Once the service has seen them all. */
  readonly among: HonestFigures;
  readonly strangers: StrangerFigures;
  readonly before: ServiceFigures;
  /** When the strangers had arrived, and at the end. */
  readonly middle: ServiceFigures;
  readonly after: ServiceFigures;
}

/** Measures honest requests to a separate service, first alone, then among strangers. */
export async function runStrangers(options: StrangersOptions): Promise<StrangersReport> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-strangers-'));
  const metricsPort = await freePort();
  const service = new ServiceProcess(join(folder, 'data'), {
    COUNTERSIGN_METRICS_PORT: String(metricsPort),
    COUNTERSIGN_LOG_LEVEL: 'info',
    COUNTERSIGN_LOG_FILE: join(folder, 'log.jsonl'),
    COUNTERSIGN_OVERLOAD_FAILURES_PER_MINUTE_MAX: undefined,
    ...options.settings,
  });
  const processes: ChildProcess[] = [];
  try {
    const port = Number(new URL(await service.listening()).port);
    const { signer, signatureBytes } = await addClient(join(folder, 'data'));
    const figures = (): Promise<ServiceFigures> => readFigures(metricsPort);
    const honest = (isOver: () => boolean): Promise<HonestFigures> =>
      measure({ port, signer, perSecond: options.honestPerSecond, isOver });
    await honest(after(Math.min(2, options.seconds)));
    const before = await figures();
    const alone = await honest(after(options.seconds));
    const tasks = tasksOf(options, { port, clientId: signer.keyid, signatureBytes });
    processes.push(...tasks.map((task) => fork(strangerProgram, [JSON.stringify(task)], { execArgv: [] })));
    let areThere = false;
    const [arriving] = await Promise.all([
      honest(() => areThere),
      untilThere(processes, figures, options).finally(() => (areThere = true)),
    ]);
    const middle = await figures();
    const among = await honest(after(options.seconds));
    const strangers = sum(await Promise.all(processes.map(figuresOf)));
    return { alone, arriving, among, strangers, before, middle, after: await figures() };
  } finally {
    await Promise.all(processes.map(end));
    await service.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

const strangerProgram = fileURLToPath(new URL('stranger-process.ts', import.meta.url));

async function addClient(dataFolder: string): Promise<{ signer: Signer; signatureBytes: number }> {
  const { publicKey, privateKey } = makeKeyPair();
  const registry = await openLocalRegistry({ dataFolder });
  const network = [{ entry: '0.0.0.0' }];
  const roles = ['payments-operator'];
  const { clientId } = await registry.addClient({ name: 'Honest', publicKey, network, roles });
  await registry.close();
  const signer = createSigner({ keyid: clientId, privateKey });
  const { headers } = signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` });
  const signatureBytes = Buffer.from(headers.Signature.slice('sig=:'.length, -1), 'base64').length;
  return { signer, signatureBytes };
}

/** Strangers have one address for each 200 idle connections and each 25 forged requests a second. */
function tasksOf(
  { idleCount, reopenedPerSecond, forgedPerSecond, processes }: StrangersOptions,
  target: Pick<StrangerTask, 'port' | 'clientId' | 'signatureBytes'>,
): StrangerTask[] {
  const addressCount = Math.ceil(Math.max(idleCount / 200, forgedPerSecond / 25) / processes);
  return Array.from({ length: processes }, (_, index) => ({
    ...target,
    host: new URL(baseUrl).host,
    localAddresses: Array.from({ length: addressCount }, (__, low) => `127.1.${index}.${low + 1}`),
    idleCount: Math.round(idleCount / processes),
    reopenedPerSecond: reopenedPerSecond / processes,
    forgedPerSecond: forgedPerSecond / processes,
  }));
}

/** Waits until the strangers have opened all their connections, and the service has accepted or rejected them. */
async function untilThere(
  processes: readonly ChildProcess[],
  figures: () => Promise<ServiceFigures>,
  { idleCount }: StrangersOptions,
): Promise<void> {
  for (;;) {
    const { openedCount, sentCount } = sum(await Promise.all(processes.map(figuresOf)));
    const { connections, turnedAwayCount } = await figures();
    if (openedCount >= idleCount && sentCount > 0 && connections + turnedAwayCount >= idleCount) return;
    await sleep(100);
  }
}

function figuresOf(child: ChildProcess): Promise<StrangerFigures> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error('A process of strangers has ended.'));
    if (!child.connected) return fail();
    child.once('exit', fail);
    child.once('message', (figures) => {
      child.off('exit', fail);
      resolve(figures as StrangerFigures);
    });
    child.send('figures');
  });
}

function sum(all: readonly StrangerFigures[]): StrangerFigures {
  const total = (read: (one: StrangerFigures) => number): number =>
    all.reduce((whole, one) => whole + read(one), 0);
  const statuses = new Set(all.flatMap(({ answeredByStatus }) => Object.keys(answeredByStatus)));
  return {
    idleCount: total((one) => one.idleCount),
    openedCount: total((one) => one.openedCount),
    sentCount: total((one) => one.sentCount),
    answeredByStatus: Object.fromEntries(
      [...statuses].map((status) => [status, total((one) => one.answeredByStatus[status] ?? 0)]),
    ),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (!child.connected) return;
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

/** Returns a function that returns true once this many seconds have passed. */
function after(seconds: number): () => boolean {
  const endsMs = performance.now() + seconds * 1000;
  return () => performance.now() >= endsMs;
}

/** The subject of the measurement, and its end. */
interface Measuring {
  readonly port: number;
  readonly signer: Signer;
  readonly perSecond: number;
  readonly isOver: () => boolean;
}

/** Sends honest requests at a steady rate, and waits for all responses. */
async function measure({ port, signer, perSecond, isOver }: Measuring): Promise<HonestFigures> {
  const kept = new Agent({ keepAlive: true, maxSockets: 16 });
  const answers: Promise<{ readonly outcome: string; readonly ms: number }>[] = [];
  for (const startedMs = performance.now(); !isOver(); await sleep(2)) {
    const due = ((performance.now() - startedMs) * perSecond) / 1000;
    while (answers.length < due) answers.push(ask(port, signer, answers.length % 2 === 0 ? kept : undefined));
  }
  const all = await Promise.all(answers);
  kept.destroy();
  const failures: Record<string, number> = {};
  for (const { outcome } of all) if (outcome !== '200') failures[outcome] = (failures[outcome] ?? 0) + 1;
  const sorted = all.map(({ ms }) => ms).toSorted((left, right) => left - right);
  const quantile = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)]!;
  return { sentCount: all.length, failures, medianMs: quantile(0.5), p99Ms: quantile(0.99) };
}

let askedCount = 0;

function ask(
  port: number,
  signer: Signer,
  agent: Agent | undefined,
): Promise<{ readonly outcome: string; readonly ms: number }> {
  // No two are equal.
  const path = `/v1/signature-test?count=${(askedCount += 1)}`;
  const { headers } = signer.sign({ method: 'GET', url: baseUrl + path });
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const done = (outcome: string): void => resolve({ outcome, ms: performance.now() - startedMs });
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        agent: agent ?? false,
        localAddress: `127.2.0.${1 + (askedCount % 20)}`,
        setHost: false,
        headers: { Host: new URL(baseUrl).host, ...headers },
      },
      (incoming) => {
        incoming.resume();
        incoming.on('end', () => done(String(incoming.statusCode)));
        incoming.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    outgoing.end();
  });
}

async function readFigures(metricsPort: number): Promise<ServiceFigures> {
  const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]);
  return {
    residentBytes: figure('process_resident_memory_bytes'),
    openFiles: figure('process_open_fds'),
    connections: figure('countersign_connections'),
    connectionsMax: figure('countersign_connections_max'),
    turnedAwayCount: figure('countersign_connections_turned_away_total'),
  };
}
