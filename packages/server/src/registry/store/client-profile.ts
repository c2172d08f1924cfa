import { isProfileId, type ProfileId } from '@countersign/signature/profile';
import { RegistryError } from '../registry-error.ts';

/** The profile that a caller asks for: by its name, or by the switch that was there before profiles. Whether the service accepts it is the caller's to check. */
export interface ProfileChoice {
  readonly profile?: string | undefined;
  /** True for `countersign-without-date`, false for `countersign`. */
  readonly acceptWithoutDate?: boolean | undefined;
}

/**
 * Returns the chosen profile; undefined if the caller leaves it as it is.
 *
 * @throws RegistryError `profile_contradictory`
 */
export function chosenProfile({ profile, acceptWithoutDate }: ProfileChoice): string | undefined {
  if (acceptWithoutDate === undefined) return profile;
  const switched = profileOfSwitch(acceptWithoutDate);
  if (profile === undefined || profile === switched) return switched;
  throw new RegistryError(
    'profile_contradictory',
    `The profile ${profile} and acceptWithoutDate ${acceptWithoutDate} contradict each other: omit acceptWithoutDate, the earlier name of ${profileOfSwitch(true)}.`,
    { member: ['acceptWithoutDate'] },
  );
}

/**
 * Checks that clients of this service can have a profile, if one is chosen.
 *
 * @throws RegistryError `profile_unknown`
 */
export function checkProfile({ profile }: ProfileChoice, accepted: readonly string[]): void {
  if (profile === undefined || accepted.includes(profile)) return;
  throw new RegistryError(
    'profile_unknown',
    `This service does not accept the profile ${profile}: write one of ${accepted.join(', ')}.`,
    { member: ['profile'] },
  );
}

/** The columns of the table of clients that hold a profile: a switch for the closed ones, and the name of another. */
interface ProfileColumns {
  readonly accept_without_date: 0 | 1;
  readonly profile: string | null;
}

export function profileColumns(profile: string): ProfileColumns {
  return {
    accept_without_date: acceptsWithoutDate(profile) ? 1 : 0,
    profile: isProfileId(profile) ? null : profile,
  };
}

export function profileOfRow({ accept_without_date, profile }: ProfileColumns): string {
  return profile ?? profileOfSwitch(accept_without_date === 1);
}

/** Returns the earlier name for a profile. */
export function acceptsWithoutDate(profile: string): boolean {
  return profile === 'countersign-without-date';
}

function profileOfSwitch(acceptWithoutDate: boolean): ProfileId {
  return acceptWithoutDate ? 'countersign-without-date' : 'countersign';
}
