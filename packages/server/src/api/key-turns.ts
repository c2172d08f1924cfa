import {
  type PublicKeyPolicy,
  type PublicKeyReading,
  readPublicKeyInTurns,
} from '@countersign/signature/node';

/**
 * Reads text offered as a public key. Examining the modulus takes many milliseconds, so it runs in short turns, one per
 * round of the event loop, however many keys are being examined: requests never wait for more than one turn.
 */
export function readKeyInTurns(text: string, policy: PublicKeyPolicy): Promise<PublicKeyReading> {
  return readPublicKeyInTurns(text, policy, () => turns.next());
}

/** Short pieces of work that wait in one queue, each for a round of the event loop that it shares with none of the others. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}

const turns = new Turns();
