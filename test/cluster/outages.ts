import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Signer } from '@countersign/signature/node';
import type { RunningService } from '@countersign/testing/running-service';
import {
  addPayer,
  anyOf,
  type Cluster,
  databaseName,
  type Outcome,
  type PreparedCall,
  preparePayment,
} from './cluster.ts';
import type { OutageKind } from './outage-kinds.ts';

export interface OutageRound {
  readonly accepted: number;
  /** Accepted requests that were sent again, during the outage and after it. */
  readonly replaysTried: number;
  /** Replays that were accepted. Must be zero. */
  readonly replaysPassed: number;
  /** 503 answers by code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Payments with an unknown outcome, because the database went down during their commit. */
  readonly inDoubt: number;
  /** The slowest rejection that came before anything was done, in milliseconds. */
  readonly slowestRefusalMs: number;
  /** The slowest payment that the outage interrupted, in milliseconds. */
  readonly slowestOnTheWayMs: number;
  /** From when the store is usable until every node accepts, in milliseconds. */
  readonly recoveryMs: number;
  /** The longest stall of this process. If it is long, the times mean nothing. */
  readonly longestStallMs: number;
  /** Violations: unexpected responses, payments rejected but made, payments lost. */
  readonly wrong: readonly string[];
}

/** Runs one outage after the other in a cluster whose nodes are never restarted. */
export class Outages {
  readonly #cluster: Cluster;
  readonly #signer: Signer;
  /** Marks the references of one campaign. */
  readonly #name: string = randomUUID();
  #rounds = 0;

  private constructor(cluster: Cluster, signer: Signer) {
    this.#cluster = cluster;
    this.#signer = signer;
  }

  static async prepare(cluster: Cluster): Promise<Outages> {
    return new Outages(cluster, await addPayer(cluster));
  }

