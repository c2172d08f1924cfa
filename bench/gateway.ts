import { setTimeout as sleep } from 'node:timers/promises';
import { recipes, startProxy } from '@countersign/testing/proxy-process';
import { type ChildServer, startChild } from './child.ts';
import { inTurn } from './in-turn.ts';
import { load, loadAtRate } from './load.ts';
import { quantile, quartilesOf } from './paired.ts';
import { SignedRequests } from './signed-requests.ts';

/** Signed GETs to the same API, in several ways. */
export interface GatewayResult {
  /** The gateway, a bare proxy with the crypto alone, and a bare proxy. */
  readonly direct: readonly SideResult[];
  /** Behind nginx: our authorizer, and one that accepts everything. */
  readonly behindNginx: readonly SideResult[];
}

/** One path, and the first one relative to it. All figures are medians over the rounds. */
export interface SideResult {
  readonly perSecond: number;
  /** Processor time of the measured server, in all its threads, until it has written its last row. */
  readonly cpuMicroseconds: number;
  /** At a moderate rate. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The first one's rate relative to this one's. */
  readonly share: number;
  readonly quartiles: readonly [number, number];
  /** The first one's median latency minus this one's. */
  readonly addedMs: number;
}

/** A path to the API. */
interface Side {
  /** Receives the requests. */
  readonly port: number;
  readonly server: ChildServer;
}

const connections = 32;
const clientCount = 16;
const slowSeconds = 1.5;
/** The service writes its requests once a second. */
const settleMs = 1500;
/** A rate at which every server on a small machine idles most of the time. */
export const moderatePerSecond = 500;

/** Loads each path in turn, at full speed and at a moderate rate, in short rounds. */
export async function benchGateway(rounds: number, perRound: number): Promise<GatewayResult> {
  const requests = new SignedRequests(clientCount);
  const closers: (() => Promise<void>)[] = [];
  const start = async (kind: string): Promise<ChildServer> => {
    const args = [kind, `http://127.0.0.1:${api?.port}`];
    const server = await startChild('gateway-server.ts', args, requests.environment);
    closers.unshift(() => server.stop());
    return server;
  };
  const behindNginx = async (kind: string): Promise<Side> => {
    const server = await start(kind);
    const nginx = await startProxy(recipes.nginx, { 3000: api!.port, 8423: server.port });
    closers.unshift(() => nginx.stop());
    return { port: nginx.port, server };
  };
  const side = async (kind: string): Promise<Side> => {
    const server = await start(kind);
    return { port: server.port, server };
  };
  let api: ChildServer | undefined;
  try {
    api = await start('api');
    const direct = [await side('gateway'), await side('crypto'), await side('bare')];
    const asked = [await behindNginx('authorizer'), await behindNginx('yes')];
    return {
      direct: await compare(direct, requests, rounds, perRound),
      behindNginx: await compare(asked, requests, rounds, perRound),
    };
  } finally {
    for (const close of closers) await close();
  }
}

type Round = Pick<SideResult, 'perSecond' | 'cpuMicroseconds' | 'p50Ms' | 'p99Ms'>;

async function compare(
  sides: readonly Side[],
  requests: SignedRequests,
  rounds: number,
  perRound: number,
): Promise<SideResult[]> {
  const results = await inTurn(sides, rounds, () => {
    // Signed before the clock starts, so that the load costs the sender next to nothing.
    const fast = requests.next(perRound);
    const slow = requests.next(moderatePerSecond * slowSeconds);
    return (side) => measure(side, fast, slow);
  });
  return sides.map((_, index) => summary(results, index));
}

async function measure(
  { port, server }: Side,
  fast: readonly Buffer[],
  slow: readonly Buffer[],
): Promise<Round> {
  const before = await server.usage();
  const perSecond = await load(port, fast, connections, 200);
  await sleep(settleMs);
  const after = await server.usage();
  const milliseconds = await loadAtRate(port, slow, moderatePerSecond, 200);
  return {
    perSecond,
    cpuMicroseconds: ((after.cpuMs - before.cpuMs) * 1000) / fast.length,
    p50Ms: quantile(milliseconds, 0.5),
    p99Ms: quantile(milliseconds, 0.99),
  };
}

function summary(results: readonly Round[][], index: number): SideResult {
  const median = (of: (round: readonly Round[]) => number): number => quantile(results.map(of), 0.5);
  const shares = results.map((round) => round[0]!.perSecond / round[index]!.perSecond);
  return {
    perSecond: median((round) => round[index]!.perSecond),
    cpuMicroseconds: median((round) => round[index]!.cpuMicroseconds),
    p50Ms: median((round) => round[index]!.p50Ms),
    p99Ms: median((round) => round[index]!.p99Ms),
    share: quantile(shares, 0.5),
    quartiles: quartilesOf(shares),
    addedMs: median((round) => round[0]!.p50Ms - round[index]!.p50Ms),
  };
}
