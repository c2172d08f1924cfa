import { createHash, type Hash } from 'node:crypto';
import { formatContentDigest } from '@countersign/signature/rfc9421';
import type { BodySink } from './relay.ts';

/** How gathering a body ended: with all of it, because it is larger than allowed, or because it broke off. */
export type WholeBodyOutcome =
  | { readonly outcome: 'complete'; readonly bytes: Uint8Array; readonly contentDigest: string | undefined }
  | { readonly outcome: 'too large' }
  | { readonly outcome: 'broken' };

/** A body grows from this size, if its length is not announced. */
const firstBytes = 16_384;

/**
 * Gathers a body, because its digest is sent before it. Chunks are copied and hashed as they arrive: a hundred bytes of
 * bookkeeping for each chunk of one byte would multiply the limit, and hashing all at once would hold up other requests.
 */
export class WholeBody implements BodySink {
  /** Resolves when the body ends, or exceeds the limit. Never rejects. */
  readonly outcome: Promise<WholeBodyOutcome>;
  readonly #resolve: (outcome: WholeBodyOutcome) => void;
  readonly #bytesMax: number;
  readonly #hash: Hash = createHash('sha256');
  #bytes: Buffer;
  #length = 0;
  #isOver = false;

  /** @param announcedBytes the length that was announced, within the limit; undefined if none was */
  constructor(bytesMax: number, announcedBytes: number | undefined) {
    const { promise, resolve } = Promise.withResolvers<WholeBodyOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.#bytesMax = bytesMax;
    this.#bytes = Buffer.allocUnsafeSlow(announcedBytes ?? Math.min(firstBytes, bytesMax));
  }

  data(chunk: Uint8Array): void {
    if (this.#isOver) return;
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) {
      this.#end({ outcome: 'too large' });
      return;
    }
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
    this.#hash.update(chunk);
  }

  end(): void {
    const bytes = this.#bytes.subarray(0, this.#length);
    const contentDigest = bytes.length === 0 ? undefined : formatContentDigest(this.#hash.digest());
    this.#end({ outcome: 'complete', bytes, contentDigest });
  }

  break(): void {
    this.#end({ outcome: 'broken' });
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#bytesMax, Math.max(length, this.#bytes.length * 2)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  #end(outcome: WholeBodyOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resolve(outcome);
  }
}
