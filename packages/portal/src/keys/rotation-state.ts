import type { Key } from '@countersign/contract';

/** The state of a client's key rollover, derived from its keys alone. */
export type RotationState =
  | {
      /** No rollover is in progress. */
      readonly phase: 'start';
      /** The key that the next one would replace, if one works. */
      readonly current: Key | undefined;
    }
  | {
      /** The new key waits for its first signed request. */
      readonly phase: 'deploy';
      readonly newKey: Key;
      /** Undefined if it was revoked or has ended. */
      readonly oldKey: Key | undefined;
    }
  | {
      /** The new key has signed. The old one works until it ends. */
      readonly phase: 'switch';
      readonly newKey: Key;
      readonly oldKey: Key;
    }
  | {
      /** The rollover the page follows is over. */
      readonly phase: 'done';
      readonly newKey: Key;
      readonly oldKey: Key | undefined;
    };

/**
 * Returns the state of a rollover.
 *
 * @param keys all keys of the client, including ended ones
 * @param followedKeyId the new key of the rollover to follow, from the address
 */
export function rotationState(keys: readonly Key[], followedKeyId?: string): RotationState {
  const usable = keys.filter(isUsable).toSorted(byAge);
  const [first, second] = usable;
  if (first !== undefined && second !== undefined) {
    const [oldKey, newKey] =
      second.replacesKeyId === undefined && first.replacesKeyId === second.keyId
        ? [second, first]
        : [first, second];
    return newKey.status === 'pending'
      ? { phase: 'deploy', newKey, oldKey }
      : { phase: 'switch', newKey, oldKey };
  }
  if (first === undefined) return { phase: 'start', current: undefined };
  const before = predecessor(first, keys);
  if (first.status === 'pending' && before !== undefined)
    return { phase: 'deploy', newKey: first, oldKey: undefined };
  if (first.keyId === followedKeyId && first.status !== 'pending')
    return { phase: 'done', newKey: first, oldKey: before };
  return { phase: 'start', current: first };
}

export type StepName = 'overlap' | 'key' | 'deploy' | 'switch';

/** Returns the steps in order. A client without a working key has nothing to switch over from. */
export function stepsOf(state: RotationState): readonly StepName[] {
  return isReplacing(state) ? ['overlap', 'key', 'deploy', 'switch'] : ['key', 'deploy'];
}

/** True if a key takes over from one that works or worked. */
export function isReplacing(state: RotationState): boolean {
  return state.phase === 'start' ? state.current !== undefined : state.oldKey !== undefined;
}

/** True if a key verifies, or will once its time starts. */
export function isUsable({ status }: Key): boolean {
  return status === 'pending' || status === 'active' || status === 'retiring';
}

/** Returns the key that another one replaces, or the last one added before it. */
function predecessor(key: Key, keys: readonly Key[]): Key | undefined {
  const replaced = keys.find(({ keyId }) => keyId === key.replacesKeyId);
  return (
    replaced ??
    keys
      .filter((other) => byAge(other, key) < 0)
      .toSorted(byAge)
      .at(-1)
  );
}

function byAge(one: Key, other: Key): number {
  return one.createdAt.localeCompare(other.createdAt) || one.keyId.localeCompare(other.keyId);
}
