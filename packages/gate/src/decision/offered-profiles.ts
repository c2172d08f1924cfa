import { acceptMessageSignature } from '@countersign/signature/messages/request';
import { isProfileId } from '@countersign/signature/profile';
import type { Attempt } from './decide.ts';
import type { OtherProfiles } from './profiled-request.ts';

/** Returns true unless the base URL accepts only other profiles than the closed ones. */
export function offersClosed({ offeredProfiles }: Pick<Attempt, 'offeredProfiles'>): boolean {
  return offeredProfiles === undefined || offeredProfiles.some(isProfileId);
}

/**
 * Returns the `Accept-Signature` for someone who has proved nothing, at a base URL that does not accept the closed profile: by
 * the first profile that it accepts. A client signs for each member of the field (RFC 9421 section 5.2), so it cannot name
 * alternatives. Undefined elsewhere.
 *
 * It depends on the base URL and the request alone: a route's own profiles would tell strangers which routes exist.
 */
export function offeredSignature(
  attempt: Pick<Attempt, 'offeredProfiles' | 'method' | 'targetUri' | 'hasBody'>,
  otherProfiles: OtherProfiles | undefined,
): string | undefined {
  if (offersClosed(attempt)) return undefined;
  const { offeredProfiles = [], method, targetUri, hasBody = true } = attempt;
  const profile = otherProfiles?.get(offeredProfiles[0] ?? '');
  if (profile === undefined) return undefined;
  // The rest of the target may not even be a URL.
  const [origin = ''] = /^https?:\/\/[^/?]+/.exec(targetUri) ?? [];
  const uri = `${origin}/${targetUri.includes('?') ? '?query' : ''}`;
  const body = hasBody ? new Uint8Array(1) : null;
  return acceptMessageSignature(profile, { method, targetUri: uri, headers: [], body });
}
