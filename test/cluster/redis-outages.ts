import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { UsedSignature } from '../../packages/signature/src/node.ts';
import { GuardMark } from '../../packages/server/src/replay/guard-mark.ts';
import { openDatabase } from '../../packages/server/src/storage/database.ts';
import { RedisServerProcess } from '../../packages/server/test/replay/redis.ts';
import { GuardNode, newSignature, pause, until } from '../../packages/server/test/replay/redis-nodes.ts';
import type { OutageKind, Scene } from './redis-outage-kinds.ts';

/** What was seen in one round. */
export interface OutageRound {
  readonly accepted: number;
  /** Signatures that were sent again, while the outage lasted and after it. */
  readonly replaysTried: number;
  /** Signatures that passed more than once. None must. */
  readonly replaysPassed: number;
  readonly refusedUnavailable: number;
  readonly refusedForgotten: number;
  /** The longest that any decision took, in milliseconds. */
  readonly slowestDecisionMs: number;
  /** From the moment at which the store could be used again until every node accepts, in milliseconds. */
  readonly recoveryMs: number;
  /** The longest time for which this process did nothing at all. When it is long, the times say nothing. */
  readonly longestStallMs: number;
  /** Answers that are none of those that are expected. None must be. */
  readonly unexpected: readonly string[];
}

const nodeCount = 3;
const callersPerNode = 2;

/** Three nodes in use, an outage, and use until everything works again, all the while with signatures sent again. */
export async function runOutageRound(kind: OutageKind): Promise<OutageRound> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-outage-'));
  const database = await openDatabase({ file: join(folder, 'mark.sqlite') });
  const scene: Scene & { nodes: GuardNode[] } = { server: await RedisServerProcess.start(), nodes: [] };
  const traffic = new Traffic(scene.nodes);
  try {
    const mark = new GuardMark(database);
    for (let number = 0; number < nodeCount; number++)
      scene.nodes.push(await GuardNode.start(scene.server, { mark }));
    traffic.start();
    await kind.prepare?.(scene);
    await traffic.untilAllAccept();
    await pause(500);
    await kind.cause(scene);
    const recoveryMs = await traffic.untilAllAccept();
    await pause(200);
    await traffic.stop();
    await traffic.repeatEverything();
    return { ...traffic.figures(), recoveryMs };
  } finally {
    await traffic.stop();
    for (const node of scene.nodes) await node.stop();
    await scene.server.stop();
    await database.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Callers that send new signatures and ones of before, to nodes at random. */
class Traffic {
  readonly #nodes: readonly GuardNode[];
  readonly #accepted: UsedSignature[] = [];
  readonly #acceptedIds = new Set<string>();
  readonly #unexpected: string[] = [];
  #callers: Promise<void>[] = [];
  #isStopped = false;
  #slowestDecisionMs = 0;
  #replaysTried = 0;
  #replaysPassed = 0;
  readonly #refused: Record<string, number> = {};
  readonly #stalls = monitorEventLoopDelay({ resolution: 10 });

  constructor(nodes: readonly GuardNode[]) {
    this.#nodes = nodes;
  }

  start(): void {
    this.#stalls.enable();
    this.#callers = Array.from({ length: nodeCount * callersPerNode }, () => this.#call());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stalls.disable();
    await Promise.all(this.#callers);
  }

  /** Waits until a new signature passes on each node; resolves with the milliseconds that it took. */
  untilAllAccept(): Promise<number> {
    return until(async () => {
      const passed = await Promise.all(this.#nodes.map((node) => this.#use(node, newSignature())));
      return passed.every(Boolean);
    });
  }

  /** Sends everything that was ever accepted to every node once more. */
  async repeatEverything(): Promise<void> {
    for (const node of this.#nodes) {
      for (let start = 0; start < this.#accepted.length; start += 100) {
        await Promise.all(
          this.#accepted.slice(start, start + 100).map((signature) => this.#use(node, signature)),
        );
      }
    }
  }

  figures(): Omit<OutageRound, 'recoveryMs'> {
    return {
      accepted: this.#acceptedIds.size,
      replaysTried: this.#replaysTried,
      replaysPassed: this.#replaysPassed,
      refusedUnavailable: this.#refused['guard_unavailable'] ?? 0,
      refusedForgotten: this.#refused['recently_restarted'] ?? 0,
      slowestDecisionMs: this.#slowestDecisionMs,
      longestStallMs: this.#stalls.max / 1e6,
      unexpected: this.#unexpected,
    };
  }

  async #call(): Promise<void> {
    while (!this.#isStopped) {
      const before =
        Math.random() < 0.5 ? this.#accepted.at(-1 - Math.floor(Math.random() * 200)) : undefined;
      if (before) await this.#use(this.#anyNode(), before);
      else await this.#useAtOnce(newSignature());
      await pause(1);
    }
  }

  /** The same signature on several nodes at one moment. */
  async #useAtOnce(signature: UsedSignature): Promise<void> {
    await Promise.all([this.#use(this.#anyNode(), signature), this.#use(this.#anyNode(), signature)]);
  }

  #anyNode(): GuardNode {
    return this.#nodes[Math.floor(Math.random() * this.#nodes.length)]!;
  }

  async #use(node: GuardNode, signature: UsedSignature): Promise<boolean> {
    const startedMs = performance.now();
    if (this.#acceptedIds.has(signature.id)) this.#replaysTried++;
    const refusal = await node.use(signature);
    this.#slowestDecisionMs = Math.max(this.#slowestDecisionMs, performance.now() - startedMs);
    if (!refusal) {
      if (this.#acceptedIds.has(signature.id)) this.#replaysPassed++;
      this.#acceptedIds.add(signature.id);
      this.#accepted.push(signature);
      return true;
    }
    const { code, retryAfterSeconds } = refusal;
    this.#refused[code] = (this.#refused[code] ?? 0) + 1;
    const isOutage = code === 'guard_unavailable' || code === 'recently_restarted';
    if (!(code === 'signature_replayed' || (isOutage && retryAfterSeconds !== undefined)))
      this.#unexpected.push(code);
    return false;
  }
}
