import type { DigestAlgorithm } from './message-profile.ts';

/** What messages need of a runtime, apart from keys. */
export interface MessagePlatform {
  readonly digest: (
    algorithm: DigestAlgorithm,
    bytes: Uint8Array<ArrayBuffer>,
  ) => Uint8Array | Promise<Uint8Array>;
}
