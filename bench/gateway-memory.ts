import { type ChildServer, startChild } from './child.ts';
import { load, loadAtRate } from './load.ts';
import { quantile } from './paired.ts';
import { SignedRequests } from './signed-requests.ts';

/** The gateway's memory under a steady load. */
export interface MemoryResult {
  readonly perSecond: number;
  readonly capacityPerSecond: number;
  readonly samples: readonly MemorySample[];
  /** The growth over the second half of the time, in MiB per hour. */
  readonly rssSlope: number;
  readonly heapSlope: number;
}

/** The lowest measurement in one part of the time: higher ones include garbage that is not collected yet. */
export interface MemorySample {
  readonly seconds: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

const clientCount = 16;
const loadShare = 0.7;
const partCount = 20;
/** Signing takes far longer than the gateway's work, so each request is sent again and again while equal reads pass. */
const repeats = 40;

/** Loads the gateway for this long with a share of its capacity that leaves room for peaks. */
export async function benchGatewayMemory(seconds: number): Promise<MemoryResult> {
  const requests = new SignedRequests(clientCount);
  const api = await startChild('gateway-server.ts', ['api']);
  const address = `http://127.0.0.1:${api.port}`;
  const gateway = await startChild('gateway-server.ts', ['gateway', address], requests.environment);
  try {
    await load(gateway.port, requests.next(5000), 32, 200);
    const capacityPerSecond = await load(gateway.port, requests.next(5000), 32, 200);
    const perSecond = capacityPerSecond * loadShare;
    const samples: MemorySample[] = [];
    const startedMs = performance.now();
    const elapsed = (): number => (performance.now() - startedMs) / 1000;
    while (elapsed() < seconds) samples.push(await part(gateway, requests, perSecond, seconds, elapsed));
    const second = samples.slice(Math.floor(samples.length / 2));
    return {
      perSecond,
      capacityPerSecond,
      samples,
      rssSlope: slope(second, 'rssBytes'),
      heapSlope: slope(second, 'heapBytes'),
    };
  } finally {
    await gateway.stop();
    await api.stop();
  }
}

/** Sends for one part of the time, and returns the lowest figures of it. */
async function part(
  gateway: ChildServer,
  requests: SignedRequests,
  perSecond: number,
  seconds: number,
  elapsed: () => number,
): Promise<MemorySample> {
  const end = elapsed() + seconds / partCount;
  const usages = [];
  do {
    const begin = elapsed();
    const signed = requests.next(Math.ceil(perSecond / repeats));
    const all = Array.from({ length: repeats }, () => signed).flat();
    // One second for signing and sending together.
    const left = Math.max(0.5, 1 - (elapsed() - begin));
    await loadAtRate(gateway.port, all, all.length / left, 200);
    usages.push(await gateway.usage());
  } while (elapsed() < end);
  return {
    seconds: elapsed(),
    rssBytes: quantile(
      usages.map(({ rssBytes }) => rssBytes),
      0,
    ),
    heapBytes: quantile(
      usages.map(({ heapBytes }) => heapBytes),
      0,
    ),
  };
}

/** The slope of the least-squares line, in MiB per hour. */
function slope(samples: readonly MemorySample[], of: 'rssBytes' | 'heapBytes'): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length;
  const seconds = mean(samples.map((sample) => sample.seconds));
  const bytes = mean(samples.map((sample) => sample[of]));
  const products = samples.map((sample) => (sample.seconds - seconds) * (sample[of] - bytes));
  const squares = samples.map((sample) => (sample.seconds - seconds) ** 2);
  return ((mean(products) / mean(squares)) * 3600) / 2 ** 20;
}
