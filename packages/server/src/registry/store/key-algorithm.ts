import { algorithmOfPem, type OfferedPublicKey } from '@countersign/signature/keys';
import type { MessageProfile } from '@countersign/signature/messages/request';
import { isProfileId, profiles } from '@countersign/signature/profile';
import {
  algorithmsOfKind,
  algorithmsToChoose,
  alternatives,
  isKeyAlgorithm,
  type KeyAlgorithm,
  keyAlgorithms,
} from '@countersign/signature/rfc9421';
import { RegistryError } from '../registry-error.ts';
import type { ClientRecord } from './client-records.ts';
import { isCurrentKey, isLive, type KeyRecord } from './key-state.ts';

/** Returns the algorithms that a profile signs with; undefined for a profile that is not known here. */
export type ProfileAlgorithms = (profile: string) => readonly string[] | undefined;

/** Returns the same, also for the closed profiles. */
export function algorithmsOfProfile(
  profile: string,
  others: ProfileAlgorithms | undefined,
): readonly string[] | undefined {
  return isProfileId(profile) ? profiles[profile].profile.algorithms : others?.(profile);
}

/** Returns what tells the algorithms of these profiles. */
export function profileAlgorithmsOf(
  known: readonly Pick<MessageProfile, 'id' | 'algorithms'>[],
): ProfileAlgorithms {
  return (profile) => known.find(({ id }) => id === profile)?.algorithms;
}

/** A key that is registered for a client with a profile. */
export interface KeyToRegister {
  readonly key: OfferedPublicKey;
  /** The algorithm that the caller names, if any. */
  readonly said: string | undefined;
  readonly profile: string;
}

/**
 * Returns the only algorithm that a key is registered for: what the caller says, what the key says, or the usual one of its
 * kind. Every later signature by another one is rejected.
 *
 * @throws RegistryError `key_refused` or `key_not_for_profile`, which says what to do
 */
export function algorithmToRegister(
  { key, said, profile }: KeyToRegister,
  others: ProfileAlgorithms | undefined,
): KeyAlgorithm {
  const { kind, claimed } = key;
  const allowed = algorithmsOfProfile(profile, others);
  if (said !== undefined) {
    checkSaid(key, said);
    if (allowed === undefined || allowed.includes(said)) return said as KeyAlgorithm;
  }
  const { possible, usual } = algorithmsToChoose({ kind, claimed, allowed });
  if (said === undefined && usual !== undefined) return usual;
  if (said === undefined && possible.length > 0)
    throw refuse(
      'algorithm_missing',
      `The key can be for ${alternatives(possible)}: say which, as "algorithm".`,
      'algorithm',
    );
  const wanted = said === undefined ? (claimed ?? algorithmsOfKind(kind)) : [said];
  const advice =
    possible.length > 0
      ? `register the key for ${alternatives(possible)}`
      : 'give a key for one of these, or give the client another profile';
  throw notForProfile(
    `This key is for ${alternatives(wanted)}, and the profile ${profile} signs with ${namesOf(allowed)}: ${advice}.`,
    said === undefined ? 'publicKey' : 'algorithm',
  );
}

/** What the caller says must be what the key is. */
function checkSaid({ kind, claimed }: OfferedPublicKey, said: string): void {
  const ofKind = algorithmsOfKind(kind);
  const possible = claimed ?? ofKind;
  if (possible.some((name) => name === said)) return;
  const usable = alternatives(possible);
  throw refuse(
    'algorithm_contradicts_key',
    claimed === undefined
      ? `The key is an ${keyAlgorithms[ofKind[0]!].keyTitle} key, which can be for ${usable}, not for ${said}: change "algorithm", or omit it.`
      : `The key says that it is for ${usable}, not for ${said}: change "algorithm", or omit it.`,
    'algorithm',
  );
}

/**
 * Checks that a client can sign by another profile with one of its registered keys, if it has any. The others may stay: a
 * change of keys takes its time.
 *
 * @throws RegistryError `key_not_for_profile`
 */
export function checkKeysFit(
  { keys, keyAgeDaysMax }: Pick<ClientRecord, 'keys' | 'keyAgeDaysMax'>,
  profile: string,
  allowed: readonly string[] | undefined,
  nowMs: number,
): void {
  if (allowed === undefined) return;
  const current = keys.filter((key) => isCurrentKey(key, keyAgeDaysMax, nowMs));
  if (
    current.length === 0 ||
    current.some((key) => allowed.includes(algorithmOfPem(key.spkiPem, key.algorithm) ?? ''))
  )
    return;
  throw notForProfile(
    `The profile ${profile} signs with ${namesOf(allowed)}, and none of the client's keys is for that: add such a key first, or revoke the keys.`,
    'profile',
  );
}

/**
 * Checks that a client's keys for RSASSA-PSS can stay when it gets a profile. Other keys may stay: a profile that does not sign
 * with them rejects their signatures.
 *
 * @throws RegistryError `key_not_for_profile`
 */
export function checkKeysOfProfile(
  keys: readonly KeyRecord[],
  profile: string,
  allowed: readonly string[] | undefined,
): void {
  if (allowed === undefined) return;
  const other = keys.find(
    (key) => isLive(key) && key.algorithm !== undefined && !allowed.includes(key.algorithm),
  );
  if (other === undefined) return;
  throw notForProfile(
    `The profile ${profile} signs with ${namesOf(allowed)}, but the key ${other.keyId} is for ${other.algorithm}: revoke it first.`,
    'profile',
  );
}

function namesOf(algorithms: readonly string[] = []): string {
  return alternatives(algorithms.filter(isKeyAlgorithm));
}

/** Returns what is stored: null for the usual algorithm of the key's kind. */
export function algorithmColumn(algorithm: KeyAlgorithm): string | null {
  return algorithmsOfKind(keyAlgorithms[algorithm].keyKind)[0] === algorithm ? null : algorithm;
}

function refuse(reason: string, message: string, member: string): RegistryError {
  return new RegistryError('key_refused', message, { reason, member: [member] });
}

function notForProfile(message: string, member: string): RegistryError {
  return new RegistryError('key_not_for_profile', message, { member: [member] });
}
