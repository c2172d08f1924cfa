/**
 * A registry of many clients in a process of its own: `node bench/registry-process.ts <data folder> [<small folder>]`.
 *
 * Prints one JSON line of figures. With a second folder, whose registry has a thousand clients, look-ups in both are
 * compared.
 */
import { join } from 'node:path';
import { databaseFileName, openLocalRegistry } from '../packages/server/src/registry/local-registry.ts';
import { openMemoryRegistry } from '../packages/server/src/registry/memory-registry.ts';
import type { Registry } from '../packages/server/src/registry/registry.ts';
import { openDatabase } from '../packages/server/src/storage/database.ts';
import { numberedClientId } from './many-clients.ts';
import { comparePair, type PairResult, quantile } from './paired.ts';

const [dataFolder, smallFolder] = process.argv.slice(2) as [string, string | undefined];
const rssBeforeBytes = process.memoryUsage.rss();
const startedMs = performance.now();
const registry = await open(dataFolder);
const loadMs = performance.now() - startedMs;
globalThis.gc?.();
const rssBytes = process.memoryUsage.rss() - rssBeforeBytes;
const heapBytes = process.memoryUsage().heapUsed;
const { clientCount } = registry.figures();
const lookUps = smallFolder === undefined ? [] : await compareLookUps(await open(smallFolder));
const changesMs = await measureChanges();
console.log(JSON.stringify({ clientCount, loadMs, rssBytes, heapBytes, lookUps, changesMs }));
process.exit(0);

async function open(folder: string): Promise<Registry> {
  return openMemoryRegistry({
    database: await openDatabase({ file: join(folder, databaseFileName) }),
    monotonicNowMs: () => performance.now(),
    wallNowMs: Date.now,
    onError: (error) => console.error(error),
  });
}

/** The same look-ups in the large registry and in the small one. */
async function compareLookUps(small: Registry): Promise<PairResult[]> {
  const smallCount = small.figures().clientCount;
  const compare = (
    name: string,
    largeIds: readonly string[],
    smallIds: readonly string[],
  ): Promise<PairResult> => {
    const over = (ids: readonly string[], find: (id: string) => unknown) => {
      let next = 0;
      return () => find(ids[next++ % ids.length]!);
    };
    const usable = (of: Registry) => (id: string) => of.clientById(id)?.usableKeys[0]?.keyObject;
    return comparePair(
      { name, subject: over(largeIds, usable(registry)), reference: over(smallIds, usable(small)) },
      101,
      5000,
    );
  };
  const ids = (count: number, of: number): string[] =>
    Array.from({ length: count }, () => numberedClientId(Math.floor(Math.random() * of)));
  const callers = ids(1000, clientCount);
  const strangers = Array.from({ length: 100_000 }, (_, number) => `client_stranger_${number}`);
  return [
    await compare('1,000 clients that call', callers, ids(1000, smallCount)),
    await compare('any client at random', ids(100_000, clientCount), ids(100_000, smallCount)),
    await compare('strangers', strangers, strangers),
  ];
}

/** From the commit of another process's change until it counts here, in milliseconds; the poll sees it. */
async function measureChanges(): Promise<{ median: number; slowest: number }> {
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
