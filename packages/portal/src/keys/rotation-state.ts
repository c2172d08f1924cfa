import type { Key } from '@countersign/contract';

/** A client's rollover from one key to the next, as its keys tell it: nothing of it is remembered in the page. */
export type RotationState =
  | {
      /** No rollover runs: the next key can be added. */
      readonly phase: 'start';
      /** The key that the next one would replace; undefined when the client has none that verifies. */
      readonly current: Key | undefined;
    }
  | {
      /** The new key is registered and waits for its first signed request. */
      readonly phase: 'deploy';
      readonly newKey: Key;
      /** Undefined when there is no other key, because it was revoked or has ended meanwhile. */
      readonly oldKey: Key | undefined;
    }
  | {
      /** The new key has signed: the old one verifies until it ends. */
      readonly phase: 'switch';
      readonly newKey: Key;
      readonly oldKey: Key;
    }
  | {
      /** The rollover that the page was opened for is over. */
      readonly phase: 'done';
      readonly newKey: Key;
      readonly oldKey: Key | undefined;
    };

/**
 * Where a rollover stands.
 *
 * @param keys all keys of the client, also those that have ended
 * @param followedKeyId the new key whose rollover is looked at, from the address of the page
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

/** One step of a rotation. */
export type StepName = 'overlap' | 'key' | 'deploy' | 'switch';

/** The steps in their order; a client without a key that works has nothing to switch over from. */
export function stepsOf(state: RotationState): readonly StepName[] {
  return isReplacing(state) ? ['overlap', 'key', 'deploy', 'switch'] : ['key', 'deploy'];
}

/** Whether a key takes over from another one that still works, or did. */
export function isReplacing(state: RotationState): boolean {
  return state.phase === 'start' ? state.current !== undefined : state.oldKey !== undefined;
}

/** Whether a key verifies, or will when its time begins. */
export function isUsable({ status }: Key): boolean {
  return status === 'pending' || status === 'active' || status === 'retiring';
}

/** The key that was used before a key: the one that it replaces, or the last that was there before it. */
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
