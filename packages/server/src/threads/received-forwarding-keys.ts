import { sign } from 'node:crypto';
import type { ForwardingKey, ForwardingSigner } from '@countersign/gate';
import { keyNow } from '../forwarding/forwarding-keys.ts';
import type { SentForwardingKey } from './thread-messages.ts';

/** The keys that sign forwarded requests and responses, as created and published by the main thread. */
export class ReceivedForwardingKeys implements ForwardingSigner {
  readonly nowMs: () => number;
  #keys: readonly (SentForwardingKey & ForwardingKey)[] = [];

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  use(keys: readonly SentForwardingKey[]): void {
    this.#keys = keys.map((key) => ({ ...key, sign: (base) => sign(null, base, key.privateKey) }));
  }

  key(): ForwardingKey | undefined {
    return keyNow(this.#keys, this.nowMs());
  }
}
