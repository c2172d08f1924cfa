import type { ProfileId } from '@countersign/signature';
import { RegistryError } from '../registry-error.ts';

/** The profile that a caller asks for: by its name, or by the switch that was there before profiles. */
export interface ProfileChoice {
  readonly profile?: ProfileId | undefined;
  /** True for `countersign-without-date`, false for `countersign`. */
  readonly acceptWithoutDate?: boolean | undefined;
}

/**
 * Returns the chosen profile; undefined if the caller leaves it as it is.
 *
 * @throws RegistryError `profile_contradictory`
 */
export function chosenProfile({ profile, acceptWithoutDate }: ProfileChoice): ProfileId | undefined {
  if (acceptWithoutDate === undefined) return profile;
  const switched = profileOfSwitch(acceptWithoutDate);
  if (profile === undefined || profile === switched) return switched;
  throw new RegistryError(
    'profile_contradictory',
    `The profile ${profile} and acceptWithoutDate ${acceptWithoutDate} contradict each other: omit acceptWithoutDate, the earlier name of ${profileOfSwitch(true)}.`,
    { member: ['acceptWithoutDate'] },
  );
}

/** The columns of the table of clients that hold a profile. There are two profiles, so one of two values is enough. */
interface ProfileColumns {
  readonly accept_without_date: 0 | 1;
}

export function profileColumns(profile: ProfileId): ProfileColumns {
  return { accept_without_date: acceptsWithoutDate(profile) ? 1 : 0 };
}

export function profileOfRow({ accept_without_date }: ProfileColumns): ProfileId {
  return profileOfSwitch(accept_without_date === 1);
}

/** Returns the earlier name for a profile. */
export function acceptsWithoutDate(profile: ProfileId): boolean {
  return profile === 'countersign-without-date';
}

function profileOfSwitch(acceptWithoutDate: boolean): ProfileId {
  return acceptWithoutDate ? 'countersign-without-date' : 'countersign';
}