  /** Uses the nodes through an outage until everything works again, while replaying requests. */
  async run(kind: OutageKind): Promise<OutageRound> {
    const traffic = new Traffic(this.#cluster, this.#signer, `${this.#name}/${++this.#rounds}/`);
    try {
      traffic.start();
      const recover = await kind.prepare(this.#cluster);
      await traffic.untilAllAccept();
      await sleep(300);
      await recover();
      const recoveryMs = await traffic.untilAllAccept();
      await sleep(200);
      await traffic.stop();
      await traffic.repeatEverything();
      await traffic.comparePayments(kind);
      return { ...traffic.figures(), recoveryMs };
    } finally {
      await traffic.stop();
    }
  }
}

interface Payment {
  readonly reference: string;
  readonly call: PreparedCall;
  isAccepted: boolean;
  isInDoubt: boolean;
}

const callersCount = 6;
const recoveryMsMax = 10_000;

/** Rejected before anything was done, because guard or registry were unavailable. */
const early: readonly string[] = ['guard_unavailable', 'recently_restarted', 'registry_stale'];

/** Callers that make payments and replay earlier requests, at random nodes. */
class Traffic {
  readonly #cluster: Cluster;
  readonly #signer: Signer;
  readonly #prefix: string;
  readonly #payments = new Map<string, Payment>();
  readonly #accepted: Payment[] = [];
  readonly #wrong: string[] = [];
  readonly #refused: Record<string, number> = {};
  readonly #stalls = monitorEventLoopDelay({ resolution: 10 });
  #callers: Promise<void>[] = [];
  #isStopped = false;
  #slowestRefusalMs = 0;
  #slowestOnTheWayMs = 0;
  #replaysTried = 0;
  #replaysPassed = 0;

  constructor(cluster: Cluster, signer: Signer, prefix: string) {
    this.#cluster = cluster;
    this.#signer = signer;
    this.#prefix = prefix;
  }

  start(): void {
    this.#stalls.enable();
    this.#callers = Array.from({ length: callersCount }, () => this.#call());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stalls.disable();
    await Promise.all(this.#callers);
  }

  /** Waits until each node makes a payment, and returns the milliseconds. */
  async untilAllAccept(): Promise<number> {
    const startedMs = performance.now();
    const onNode = async (node: RunningService): Promise<void> => {
      while (!(await this.#pay(node, this.#newPayment()))) {
        if (performance.now() - startedMs > recoveryMsMax)
          throw new Error(`A node accepts nothing for ${recoveryMsMax} ms: ${JSON.stringify(this.#refused)}`);
        await sleep(10);
      }
    };
    await Promise.all(this.#cluster.nodes.map(onNode));
    return performance.now() - startedMs;
  }

  /** Replays everything accepted. */
  async repeatEverything(): Promise<void> {
    const rest = [...this.#accepted].values();
    const repeat = async (): Promise<void> => {
      for (const payment of rest) await this.#pay(anyOf(this.#cluster.nodes), payment);
    };
    await Promise.all(Array.from({ length: callersCount }, repeat));
  }

  /** Checks that the database has exactly the acknowledged payments. */
  async comparePayments({ keepsPayments }: OutageKind): Promise<void> {
    const rows = await this.#cluster.postgres.query<{ reference: string; count: string }>(
      `select reference, count(*) from payments where reference like '${this.#prefix}%' group by reference`,
      databaseName,
    );
    const made = new Map(rows.map(({ reference, count }) => [reference, Number(count)]));
    for (const { reference, isAccepted, isInDoubt } of this.#payments.values()) {
      const count = made.get(reference) ?? 0;
      if (count > 1) this.#wrong.push('one request made two payments');
      if (count > 0 && !isAccepted && !isInDoubt) this.#wrong.push('refused, and made all the same');
      if (count === 0 && isAccepted && keepsPayments) this.#wrong.push('acknowledged, and lost');
    }
  }

  figures(): Omit<OutageRound, 'recoveryMs'> {
    return {
      accepted: this.#accepted.length,
      replaysTried: this.#replaysTried,
      replaysPassed: this.#replaysPassed,
      refused: this.#refused,
      inDoubt: [...this.#payments.values()].filter(({ isInDoubt }) => isInDoubt).length,
      slowestRefusalMs: this.#slowestRefusalMs,
      slowestOnTheWayMs: this.#slowestOnTheWayMs,
      longestStallMs: this.#stalls.max / 1e6,
      wrong: this.#wrong,
    };
  }

  async #call(): Promise<void> {
    const { nodes } = this.#cluster;
    while (!this.#isStopped) {
      const before =
        Math.random() < 0.5 ? this.#accepted.at(-1 - Math.floor(Math.random() * 200)) : undefined;
      if (before) await this.#pay(anyOf(nodes), before);
      else {
        const payment = this.#newPayment();
        await Promise.all([this.#pay(anyOf(nodes), payment), this.#pay(anyOf(nodes), payment)]);
      }
      await sleep(5);
    }
  }

  #newPayment(): Payment {
    const reference = this.#prefix + this.#payments.size;
    const call = preparePayment(this.#signer, reference);
    const payment = { reference, call, isAccepted: false, isInDoubt: false };
    this.#payments.set(reference, payment);
    return payment;
  }

  async #pay(node: RunningService, payment: Payment): Promise<boolean> {
    const startedMs = performance.now();
    if (payment.isAccepted) this.#replaysTried++;
    const outcome = await this.#cluster.send(node, payment.call);
    const tookMs = performance.now() - startedMs;
    if (outcome.status === 201) {
      if (payment.isAccepted || payment.isInDoubt) this.#replaysPassed++;
      payment.isAccepted = true;
      this.#accepted.push(payment);
      return true;
    }
    this.#note(payment, outcome, tookMs);
    return false;
  }

  #note(payment: Payment, { status, code = '', retryAfter, text }: Outcome, tookMs: number): void {
    if (code === 'signature_replayed') return;
    if (status === 503) this.#refused[code] = (this.#refused[code] ?? 0) + 1;
    if (early.includes(code)) this.#slowestRefusalMs = Math.max(this.#slowestRefusalMs, tookMs);
    else this.#slowestOnTheWayMs = Math.max(this.#slowestOnTheWayMs, tookMs);
    if (code === 'outcome_unknown') payment.isInDoubt = true;
    else if (!early.includes(code) && code !== 'storage_unavailable') this.#wrong.push(`${status} ${text}`);
    if (status === 503 && !/^[1-9]\d*$/.test(retryAfter ?? ''))
      this.#wrong.push(`${code} without Retry-After`);
  }
}
