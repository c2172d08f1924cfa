import type { DigestAlgorithm } from './message-profile.ts';

/** What messages need of a runtime, apart from keys. */
export interface MessagePlatform {
  readonly digest: (
    algorithm: DigestAlgorithm,
    bytes: Uint8Array<ArrayBuffer>,
  ) => Uint8Array | Promise<Uint8Array>;
  /** True if other threads do the operations: those of a message that do not need each other's results can run at once. */
  readonly isConcurrent: boolean;
}
