import { SigningError } from '@countersign/signature';
import { type DefinedProfile, defineProfile, messageProfiles } from '@countersign/signature/messages';

/**
 * Returns a profile for requests.
 *
 * @param profile of `defineProfile`, or the id of one that comes with the library
 * @throws SigningError `request_invalid`
 */
export function findProfile(profile: DefinedProfile | string): DefinedProfile {
  const defined = typeof profile === 'string' ? profileNamed(profile) : profile;
  if (typeof defined !== 'object' || defined === null || !('rules' in defined))
    throw new SigningError('request_invalid', 'profile must be a name, or what defineProfile returned.');
  if (defined.profile.message === 'request') return defined;
  throw new SigningError(
    'request_invalid',
    `${defined.profile.id} is a profile for responses, which clients do not sign.`,
  );
}

function profileNamed(id: string): DefinedProfile {
  const all = Object.values(messageProfiles);
  const found = all.find((profile) => profile.id === id);
  if (found !== undefined) return defineProfile(found);
  const names = all
    .filter((profile) => profile.message === 'request' && profile.id !== 'countersign')
    .map((profile) => profile.id);
  throw new SigningError(
    'request_invalid',
    `There is no profile "${id}". The profiles for requests are ${names.join(', ')}. defineProfile makes others.`,
  );
}
