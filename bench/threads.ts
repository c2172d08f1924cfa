import { type ChildServer, startChild } from './child.ts';
import { inTurn } from './in-turn.ts';
import { load, loadAtRate } from './load.ts';
import { quantile, quartilesOf } from './paired.ts';
import { processorTimes } from './processor-times.ts';
import { SignedRequests } from './signed-requests.ts';

/** The gateway with one thread and with two. All figures are medians over the rounds. */
export interface ThreadsResult {
  readonly one: ThreadsFigures;
  readonly two: ThreadsFigures;
  /** The rate of two divided by that of one. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  /** The number of cores that the sender, the API and other programs left for the gateway with two threads. */
  readonly freeCores: number;
  /** The ratio divided by the free cores. */
  readonly share: number;
  readonly shareQuartiles: readonly [number, number];
  readonly moderatePerSecond: number;
}

/** One of the two. */
export interface ThreadsFigures {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  /** The maximum number of cores that the gateway used. */
  readonly cores: number;
  /** At the moderate rate. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const clientCount = 16;
/** The system distributes connections at random: with many, each thread gets about half. */
const connections = 96;
const slowSeconds = 3;
/** A rate that one thread can easily handle. */
const moderatePerSecond = 1500;

/** Loads both in turn, at full speed and at a moderate rate, in short rounds. */
export async function benchThreads(rounds: number, perRound: number): Promise<ThreadsResult> {
  const requests = new SignedRequests(clientCount);
  const api = await startChild('gateway-server.ts', ['api']);
  const gateways: ChildServer[] = [];
  try {
    for (const threads of ['1', '2']) {
      const args = ['gateway', `http://127.0.0.1:${api.port}`, threads];
      gateways.push(await startChild('gateway-server.ts', args, requests.environment));
    }
    const results = await inTurn(gateways, rounds, () => (gateway) => measure(gateway, requests, perRound));
    return summary(results.map(([one, two]) => [one!, two!]));
  } finally {
    for (const gateway of gateways) await gateway.stop();
    await api.stop();
  }
}

interface Round extends ThreadsFigures {
  /** The time that the gateway used, and the idle time. */
  readonly freeCores: number;
}

async function measure(gateway: ChildServer, requests: SignedRequests, count: number): Promise<Round> {
  // Signed before the clock starts, so that the load costs the sender next to nothing.
  const fast = requests.next(count);
  const used = await gateway.usage();
  const times = processorTimes();
  const perSecond = await load(gateway.port, fast, connections, 200);
  const idleMs = processorTimes().idle - times.idle;
  const cpuMs = (await gateway.usage()).cpuMs - used.cpuMs;
  const milliseconds = await loadAtRate(
    gateway.port,
    requests.next(moderatePerSecond * slowSeconds),
    moderatePerSecond,
    200,
  );
  const elapsedMs = (count / perSecond) * 1000;
  return {
    perSecond,
    cpuMicroseconds: (cpuMs * 1000) / count,
    cores: cpuMs / elapsedMs,
    freeCores: (cpuMs + idleMs) / elapsedMs,
    p50Ms: quantile(milliseconds, 0.5),
    p99Ms: quantile(milliseconds, 0.99),
  };
}

function summary(rounds: readonly (readonly [Round, Round])[]): ThreadsResult {
  const figures = (index: 0 | 1): ThreadsFigures => {
    const median = (of: keyof ThreadsFigures): number =>
      quantile(
        rounds.map((round) => round[index][of]),
        0.5,
      );
    return {
      perSecond: median('perSecond'),
      cpuMicroseconds: median('cpuMicroseconds'),
      cores: median('cores'),
      p50Ms: median('p50Ms'),
      p99Ms: median('p99Ms'),
    };
  };
  const ratios = rounds.map(([one, two]) => two.perSecond / one.perSecond);
  const shares = rounds.map(([, two], index) => ratios[index]! / two.freeCores);
  return {
    one: figures(0),
    two: figures(1),
    ratio: quantile(ratios, 0.5),
    quartiles: quartilesOf(ratios),
    freeCores: quantile(
      rounds.map(([, two]) => two.freeCores),
      0.5,
    ),
    share: quantile(shares, 0.5),
    shareQuartiles: quartilesOf(shares),
    moderatePerSecond,
  };
}
