/**
 * A registry of many clients in a process of its own: `node --expose-gc bench/registry-process.ts <folder> <small folder>`.
 *
 * Prints one JSON line, a `RegistryFiguresOfProcess`. The registry of the small folder has a thousand clients: look-ups in
 * both are compared.
 */
import { join } from 'node:path';
import { databaseFileName, openLocalRegistry } from '../packages/server/src/registry/local-registry.ts';
import { openMemoryRegistry } from '../packages/server/src/registry/memory-registry.ts';
import type { Registry } from '../packages/gate/src/registry.ts';
import { openDatabase } from '../packages/server/src/storage/database.ts';
import { numberedClientId } from './many-clients.ts';
import { comparePair, type PairResult, quantile } from './paired.ts';

/** Times in milliseconds. */
export interface ProcessFigures {
  readonly clientCount: number;
  /** From the start until requests can be served. */
  readonly servingMs: number;
  /** Until every client has been read. */
  readonly warmMs: number;
  /** Reading a client on demand while others are read in the background: median. */
  readonly missMs: number;
  readonly rssBytes: number;
  readonly lookUps: readonly PairResult[];
  /** From a change by another process until it takes effect here. */
  readonly changeMs: { readonly median: number; readonly slowest: number };
}

const [dataFolder, smallFolder] = process.argv.slice(2) as [string, string];
const rssBeforeBytes = process.memoryUsage.rss();
const startedMs = performance.now();
const registry = await open(dataFolder);
const servingMs = performance.now() - startedMs;
const missMs = await measureMisses();
while (registry.figures().unreadCount > 0) await new Promise((resolve) => setTimeout(resolve, 20));
const warmMs = performance.now() - startedMs;
globalThis.gc?.();
const rssBytes = process.memoryUsage.rss() - rssBeforeBytes;
const { clientCount } = registry.figures();
const lookUps = await compareLookUps(await open(smallFolder));
const changeMs = await measureChanges();
const figures: ProcessFigures = { clientCount, servingMs, warmMs, missMs, rssBytes, lookUps, changeMs };
console.log(JSON.stringify(figures));
process.exit(0);

async function open(folder: string): Promise<Registry> {
  return openMemoryRegistry({
    database: await openDatabase({ file: join(folder, databaseFileName) }),
    monotonicNowMs: () => performance.now(),
    wallNowMs: Date.now,
    onError: (error) => console.error(error),
  });
}

async function measureMisses(): Promise<number> {
  const tookMs: number[] = [];
  const { clientCount: count } = registry.figures();
  for (let tries = 0; tries < 500 && tookMs.length < 50; tries++) {
    const clientId = numberedClientId(count - 1 - tries);
    if (!registry.isUnread(clientId)) continue;
    const beganMs = performance.now();
    await registry.read(clientId);
    tookMs.push(performance.now() - beganMs);
  }
  return tookMs.length === 0 ? 0 : quantile(tookMs, 0.5);
}

/** Equal look-ups in the large and in the small registry. */
async function compareLookUps(small: Registry): Promise<PairResult[]> {
  const smallCount = small.figures().clientCount;
  const compare = (
    name: string,
    largeIds: readonly string[],
    smallIds: readonly string[],
  ): Promise<PairResult> => {
    const over = (of: Registry, ids: readonly string[]) => {
      let next = 0;
      return () => of.clientById(ids[next++ % ids.length]!)?.keys[0]?.keyObject;
    };
    const pair = { name, subject: over(registry, largeIds), reference: over(small, smallIds) };
    return comparePair(pair, 201, 5000);
  };
  const ids = (count: number, of: number): string[] =>
    Array.from({ length: count }, () => numberedClientId(Math.floor(Math.random() * of)));
  const callers = Array.from({ length: 1000 }, (_, number) => number);
  const every = Math.floor(clientCount / 1000);
  const strangers = Array.from({ length: 100_000 }, (_, number) => `client_stranger_${number}`);
  return [
    await compare(
      'a thousand clients that call',
      callers.map((number) => numberedClientId(number * every)),
      callers.map((number) => numberedClientId(number % smallCount)),
    ),
    await compare('any client at random', ids(100_000, clientCount), ids(100_000, smallCount)),
    await compare('strangers', strangers, strangers),
  ];
}

async function measureChanges(): Promise<ProcessFigures['changeMs']> {
  const other = await openLocalRegistry({ dataFolder });
  const tookMs: number[] = [];
  for (let trial = 0; trial < 21; trial++) {
    const clientId = numberedClientId(trial);
    await other.disableClient(clientId);
    const doneMs = performance.now();
    while (registry.clientById(clientId)!.status !== 'disabled')
      await new Promise((resolve) => setTimeout(resolve, 1));
    tookMs.push(performance.now() - doneMs);
    await other.enableClient(clientId);
  }
  await other.close();
  return { median: quantile(tookMs, 0.5), slowest: Math.max(...tookMs) };
}
