import { algorithmsOfKind, algorithmsToChoose, type KeyAlgorithm } from '@countersign/signature/rfc9421';
import type { AcceptedKey } from './key-input-state.ts';

/** The algorithms that a key can be registered for, and the one that is chosen. */
export interface KeyPurpose {
  readonly possible: readonly KeyAlgorithm[];
  /** Undefined if the profile signs with none of them. */
  readonly algorithm: KeyAlgorithm | undefined;
}

/**
 * Returns what a key can be for.
 *
 * @param allowed the algorithms of the client's profile; undefined until they are known
 * @param chosen what the person chose, perhaps for another key or another profile
 */
export function keyPurpose(
  { kind, claimed }: AcceptedKey,
  allowed: readonly string[] | undefined,
  chosen: string | undefined,
): KeyPurpose {
  const { possible, usual } = algorithmsToChoose({ kind, claimed, allowed });
  return { possible, algorithm: possible.find((name) => name === chosen) ?? usual ?? possible[0] };
}

/** Returns what the service is told: nothing for the usual algorithm of the key's kind. */
export function toldAlgorithm(
  { kind }: AcceptedKey,
  algorithm: KeyAlgorithm | undefined,
): string | undefined {
  return algorithm === algorithmsOfKind(kind)[0] ? undefined : algorithm;
}
