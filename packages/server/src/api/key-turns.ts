import {
  type PublicKeyPolicy,
  type PublicKeyReading,
  readPublicKeyInTurns,
} from '@countersign/signature/node';

/**
 * Reads a text that is offered as a public key. Examining its modulus takes many milliseconds, so that goes on in short
 * turns, one for each round of the event loop, whatever number of keys is examined: requests never wait for more than one.
 */
export function readKeyInTurns(text: string, policy: PublicKeyPolicy): Promise<PublicKeyReading> {
  return readPublicKeyInTurns(text, policy, nextTurn);
}

let lastTurn: Promise<void> = Promise.resolve();

function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}
