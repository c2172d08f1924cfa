import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner, type Signer } from '@countersign/signature/node';
import { freePort } from '@countersign/testing/free-port';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { requestText } from '@countersign/testing/raw-connection';
import { residentBytes } from '@countersign/testing/resident-memory';
import { apiBaseUrl } from '@countersign/testing/running-service';
import { ServiceProcess } from '@countersign/testing/service-process';
import { waitUntil } from '@countersign/testing/wait-until';
import { openLocalRegistry } from '../packages/server/src/registry/local-registry.ts';
import { type ChildServer, startChild } from './child.ts';
import { loadAtRate } from './load.ts';
import { quantile } from './paired.ts';

/**
 * The cost of reloading a large OpenAPI document, for concurrent requests and for the process. Medians over
 * the rounds.
 */
export interface ReloadResult {
  readonly documentBytes: number;
  readonly operations: number;
  readonly perSecond: number;
  readonly alone: Latencies;
  readonly beside: Latencies;
  /** From the change of the file until the service reports that it was read. */
  readonly reloadMs: number;
  readonly rssBytes: { readonly before: number; readonly highest: number; readonly afterwards: number };
}

interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The highest of all rounds. */
  readonly longestMs: number;
}

const documentBytes = 5 * 2 ** 20;
const pathCount = 500;
const perSecond = 200;
const secondsPerRound = 4;

/** Measures a steady load in turn, alone and during a reload of the document. */
export async function benchReload(rounds: number): Promise<ReloadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-reload-'));
  let api: ChildServer | undefined;
  let service: ServiceProcess | undefined;
  try {
    api = await startChild('gateway-server.ts', ['api']);
    const document = join(folder, 'openapi.json');
    writeFileSync(document, largeDocument(0));
    const signer = await addClient(join(folder, 'data'));
    const port = await freePort();
    service = new ServiceProcess(join(folder, 'data'), {
      COUNTERSIGN_API_BASE_URLS: apiBaseUrl,
      COUNTERSIGN_API_PORT: String(port),
      COUNTERSIGN_UPSTREAM: `http://127.0.0.1:${api.port}`,
      COUNTERSIGN_OPENAPI: document,
      COUNTERSIGN_LOG_LEVEL: 'info',
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '1000000',
    });
    await service.listening();
    const running = service;
    const reads = (): number => running.output.split('the configuration was reloaded').length - 1;
    const rss = (): number => residentBytes(running.processId);
    // After compilation, and including the memory that a first reload leaves.
    await measure(port, signer);
    const alone: number[][] = [];
    const beside: number[][] = [];
    const reloadMs: number[] = [];
    const highest: number[] = [];
    const before = rss();
    for (let round = 1; round <= rounds; round += 1) {
      alone.push(await measure(port, signer));
      const startedMs = performance.now();
      const readsBefore = reads();
      writeFileSync(document, largeDocument(round));
      const watched = (async () => {
        while (reloadMs.length < round) {
          highest.push(rss());
          await sleep(20);
        }
      })();
      const read = waitUntil(() => reads() > readsBefore, 'the document is read again').then(() => {
        reloadMs.push(performance.now() - startedMs);
      });
      beside.push(await measure(port, signer));
      await Promise.all([read, watched]);
    }
    await sleep(10_000);
    return {
      documentBytes: largeDocument(0).length,
      operations: pathCount * 2,
      perSecond,
      alone: summary(alone),
      beside: summary(beside),
      reloadMs: quantile(reloadMs, 0.5),
      rssBytes: { before, highest: Math.max(...highest), afterwards: rss() },
    };
  } finally {
    await service?.end();
    await api?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A valid document of the requested length, mostly schemas and descriptions, as in published ones; each
 * version differs.
 */
function largeDocument(version: number): string {
  const operation = (name: string): object => ({
    tags: ['orders'],
    summary: name,
    description: `${name}: ${'what it does, in words. '.repeat(40)}`,
    parameters: [{ name: 'orderId', in: 'path', required: true, schema: { type: 'string' } }],
    responses: { 200: { description: 'Done' }, 404: { description: 'Not there' } },
  });
  const paths: Record<string, object> = {};
  for (let index = 0; index < pathCount; index += 1)
    paths[`/orders${index}/{orderId}`] = {
      get: operation(`Read ${index}`),
      post: operation(`Change ${index}`),
    };
  const schemas: Record<string, object> = {};
  const text = (): string =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Orders', version: String(version) },
      paths,
      components: { schemas },
    });
  const schema = {
    type: 'object',
    required: ['id', 'amount', 'currency'],
    properties: Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `member${index}`,
        { type: 'string', maxLength: 200, description: 'What the member means. '.repeat(4) },
      ]),
    ),
  };
  const schemaBytes = JSON.stringify(schema).length + 16;
  const missing = Math.ceil((documentBytes - text().length) / schemaBytes);
  for (let index = 0; index < missing; index += 1) schemas[`Schema${index}`] = schema;
  return text();
}

async function addClient(dataFolder: string): Promise<Signer> {
  const { publicKey, privateKey } = makeKeyPair();
  const registry = await openLocalRegistry({ dataFolder, createIfMissing: true });
  const { accountId } = await registry.addAccount({ name: 'Reload' });
  const { clientId } = await registry.addClient({
    name: 'Reload',
    accountId,
    publicKey,
    network: ['0.0.0.0'],
    roles: ['api-user'],
  });
  await registry.close();
  return createSigner({ keyid: clientId, privateKey });
}

let measuredCount = 0;

/** Signs beforehand, so that the load costs the sender next to nothing. */
async function measure(port: number, signer: Signer): Promise<number[]> {
  const requests = Array.from({ length: perSecond * secondsPerRound }, () => {
    const target = `/orders${measuredCount % pathCount}/order${(measuredCount += 1)}`;
    const { headers } = signer.sign({ method: 'GET', url: apiBaseUrl + target });
    return Buffer.from(requestText('GET', target, { Host: new URL(apiBaseUrl).host, ...headers }), 'latin1');
  });
  return loadAtRate(port, requests, perSecond, 200);
}

function summary(rounds: readonly (readonly number[])[]): Latencies {
  const median = (share: number): number =>
    quantile(
      rounds.map((milliseconds) => quantile(milliseconds, share)),
      0.5,
    );
  return { p50Ms: median(0.5), p99Ms: median(0.99), longestMs: Math.max(...rounds.flat()) };
}
