import { algorithmOfPem } from '@countersign/signature/keys';
import { messageProfiles } from '@countersign/signature/messages/request';
import { isProfileId } from '@countersign/signature/profile';
import { algorithmNamed } from '@countersign/signature/rfc9421';
import { RegistryError } from '../registry-error.ts';
import { isCurrentKey, type KeyRecord } from './key-state.ts';

/** The algorithms that profiles sign with and that keys can be registered for, by the names of the profiles. */
export type ProfileAlgorithms = ReadonlyMap<string, readonly string[]>;

/** Those of the library, for whoever does not know which ones the service accepts. */
export function libraryProfileAlgorithms(): ProfileAlgorithms {
  const profiles = Object.values(messageProfiles);
  return new Map(
    profiles.map(({ id, algorithms }) => [
      id,
      algorithms.filter((name) => algorithmNamed(name) !== undefined),
    ]),
  );
}

/**
 * Checks that a client's profile signs with keys like this one. Any key will do for a profile that is not known here.
 *
 * @throws RegistryError `key_not_for_profile`
 */
export function checkKeyFits(
  { algorithm }: { readonly algorithm: string },
  profile: string,
  known: ProfileAlgorithms | undefined,
): void {
  const algorithms = algorithmsOf(profile, known);
  if (algorithms === undefined || algorithms.includes(algorithm)) return;
  throw new RegistryError(
    'key_not_for_profile',
    `This key is for ${algorithm}, and the profile ${profile} signs with ${algorithms.join(', ')}: choose a key of another kind, or another profile.`,
    { member: ['publicKey'] },
  );
}

/**
 * Checks that a client can sign by another profile with one of its registered keys, if it has any. The others may stay: a
 * change of keys takes its time.
 *
 * @throws RegistryError `key_not_for_profile`
 */
export function checkKeysFit(
  {
    keys,
    keyAgeDaysMax,
  }: { readonly keys: readonly KeyRecord[]; readonly keyAgeDaysMax: number | undefined },
  profile: string,
  known: ProfileAlgorithms | undefined,
  nowMs: number,
): void {
  const algorithms = algorithmsOf(profile, known);
  if (algorithms === undefined) return;
  const current = keys.filter((key) => isCurrentKey(key, keyAgeDaysMax, nowMs));
  const fits = ({ spkiPem }: KeyRecord): boolean => algorithms.includes(algorithmOfPem(spkiPem) ?? '');
  if (current.length === 0 || current.some(fits)) return;
  throw new RegistryError(
    'key_not_for_profile',
    `The profile ${profile} signs with ${algorithms.join(', ')}, and none of the client's keys is for that: add such a key first, or revoke the keys.`,
    { member: ['profile'] },
  );
}

function algorithmsOf(profile: string, known: ProfileAlgorithms | undefined): readonly string[] | undefined {
  return known?.get(isProfileId(profile) ? 'countersign' : profile);
}
