import { profileList } from './accepted-profiles.ts';
import { acceptedNames } from './base-url-profiles.ts';
import { ConfigurationError, type GivenSettings, givenSetting } from './load.ts';
import { settings } from './settings.ts';

/**
 * Returns the names of the profiles that clients can have by these settings, the closed ones first; undefined if the settings
 * do not say which.
 *
 * @throws ConfigurationError if the setting, or the file that may hold it, has a mistake
 */
export function acceptedProfileNames(environment: GivenSettings[0]): readonly string[] | undefined {
  const given = givenSetting('profiles', environment);
  if (given === undefined) return undefined;
  const { success, data, error } = profileList.safeParse(given);
  if (!success)
    throw new ConfigurationError(
      error.issues.map(({ message }) => `${settings.profiles.environment}: ${message}`),
    );
  return acceptedNames(data);
}
