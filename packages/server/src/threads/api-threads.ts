import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { ConnectionFigures, ListenerLimits, Observer, Registry, UsableKey } from '@countersign/gate';
import type { UpstreamFigures } from '@countersign/gate/upstream';
import type { SignatureRules } from '@countersign/signature/profile';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration/load.ts';
import { connectionLimitsOfThread, turnedAwayLine } from '../limits/connections.ts';
import type { Health } from '../health/health.ts';
import type { ThreadGuard } from '../replay/open-guard.ts';
import type { ThreadSharing } from './thread-sharing.ts';
import {
  type FromThread,
  type SentForwardingKey,
  type SentRecord,
  type ThreadConfiguration,
  type ThreadFigures,
  type ThreadStart,
  threadSettings,
  type ToThread,
} from './thread-messages.ts';

/** Everything that the threads need from the main thread. */
export interface ApiThreadsParts {
  readonly configuration: Configuration;
  readonly rules: SignatureRules;
  readonly guard: ThreadGuard;
  readonly registry: Pick<Registry, 'clientById' | 'isUnread' | 'read' | 'refresh'>;
  readonly sharing: ThreadSharing;
  readonly observer: Observer;
  readonly onHandled: (durationMs: number, upstream: string) => void;
  readonly logger: Logger;
  readonly health: () => Health;
  readonly listener: ListenerLimits;
  /** The wall clock, in milliseconds; undefined to use the machine's. */
  readonly clock: BigInt64Array | undefined;
}

/** The delay before a failed thread is restarted, so that one that always fails does not use up the machine. */
const restartAfterMs = 200;
const healthEveryMs = 250;

interface Running {
  readonly worker: Worker;
  figures: ThreadFigures | undefined;
  readonly ended: Promise<unknown>;
}

/** The threads that serve the protected API. They listen on one port, and the system distributes the connections. */
export class ApiThreads {
  readonly #parts: ApiThreadsParts;
  readonly #running = new Map<number, Running>();
  #routing: Configuration['routing'];
  #keys: readonly SentForwardingKey[] = [];
  readonly #turnedAway: (sourceAddress: string) => void;
  readonly #healthTimer: NodeJS.Timeout;
  #health: Health = { ready: true, decides: true };
  #isStopping = false;

  constructor(parts: ApiThreadsParts) {
    this.#parts = parts;
    this.#routing = parts.configuration.routing;
    this.#turnedAway = turnedAwayLine(parts.logger);
    this.#healthTimer = setInterval(() => this.#sendHealth(), healthEveryMs).unref();
  }

  /** Starts all threads. Rejects if one cannot listen. */
  async start(): Promise<void> {
    const { threads } = this.#parts.configuration;
    await Promise.all(Array.from({ length: threads }, (_, index) => this.#start(index + 1)));
  }

  /** Returns the upstreams' figures, combined from all threads. */
  figures(): readonly UpstreamFigures[] {
    const byName = new Map<string, UpstreamFigures>();
    for (const { figures: ofThread } of this.#running.values())
      for (const figures of ofThread?.upstreams ?? [])
        byName.set(figures.name, sum(byName.get(figures.name), figures));
    return [...byName.values()];
  }

  /** Returns the connections of all threads except the main one. */
  connectionFigures(): readonly ConnectionFigures[] {
    return Array.from(this.#running.values(), ({ figures }) => figures?.connections ?? []).flat();
  }

  useRouting(routing: NonNullable<Configuration['routing']>): void {
    this.#routing = routing;
    this.#sendToAll({ kind: 'routing', routing: this.#divided(routing) });
  }

  useForwardingKeys(keys: readonly SentForwardingKey[]): void {
    // `sign` cannot be sent.
    this.#keys = keys.map(({ keyid, privateKey, startsAtMs, endsAtMs }) => ({
      keyid,
      privateKey,
      startsAtMs,
      endsAtMs,
    }));
    this.#sendToAll({ kind: 'forwarding keys', keys: this.#keys });
  }

  refuseConnections(): void {
    this.#sendToAll({ kind: 'refuse connections' });
  }

  /** Lets requests in progress finish. Resolves once all threads have sent their records and ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#healthTimer);
    this.#sendToAll({ kind: 'stop' });
    await Promise.all(Array.from(this.#running.values(), ({ ended }) => ended));
  }

  async #start(thread: number): Promise<void> {
    const { sharing, logger } = this.#parts;
    const { port1: toThread, port2: registry } = new MessageChannel();
    const workerData = { ...this.#startOf(thread), registry } satisfies ThreadStart;
    const worker = new Worker(threadProgram, { workerData, transferList: [registry] });
    const unsubscribe = sharing.feed.subscribe(toThread);
    toThread.unref();
    const ended = once(worker, 'exit').catch(() => undefined);
    const running: Running = { worker, figures: undefined, ended };
    this.#running.set(thread, running);
    const listening = new Promise<void>((resolve, reject) => {
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'listening') resolve();
        else void this.#received(message, running);
      });
      worker.once('error', (error) => {
        reject(new Error('A thread has failed.', { cause: error }));
        logger.error({ error, thread }, 'a thread has failed');
      });
      worker.once('exit', () => {
        reject(new Error('A thread has ended.'));
        unsubscribe();
        toThread.close();
        this.#parts.guard.release(thread);
        sharing.release(thread);
        if (!this.#isStopping) void this.#restart(thread);
      });
    });
    if (this.#routing) this.#send(worker, { kind: 'routing', routing: this.#divided(this.#routing) });
    this.#send(worker, { kind: 'forwarding keys', keys: this.#keys });
    this.#send(worker, { kind: 'health', health: this.#health });
    this.#send(worker, { kind: 'listen' });
    await listening;
  }

  async #restart(thread: number): Promise<void> {
    await sleep(restartAfterMs, undefined, { ref: false });
    if (this.#isStopping) return;
    try {
      await this.#start(thread);
      this.#parts.logger.warn({ thread }, 'a thread was restarted');
    } catch {
      // The thread's exit is logged, and it is restarted.
    }
  }

  /**
   * Sends the main thread's health to the threads: a thread responds to health checks itself, but knows only
   * part of what makes a node ready.
   */
  #sendHealth(): void {
    const health = this.#parts.health();
    if (JSON.stringify(health) === JSON.stringify(this.#health)) return;
    this.#health = health;
    this.#sendToAll({ kind: 'health', health });
  }

  #startOf(thread: number): Omit<ThreadStart, 'registry'> {
    const { configuration, rules, guard, sharing, clock, listener } = this.#parts;
    return {
      thread,
      clock,
      port: configuration.apiPort,
      configuration: threadConfiguration(configuration),
      rules,
      guard: { memory: guard.memory, policy: guard.policy },
      state: sharing.state,
      limits: sharing.limits,
      connections: connectionLimitsOfThread(configuration),
      listener,
    };
  }

  /** Divides the connections to upstreams equally between the threads. */
  #divided(routing: NonNullable<Configuration['routing']>): NonNullable<Configuration['routing']> {
    const { threads } = this.#parts.configuration;
    const part = (count: number): number => Math.max(1, Math.floor(count / threads));
    const upstreams = routing.upstreams.map((upstream) => ({
      ...upstream,
      connectionsMax: part(upstream.connectionsMax),
      waitingMax: part(upstream.waitingMax),
    }));
    return { ...routing, upstreams };
  }

