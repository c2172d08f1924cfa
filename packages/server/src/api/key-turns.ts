import { nextLoopTurn } from '@countersign/gate/loop-turns';
import {
  type PublicKeyPolicy,
  type PublicKeyReading,
  readPublicKeyInTurns,
} from '@countersign/signature/node';

/** Reads text offered as a public key. Examining it takes many milliseconds, so it runs in steps. */
export function readKeyInTurns(text: string, policy: PublicKeyPolicy): Promise<PublicKeyReading> {
  return readPublicKeyInTurns(text, policy, nextKeyTurn);
}

function nextKeyTurn(): Promise<void> {
  return nextLoopTurn('keys');
}
