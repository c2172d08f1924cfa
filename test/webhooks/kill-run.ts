import { setTimeout as sleep } from 'node:timers/promises';
import { countWaiting, EventLedger, type LogFigures } from './event-ledger.ts';
import { type KillStep, killSteps } from './kill-steps.ts';
import { Stage, type StagedNode, type StageTimes } from './stage.ts';

export interface KillRunOptions {
  readonly kills: number;
  /** No node is started after this time. */
  readonly seconds: number;
  readonly settleSeconds: number;
  readonly times: StageTimes;
  readonly onProgress?: (text: string) => void;
}

export interface KillRunReport extends LogFigures {
  readonly violations: readonly string[];
  readonly kills: Readonly<Record<KillStep, number>>;
  /** Nodes that had to be killed from outside, because they did not come to their step in time. */
  readonly late: number;
  readonly acknowledged: number;
  readonly inDoubt: number;
  readonly repeated: number;
}

const steps = Object.keys(killSteps) as KillStep[];
const changesMax = 12;
/** A busy machine delivers late. */
const patienceMs = 60_000;

/** Kills nodes at each step of a change and its delivery, and checks that nothing acknowledged is lost or has two IDs. */
export async function runKills(options: KillRunOptions): Promise<KillRunReport> {
  const run = new KillRun(options);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class KillRun {
  readonly #options: KillRunOptions;
  readonly #stage: Stage;
  readonly #ledger = new EventLedger();
  readonly #kills = Object.fromEntries(steps.map((step) => [step, 0])) as Record<KillStep, number>;
  #late = 0;
  #inDoubt = 0;

  constructor(options: KillRunOptions) {
    this.#options = options;
    this.#stage = new Stage(options.times);
  }

  async run(): Promise<KillRunReport> {
    await this.#stage.open();
    this.#stage.receivers.onReceived = this.#receive;
    const { kills, seconds, onProgress } = this.#options;
    const startedMs = performance.now();
    for (let round = 0; round < kills && performance.now() - startedMs < seconds * 1000; round += 1) {
      await this.#killOnce(steps[round % steps.length]!, 1 + (Math.floor(round / steps.length) % 3));
      if (round % 10 === 9)
        onProgress?.(
          `${round + 1} kills in ${((performance.now() - startedMs) / 1000).toFixed(0)} s, ` +
            `${this.#ledger.acknowledged.size} changes acknowledged, ${this.#ledger.violations.length} violations`,
        );
    }
    const { process, caller } = await this.#stage.startNode();
    const endMs = performance.now() + this.#options.settleSeconds * 1000;
    while (performance.now() < endMs && (await countWaiting(this.#stage.database)) > 0) await sleep(100);
    await process.end('SIGTERM');
    caller.close();
    const figures = await this.#ledger.compare(this.#stage);
    return {
      ...figures,
      violations: this.#ledger.violations,
      kills: this.#kills,
      late: this.#late,
      acknowledged: this.#ledger.acknowledged.size,
      inDoubt: this.#inDoubt,
      repeated: this.#ledger.counts.repeated,
    };
  }

  close(): Promise<void> {
    return this.#stage.close();
  }

  /** Called before an answer; what it returns says whether there is one. */
  #onRequest: (() => boolean) | undefined;

  readonly #receive: Stage['receivers']['onReceived'] = (received) => {
    this.#ledger.receive(received);
    return this.#onRequest?.() ?? true;
  };

  /** One life of a node: changes by its API until it is killed. */
  async #killOnce(step: KillStep, count: number): Promise<void> {
    const node = await this.#stage.startNode(killSteps[step] === 'node' ? { step, count } : undefined);
    const life = { isEnded: false };
    const ended = node.process.ended.then(() => (life.isEnded = true));
    let isArmed = false;
    let left = count;
    this.#onRequest = () => {
      if (step !== 'after sending' || !isArmed || --left > 0) return true;
      void node.process.end();
      return false;
    };
    try {
      // A node that dies at the events of the one before it would acknowledge nothing.
      while (!life.isEnded && !(await this.#changeOnce(node))) await sleep(100);
      isArmed = true;
      if (!life.isEnded) process.kill(node.process.processId, 'SIGUSR2');
      for (let change = 1; !life.isEnded && change <= changesMax; change += 1) {
        const isLast = change >= count;
        if (isLast && step === 'while the API changes something')
          setTimeout(() => void node.process.end(), Math.random() * 15);
        await this.#changeOnce(node);
        if (isLast && step === 'after the commit') await node.process.end();
      }
      const waiting = new AbortController();
      const { signal } = waiting;
      await Promise.race([ended, sleep(patienceMs, undefined, { signal }).catch(() => undefined)]);
      waiting.abort();
      if (!life.isEnded) this.#late += 1;
      else this.#kills[step] += 1;
    } finally {
      this.#onRequest = undefined;
      await node.process.end();
      node.caller.close();
    }
  }

  /** Resolves with true if a change was acknowledged. */
  async #changeOnce(node: StagedNode): Promise<boolean> {
    try {
      const name = `Client ${this.#ledger.acknowledged.size + this.#inDoubt}`;
      this.#ledger.acknowledged.add(await this.#stage.addClient(node, name));
      return true;
    } catch {
      this.#inDoubt += 1;
      return false;
    }
  }
}
