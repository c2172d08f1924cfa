import { nextLoopTurn } from '@countersign/gate/loop-turns';
import {
  type OfferedKeyPolicy,
  type OfferedKeyReading,
  readOfferedKeyInTurns,
} from '@countersign/signature/keys';

/** Reads text offered as a public key. Examining it takes many milliseconds, so it runs in steps. */
export function readKeyInTurns(text: string, policy: OfferedKeyPolicy): Promise<OfferedKeyReading> {
  return readOfferedKeyInTurns(text, policy, nextKeyTurn);
}

function nextKeyTurn(): Promise<void> {
  return nextLoopTurn('keys');
}
