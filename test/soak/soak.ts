import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner, type Signer } from '@countersign/signature/node';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { freePort } from '@countersign/testing/free-port';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { residentBytes } from '@countersign/testing/resident-memory';
import { apiBaseUrl } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import { type Kind, kinds, type MixParts } from './mix.ts';
import { SoakCaller } from './soak-caller.ts';

export interface SoakOptions {
  readonly seconds: number;
  /** The load, as a share of the service's maximum. */
  readonly share: number;
  readonly onSample?: (sample: SoakSample, report: SoakReport) => void;
}

/** The resources of the service at one moment. */
export interface SoakSample {
  readonly seconds: number;
  readonly rssBytes: number;
  readonly descriptors: number;
}

export interface SoakReport {
  /** Requests per second: the maximum, and the actual load. */
  readonly capacityPerSecond: number;
  perSecond: number;
  /** The number of correct responses of each kind. */
  readonly counts: Record<string, number>;
  readonly unexpected: string[];
  readonly samples: SoakSample[];
  /** With every connection closed: before it began, and after the end. */
  descriptorsAtRest: { readonly before: number; readonly after: number };
}

const signerCount = 8;
/** Each is read before it is changed, and equal reads need their own seconds. */
const changedCount = 16;
const inFlightMax = 48;
const sampleEverySeconds = 5;
const capacitySeconds = 4;

/** Sends a mix of everything at a share of the service's maximum, and watches the resources of its process. */
export async function runSoak({ seconds, share, onSample }: SoakOptions): Promise<SoakReport> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-soak-'));
  const upstream = createUpstream();
  let service: ServiceProcess | undefined;
  let caller: SoakCaller | undefined;
  try {
    const clients = await addClients(dataFolder);
    const apiPort = await freePort();
    service = new ServiceProcess(dataFolder, {
      COUNTERSIGN_UPSTREAM: await listenOn(upstream),
      COUNTERSIGN_API_BASE_URLS: apiBaseUrl,
      COUNTERSIGN_API_PORT: String(apiPort),
      COUNTERSIGN_BODY_BYTES_MAX: '4000000',
      // A few clients of one account make all requests, and may fill half of the guard together.
      COUNTERSIGN_GUARD_ENTRIES_MAX: '4000000',
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0',
      COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
    });
    caller = new SoakCaller(apiPort, Number(new URL(await service.listening()).port));
    const parts: MixParts = { caller, ...clients };
    const { processId } = service;
    const mix = new Mix(parts);
    const capacityPerSecond = await mix.asFastAsItGoes(capacitySeconds);
    caller.close();
    // Not before the first requests: some parts open resources on first use.
    const before = await descriptorsAtRest(processId);
    const report: SoakReport = {
      capacityPerSecond,
      perSecond: capacityPerSecond * share,
      counts: mix.counts,
      unexpected: mix.unexpected,
      samples: [],
      descriptorsAtRest: { before, after: before },
    };
    const startedMs = performance.now();
    const elapsed = (): number => (performance.now() - startedMs) / 1000;
    while (elapsed() < seconds) {
      await mix.atRate(report.perSecond, Math.min(sampleEverySeconds, seconds - elapsed()));
      const sample = { seconds: elapsed(), ...usageOf(processId) };
      report.samples.push(sample);
      onSample?.(sample, report);
    }
    caller.close();
    report.descriptorsAtRest = { before, after: await descriptorsAtRest(processId) };
    return report;
  } finally {
    caller?.close();
    await service?.end('SIGTERM');
    await closeServer(upstream);
    rmSync(dataFolder, { recursive: true });
  }
}

