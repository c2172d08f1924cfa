import { performance } from 'node:perf_hooks';
import { type ConnectionFigures, type LimitTables, monotonicMsOfProcess } from '@countersign/gate';
import type { UpstreamFigures } from '@countersign/gate/upstream';
import type { Configuration } from '../configuration/load.ts';
import { sumOfFigures } from '../limits/connections.ts';
import type { OwnKey } from '../forwarding/own-key.ts';
import type { RegistryFollower } from '../registry/memory-registry.ts';
import { ApiThreads, type ApiThreadsParts } from './api-threads.ts';
import type { stageNumbers } from './thread-messages.ts';
import { limitTables, ThreadSharing } from './thread-sharing.ts';

/**
 * The threads of a service that serve the protected API. With one thread, the main thread does that, and
 * everything here does nothing.
 */
export class Threads {
  readonly #sharing: ThreadSharing | undefined;
  #running: ApiThreads | undefined;
  #keys: readonly OwnKey[] = [];

  constructor({ threads }: Pick<Configuration, 'threads'>) {
    this.#sharing = threads > 1 ? new ThreadSharing() : undefined;
  }

  /** A monotonic clock in milliseconds, the same in all threads. */
  readonly monotonicMs = (): number => (this.#sharing ? monotonicMsOfProcess() : performance.now());

  /** Passes the registry's changes to the threads. */
  get follower(): RegistryFollower | undefined {
    return this.#sharing?.feed;
  }

  /** Returns the limit tables; undefined if only the main thread uses them. */
  limitTables(monotonicMs: () => number): LimitTables | undefined {
    return this.#sharing && limitTables(this.#sharing.limits, monotonicMs);
  }

  readonly setStage = (stage: keyof typeof stageNumbers): void => this.#sharing?.setStage(stage);

  readonly useForwardingKeys = (keys: readonly OwnKey[]): void => {
    this.#keys = keys;
    this.#running?.useForwardingKeys(keys);
  };

  /** Starts the threads. Rejects if one cannot listen. */
  async start(
    parts: Omit<ApiThreadsParts, 'sharing' | 'guard'> & Partial<Pick<ApiThreadsParts, 'guard'>>,
  ): Promise<void> {
    const { guard } = parts;
    if (this.#sharing === undefined || guard === undefined) return;
    this.#running = new ApiThreads({ ...parts, guard, sharing: this.#sharing });
    this.#running.useForwardingKeys(this.#keys);
    await this.#running.start();
  }

  useRouting(routing: NonNullable<Configuration['routing']>): void {
    this.#running?.useRouting(routing);
  }

  refuseConnections(): void {
    this.#running?.refuseConnections();
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  /** Returns the upstreams' figures, combined from all threads; those of the main thread if it serves the API. */
  upstreamFigures(ofMain: readonly UpstreamFigures[]): readonly UpstreamFigures[] {
    return this.#running?.figures() ?? ofMain;
  }

  /** Adds up the connections of all threads. */
  connectionFigures(ofMain: ConnectionFigures): ConnectionFigures {
    return (this.#running?.connectionFigures() ?? []).reduce(sumOfFigures, ofMain);
  }
}
