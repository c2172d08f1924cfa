import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '@countersign/testing/resident-memory';
import { baseUrl } from '@countersign/testing/running-service';
import { countWaiting, EventLedger, type LogFigures } from './event-ledger.ts';
import { NodeBusyError, Stage, type StagedNode, type StageTimes } from './stage.ts';

export interface HardRunOptions {
  readonly events: number;
  /** How many are queued a second at most, so that the machine is not full and latencies can be compared. Default no limit. */
  readonly eventsPerSecondMax?: number | undefined;
  /** No event is queued after this time. */
  readonly seconds: number;
  /** For what is still due after that. */
  readonly settleSeconds: number;
  readonly killEveryMs: number;
  /** The time in which the API is asked before there are events. */
  readonly quietMs: number;
  readonly times: StageTimes;
  readonly onProgress?: (text: string) => void;
}

export interface HardRunReport extends LogFigures {
  readonly violations: readonly string[];
  readonly events: number;
  readonly acknowledged: number;
  readonly repeated: number;
  readonly kills: number;
  readonly perSecond: number;
  /** Connections to the internal server that the operator does not trust, after one was provoked and counted. */
  readonly forbiddenConnections: number;
  /** Requests of the webhook to the same server that the operator trusts: they prove that connections are counted. */
  readonly trustedConnections: number;
  readonly isProvokedCounted: boolean;
  /** The memory of the node that is never killed: the median of the second and of the last quarter of the time, and the most. */
  readonly memory: { readonly early: number; readonly late: number; readonly most: number };
  /** The median time of a read by the API, before and during the deliveries. */
  readonly latencyMs: { readonly quiet: number; readonly busy: number };
}

/** More are not queued ahead, so that the time of the run is not spent on queueing. */
const queuedAheadMax = 500;