/** Sends requests of all kinds, each as often as its weight says, and compares the responses. */
class Mix {
  readonly counts: Record<string, number> = Object.fromEntries(kinds.map(({ name }) => [name, 0]));
  readonly unexpected: string[] = [];
  readonly #parts: MixParts;
  /** Begins with one of each kind, so that none is missing from a short run on a busy machine. */
  readonly #order = [
    ...kinds,
    ...shuffled(kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind))),
  ];
  #count = 0;

  constructor(parts: MixParts) {
    this.#parts = parts;
  }

  /** Returns the requests a second. */
  async asFastAsItGoes(seconds: number): Promise<number> {
    const startedMs = performance.now();
    const end = startedMs + seconds * 1000;
    const first = this.#count;
    const work = async (): Promise<void> => {
      while (performance.now() < end) await this.#sendNext();
    };
    await Promise.all(Array.from({ length: inFlightMax }, work));
    return ((this.#count - first) * 1000) / (performance.now() - startedMs);
  }

  /** If the service is late, at most this many wait: missed ones are not sent later. */
  async atRate(perSecond: number, seconds: number): Promise<void> {
    const startedMs = performance.now();
    const running = new Set<Promise<void>>();
    let due = 0;
    for (let passed = 0; passed < seconds; passed = (performance.now() - startedMs) / 1000) {
      for (; due < passed * perSecond; due += 1) {
        if (running.size >= inFlightMax) continue;
        const sent = this.#sendNext();
        running.add(sent);
        void sent.finally(() => running.delete(sent));
      }
      await sleep(2);
    }
    await Promise.all(running);
  }

  async #sendNext(): Promise<void> {
    const count = this.#count++;
    const kind = this.#order[count % this.#order.length]!;
    const answer = await outcomeOf(kind, this.#parts, count);
    if (answer === kind.expected) this.counts[kind.name]! += 1;
    else this.unexpected.push(`${kind.name}: ${answer} instead of ${kind.expected}`);
  }
}

async function outcomeOf(kind: Kind, parts: MixParts, count: number): Promise<number | string> {
  try {
    return await kind.send(parts, count);
  } catch (error) {
    return (error as Error).message;
  }
}

/** The same order in each run: the differences between runs come from the service. */
function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  const step = 7919;
  return items.map((_, index) => items[(index * step) % items.length]!);
}

async function addClients(dataFolder: string): Promise<Omit<MixParts, 'caller'>> {
  const registry = await openLocalRegistry({ dataFolder, createIfMissing: true });
  const add = async (name: string, roles: readonly string[]): Promise<Signer> => {
    const { publicKey, privateKey } = makeKeyPair();
    const network = [{ entry: '127.0.0.1' }];
    const { clientId } = await registry.addClient({ name, publicKey, network, roles });
    return createSigner({ keyid: clientId, privateKey });
  };
  try {
    const signers: Signer[] = [];
    while (signers.length < signerCount) signers.push(await add(`Caller ${signers.length}`, ['api-user']));
    const administrator = await add('Administrator', ['administrator']);
    const changed: string[] = [];
    while (changed.length < changedCount) changed.push((await add('Changed', [])).keyid);
    const { privateKey } = makeKeyPair();
    return { signers, administrator, changed, stranger: createSigner({ keyid: 'nobody', privateKey }) };
  } finally {
    await registry.close();
  }
}

/** An API that accepts everything, sends long responses to some requests, and breaks off others. */
function createUpstream(): Server {
  const large = Buffer.alloc(1_000_000, 'x');
  return createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      if (request.url?.startsWith('/cut')) request.socket.destroy();
      else if (request.url?.startsWith('/large')) response.end(large);
      else response.setHeader('Content-Type', 'application/json').end('{"ok":true}');
    });
  });
}

function usageOf(processId: number): { rssBytes: number; descriptors: number } {
  return { rssBytes: residentBytes(processId), descriptors: readdirSync(`/proc/${processId}/fd`).length };
}

/** Returns the number of open descriptors once it is stable, which takes longer than idle connections are kept. */
async function descriptorsAtRest(processId: number): Promise<number> {
  let { descriptors } = usageOf(processId);
  let sinceMs = performance.now();
  while (performance.now() - sinceMs < idleMsMax) {
    await sleep(200);
    const now = usageOf(processId).descriptors;
    if (now !== descriptors) sinceMs = performance.now();
    descriptors = now;
  }
  return descriptors;
}

/** Longer than the gateway keeps an idle connection to an API. */
const idleMsMax = 6000;
