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
  return readPublicKeyInTurns(text, policy, nextTurn);
}

let lastTurn: Promise<void> = Promise.resolve();

/** Resolves in a round of the event loop that nobody else who waits for a turn shares. */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}
