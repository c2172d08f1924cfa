import { randomFillSync } from 'node:crypto';
import {
  bucketSecretLength,
  type LimitTables,
  makeSharedBuckets,
  SharedBucketTable,
} from '@countersign/gate';
import { RegistryFeed } from './registry-feed.ts';
import { type SharedLimits, type SharedState, stageNumbers, stateWords } from './thread-messages.ts';

/** The size of tables that have an entry per thread: more than the setting allows. */
const threadsMax = 64;

/** The state that the main thread shares with those that serve the API, except the replay guard. */
export class ThreadSharing {
  readonly state: SharedState = {
    words: new Int32Array(new SharedArrayBuffer(64)),
    freshSince: new BigInt64Array(new SharedArrayBuffer(8)),
    spooledBytes: new BigInt64Array(new SharedArrayBuffer(8 * threadsMax)),
  };
  readonly feed: RegistryFeed = new RegistryFeed(this.state);
  readonly limits: SharedLimits = {
    clients: makeSharedBuckets(),
    addresses: makeSharedBuckets(),
    secret: randomFillSync(new Uint32Array(bucketSecretLength)),
  };

  /** Releases the disk space of a thread that has ended. */
  release(thread: number): void {
    Atomics.store(this.state.spooledBytes, thread, 0n);
  }

  /** Publishes the stage of a stop to the threads. */
  setStage(stage: keyof typeof stageNumbers): void {
    Atomics.store(this.state.words, stateWords.stage, stageNumbers[stage]);
  }
}

/** Returns tables of buckets that all threads share. */
export function limitTables(
  { clients, addresses, secret }: SharedLimits,
  monotonicMs: () => number,
): LimitTables {
  return {
    clients: (policy) => new SharedBucketTable(policy, clients, secret, monotonicMs),
    addresses: (policy) => new SharedBucketTable(policy, addresses, secret, monotonicMs),
  };
}
