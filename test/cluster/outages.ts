import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Signer } from '@countersign/signature/node';
import type { RunningService } from '../../packages/server/test/running-service.ts';
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

/** What was seen in one round. */
export interface OutageRound {
  /** Payments that were made. */
  readonly accepted: number;
  /** Requests that were accepted and sent again, while the outage lasted and after it. */
  readonly replaysTried: number;
  /** Of these, accepted again. None must be. */
  readonly replaysPassed: number;
  /** Answers 503, by their code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Payments of which nobody could say whether they were made, because the database went away in their commit. */
  readonly inDoubt: number;
  /** The longest that a refusal took that came before anything was done, in milliseconds. */
  readonly slowestRefusalMs: number;
  /** The longest that a payment took which the outage met on its way, in milliseconds. */
  readonly slowestOnTheWayMs: number;
  /** From the moment at which the store could be used again until every node accepts, in milliseconds. */
  readonly recoveryMs: number;
  /** The longest time for which this process did nothing at all. When it is long, the times say nothing. */
  readonly longestStallMs: number;
  /** Whatever must not be: answers that are none of those expected, payments that were refused and made, or lost. */
  readonly wrong: readonly string[];
}

/** One outage after the other, in one cluster whose nodes are never restarted. */
export class Outages {
  readonly #cluster: Cluster;
  readonly #signer: Signer;
  /** So that references are of one campaign. */
  readonly #name: string = randomUUID();
  #rounds = 0;

  private constructor(cluster: Cluster, signer: Signer) {
    this.#cluster = cluster;
    this.#signer = signer;
  }

  static async prepare(cluster: Cluster): Promise<Outages> {
    return new Outages(cluster, await addPayer(cluster));
  }

  /** The nodes in use, an outage, and use until everything works again, all the while with requests sent again. */
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

/** What is known of a payment. */
interface Payment {
  readonly reference: string;
  readonly call: PreparedCall;
  isAccepted: boolean;
  isInDoubt: boolean;
}

const callersCount = 6;
const recoveryMsMax = 10_000;

/** Refused before anything was done, because the guard or the registry could not be asked. */
const early: readonly string[] = ['guard_unavailable', 'recently_restarted', 'registry_stale'];

/** Callers that make payments, and send requests of before again, to nodes at random. */
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

  /** Waits until each node makes a payment; resolves with the milliseconds that it took. */
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

  /** Sends everything that was accepted once more. */
  async repeatEverything(): Promise<void> {
    const rest = [...this.#accepted].values();
    const repeat = async (): Promise<void> => {
      for (const payment of rest) await this.#pay(anyOf(this.#cluster.nodes), payment);
    };
    await Promise.all(Array.from({ length: callersCount }, repeat));
  }

  /** Whether the database has those payments that were answered so, each once. */
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