/** Delivers events by two nodes, one of which is killed again and again, to receivers of every kind. */
export async function runHard(options: HardRunOptions): Promise<HardRunReport> {
  const run = new HardRun(options);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class HardRun {
  readonly #options: HardRunOptions;
  readonly #stage: Stage;
  readonly #ledger = new EventLedger();
  /** Aborts when nothing happens any more that makes an event. */
  readonly #queued = new AbortController();
  readonly #over = new AbortController();
  readonly #memory: number[] = [];
  readonly #latencies = { quiet: [] as number[], busy: [] as number[] };
  #steady: StagedNode | undefined;
  #mortal: StagedNode | undefined;
  #kills = 0;
  #isBusy = false;

  constructor(options: HardRunOptions) {
    this.#options = options;
    this.#stage = new Stage(options.times);
  }

  async run(): Promise<HardRunReport> {
    const { receivers } = this.#stage;
    await this.#stage.open();
    receivers.onReceived = (received) => {
      this.#ledger.receive(received);
      return true;
    };
    await receivers.provoke();
    const isProvokedCounted = receivers.internal.connections === 1;
    receivers.internal.connections = 0;
    this.#steady = await this.#stage.startNode();
    const asking = this.#askOften();
    await sleep(this.#options.quietMs);
    this.#isBusy = true;
    const startedMs = performance.now();
    const works = [this.#killOften(), this.#watchMemory()];
    const changing = this.#changeOften();
    await this.#queueAll(startedMs);
    this.#queued.abort();
    await changing;
    await this.#settle();
    const seconds = (performance.now() - startedMs) / 1000;
    this.#over.abort();
    await Promise.all([...works, asking]);
    // What the node that was killed last had claimed.
    await this.#settle();
    const figures = await this.#ledger.compare(this.#stage);
    const { connections, trusted } = receivers.internal;
    return {
      ...figures,
      violations: this.#ledger.violations,
      events: this.#ledger.queued.size,
      acknowledged: this.#ledger.acknowledged.size,
      repeated: this.#ledger.counts.repeated,
      kills: this.#kills,
      perSecond: figures.delivered / seconds,
      forbiddenConnections: connections - trusted,
      trustedConnections: trusted,
      isProvokedCounted,
      memory: memoryOf(this.#memory),
      latencyMs: { quiet: median(this.#latencies.quiet), busy: median(this.#latencies.busy) },
    };
  }

  async close(): Promise<void> {
    this.#queued.abort();
    this.#over.abort();
    await this.#stage.close();
  }

  async #queueAll(startedMs: number): Promise<void> {
    const { events, seconds, eventsPerSecondMax = Number.MAX_SAFE_INTEGER, onProgress } = this.#options;
    const secondsGone = (): number => (performance.now() - startedMs) / 1000;
    let shownMs = startedMs;
    while (this.#ledger.queued.size < events && secondsGone() < seconds) {
      const waiting = await countWaiting(this.#stage.database);
      if (performance.now() - shownMs > 15_000) {
        shownMs = performance.now();
        onProgress?.(this.#progress(waiting, startedMs));
      }
      const { size } = this.#ledger.queued;
      const count = Math.min(200, events - size, Math.floor(secondsGone() * eventsPerSecondMax) - size);
      if (waiting >= queuedAheadMax || count <= 0) await sleep(200);
      else await this.#ledger.queue(this.#stage, count);
    }
    onProgress?.(`all are queued: ${this.#progress(await countWaiting(this.#stage.database), startedMs)}`);
  }

  #progress(waiting: number, startedMs: number): string {
    const { received, repeated } = this.#ledger.counts;
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    const memory = ((this.#memory.at(-1) ?? 0) / 2 ** 20).toFixed(0);
    return (
      `${seconds} s: ${this.#ledger.queued.size} events, ${received} received, ${repeated} repeated, ${waiting} waiting, ` +
      `${this.#kills} kills, ${memory} MiB, ${this.#ledger.violations.length} violations`
    );
  }

  /** Waits until nothing is due, in the time that there is for that. */
  async #settle(): Promise<void> {
    const endMs = performance.now() + this.#options.settleSeconds * 1000;
    while (performance.now() < endMs && (await countWaiting(this.#stage.database)) > 0) await sleep(100);
  }

  async #killOften(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      this.#mortal = await this.#stage.startNode();
      await sleep(this.#options.killEveryMs, undefined, { signal }).catch(() => undefined);
      const { process, caller } = this.#mortal;
      this.#mortal = undefined;
      await process.end();
      caller.close();
      this.#kills += 1;
    }
  }

  /** Changes something by the API of either node, and notes what it acknowledged. */
  async #changeOften(): Promise<void> {
    for (let number = 1; !this.#queued.signal.aborted; number += 1) {
      const node = number % 2 === 0 ? this.#steady! : (this.#mortal ?? this.#steady!);
      try {
        this.#ledger.acknowledged.add(await this.#stage.addClient(node, `Client ${number}`));
      } catch (error) {
        // The killed one may have made the change or not.
        if (node === this.#steady && !(error instanceof NodeBusyError)) this.#ledger.note(String(error));
      }
      await sleep(150);
    }
  }

  async #askOften(): Promise<void> {
    for (let number = 0; !this.#over.signal.aborted; number += 1) {
      const url = `${baseUrl}/v1/clients?limit=1&search=${number}`;
      const signed = this.#stage.signer.sign({ method: 'GET', url });
      const startedMs = performance.now();
      const { status } = await this.#steady!.caller.send({ signed });
      // A machine that is too busy for its database says so.
      if (status !== 200 && status !== 503) this.#ledger.note(`The API answers ${status}.`);
      this.#latencies[this.#isBusy ? 'busy' : 'quiet'].push(performance.now() - startedMs);
      await sleep(50);
    }
  }

  async #watchMemory(): Promise<void> {
    while (!this.#over.signal.aborted) {
      this.#memory.push(residentBytes(this.#steady!.process.processId));
      await sleep(500);
    }
  }
}

function memoryOf(samples: readonly number[]): HardRunReport['memory'] {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  return {
    early: median(samples.slice(quarter, 2 * quarter)),
    late: median(samples.slice(-quarter)),
    most: Math.max(...samples),
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