  async #received(message: FromThread, running: Running): Promise<void> {
    const { guard, registry, observer, onHandled, logger } = this.#parts;
    const { worker } = running;
    switch (message.kind) {
      case 'reserve': {
        const refusal = guard.reserve(message.created, message.nowSeconds);
        return this.#send(worker, { kind: 'response', call: message.call, refusal });
      }
      case 'read':
      case 'refresh': {
        const work = message.kind === 'read' ? registry.read(message.clientId) : registry.refresh();
        const isDone = await work.then(
          () => message.kind === 'refresh' || !registry.isUnread(message.clientId),
          () => false,
        );
        return this.#send(worker, { kind: 'response', call: message.call, isDone });
      }
      case 'happened': {
        this.#send(worker, { kind: 'taken' });
        running.figures = message.figures;
        for (const sourceAddress of message.turnedAway) this.#turnedAway(sourceAddress);
        for (const sent of message.records) this.#answered(sent);
        for (const unparsable of message.unparsable) observer.unparsable(unparsable);
        for (const [durationMs, upstream] of message.handled) onHandled(durationMs, upstream);
        if (message.dropped > 0)
          logger.error({ count: message.dropped }, 'requests are missing from this log: there were too many');
        return;
      }
      case 'failed':
        return observer.failed(message.error, message.requestId, message.message);
      case 'listening':
    }
  }

  #answered({ record, request, keyId }: SentRecord): void {
    const { registry, observer } = this.#parts;
    const client = record.clientId === undefined ? undefined : registry.clientById(record.clientId);
    const known = client?.keys.find((key) => key.keyId === keyId);
    // Only the id is used of a key that is already in use.
    const key = known ?? (keyId === undefined ? undefined : ({ keyId, isPending: false } as UsableKey));
    observer.answered(record, { ...request, sender: { client, ...(key && { key }) } });
  }

  #send(worker: Worker, message: ToThread): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    worker.postMessage(message);
  }

  #sendToAll(message: ToThread): void {
    for (const { worker } of this.#running.values()) this.#send(worker, message);
  }
}

function sum(before: UpstreamFigures | undefined, figures: UpstreamFigures): UpstreamFigures {
  if (before === undefined) return figures;
  const addresses = figures.addresses.map((address, index) => {
    const other = before.addresses[index];
    return {
      ...address,
      runningCount: address.runningCount + (other?.runningCount ?? 0),
      isEjected: address.isEjected || other?.isEjected === true,
    };
  });
  return { ...figures, addresses };
}

function threadConfiguration(configuration: Configuration): ThreadConfiguration {
  const chosen = threadSettings.map((name) => [name, configuration[name]] as const);
  return Object.fromEntries(chosen) as ThreadConfiguration;
}

/** The published package is JavaScript. */
const threadProgram = import.meta.url.endsWith('.ts')
  ? new URL('./api-thread.ts', import.meta.url)
  : new URL('./api-thread.js', import.meta.url);
