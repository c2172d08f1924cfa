import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy } from '@countersign/testing/proxy-process';
import { BearerRequests } from './bearer-requests.ts';
import { startChild } from './child.ts';
import { inTurn, type Median, Rounds } from './in-turn.ts';
import { load } from './load.ts';
import { missing, peers } from './peers/recipes.ts';
import { processTreeCpuMs } from './process-tree.ts';
import { SignedRequests } from './signed-requests.ts';

/** A gateway, and other proxies that verify an RSA signature in each request. */
export interface PeersResult {
  readonly sides: readonly PeerResult[];
  /** The proxies that are not installed, with what is missing. */
  readonly skipped: readonly { readonly name: string; readonly missing: string }[];
}

/** One proxy. All figures are medians over the rounds. */
export interface PeerResult {
  readonly name: string;
  readonly perSecond: number;
  /** Of all its threads and processes, in microseconds, until it has written its last row. */
  readonly cpuMicroseconds: number;
  /** The gateway's processor time relative to this one's. */
  readonly ratio: Median;
}

interface Side {
  readonly name: string;
  readonly port: number;
  readonly cpuMs: () => number;
  /** The requests of a round. */
  readonly requests: 'signed' | 'bearer';
  readonly settleMs: number;
}

const connections = 32;
const clientCount = 16;
/** The service writes its requests once a second. */
const settleMs = 1500;

/** Loads each proxy in turn, in short rounds, in front of the same API. Only on Linux. */
export async function benchPeers(rounds: number, perRound: number): Promise<PeersResult> {
  const signed = new SignedRequests(clientCount);
  const bearer = new BearerRequests();
  const folder = await mkdtemp(join(tmpdir(), 'countersign-peers-'));
  const closers: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const sides: Side[] = [];
  const skipped: PeersResult['skipped'][number][] = [];
  try {
    const api = await startChild('gateway-server.ts', ['api']);
    closers.unshift(() => api.stop());
    for (const [kind, name] of ownSides) {
      const address = `http://127.0.0.1:${api.port}`;
      const server = await startChild('gateway-server.ts', [kind, address], signed.environment);
      closers.unshift(() => server.stop());
      const cpuMs = (): number => processTreeCpuMs(server.processId);
      sides.push({ name, port: server.port, cpuMs, requests: 'signed', settleMs });
    }
    for (const peer of peers) {
      const lacks = missing(peer);
      if (lacks !== undefined) {
        skipped.push({ name: peer.name, missing: lacks });
        continue;
      }
      const proxy = await startProxy(peer.recipe(bearer, folder), { 3000: api.port });
      closers.unshift(() => proxy.stop());
      await provesTokens(peer.name, proxy.port, bearer);
      const cpuMs = (): number => processTreeCpuMs(proxy.processId);
      sides.push({ name: peer.name, port: proxy.port, cpuMs, requests: 'bearer', settleMs: 100 });
    }
    const all = new Rounds(
      await inTurn(sides, rounds, () => {
        // Signed before the clock starts, so that the load costs the sender next to nothing.
        const ready = { signed: signed.next(perRound), bearer: bearer.next(perRound) };
        return (side) => measure(side, ready[side.requests]);
      }),
    );
    return {
      sides: sides.map(({ name }, index) => ({
        name,
        perSecond: all.median(index, 'perSecond'),
        cpuMicroseconds: all.median(index, 'cpuMicroseconds'),
        ratio: all.ratio(0, index, 'cpuMicroseconds'),
      })),
      skipped,
    };
  } finally {
    for (const close of closers) await close();
  }
}

/** Rejects unless a proxy accepts a token, and rejects one that another key has signed. */
async function provesTokens(name: string, port: number, requests: BearerRequests): Promise<void> {
  try {
    await load(port, requests.next(1), 1, 200);
    await load(port, new BearerRequests().next(1), 1, 401);
  } catch (error) {
    throw new Error(`${name} does not verify tokens as it must.`, { cause: error });
  }
}

const ownSides = [
  ['gateway', 'the gateway'],
  ['crypto', 'bare proxy with the bare crypto'],
] as const;

type Round = Pick<PeerResult, 'perSecond' | 'cpuMicroseconds'>;

async function measure(
  { port, cpuMs, settleMs: afterwardsMs }: Side,
  requests: readonly Buffer[],
): Promise<Round> {
  const before = cpuMs();
  const perSecond = await load(port, requests, connections, 200);
  await sleep(afterwardsMs);
  return { perSecond, cpuMicroseconds: ((cpuMs() - before) * 1000) / requests.length };
}
