import { randomFillSync } from 'node:crypto';
import {
  bucketSecretLength,
  type LimitTables,
  makeSharedBuckets,
  SharedBucketTable,
} from '@countersign/gate';
import { RegistryFeed } from './registry-feed.ts';
import { type SharedLimits, type SharedState, stageNumbers, stateWords } from './thread-messages.ts';

/** More than the setting allows. */
const threadsMax = 64;

/** What the main thread shares with those that serve the API, besides the replay guard. */
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

  /** Gives back what a thread that has ended had on disk. */
  release(thread: number): void {
    Atomics.store(this.state.spooledBytes, thread, 0n);
  }

  /** Lets the threads know how far the service has come on its way to a stop. */
  tellStage(stage: keyof typeof stageNumbers): void {
    Atomics.store(this.state.words, stateWords.stage, stageNumbers[stage]);
  }
}

/** Returns tables of buckets that are the same in all threads. */
export function limitTables(
  { clients, addresses, secret }: SharedLimits,
  monotonicMs: () => number,
): LimitTables {
  return {
    clients: (policy) => new SharedBucketTable(policy, clients, secret, monotonicMs),
    addresses: (policy) => new SharedBucketTable(policy, addresses, secret, monotonicMs),
  };
}
