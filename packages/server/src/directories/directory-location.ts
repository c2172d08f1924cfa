import { directoryUrlOf, type SignatureAgent } from '@countersign/gate';
import { type DirectoryProblem, directoryProblem } from './directory-problem.ts';
import { checkDirectoryUrl, type TrustedOrigins } from './directory-url.ts';

/** The kinds of documents that publish keys: a JWK Set (RFC 7517 section 5), and an actor of ActivityPub. */
export const directoryForms = ['key-set', 'actor'] as const;

export type DirectoryForm = (typeof directoryForms)[number];

/** A directory: the URL that is fetched, and the document expected there. */
export interface DirectoryLocation {
  readonly form: DirectoryForm;
  readonly url: string;
}

/** The profiles whose signatures name the keys of an actor, by their URLs. */
const actorProfiles: ReadonlySet<string> = new Set(['mastodon-4.5']);

/** Returns the kind of document that has the keys of a client with a profile. */
export function formOfProfile(profile: string): DirectoryForm {
  return actorProfiles.has(profile) ? 'actor' : 'key-set';
}

/** A location, or why there is none. */
export type LocationReading = { readonly ok: true; readonly location: DirectoryLocation } | DirectoryProblem;

/** Returns the location of a document, if its URL may be fetched. */
export function directoryAt(
  form: DirectoryForm,
  url: string,
  trustedOrigins?: TrustedOrigins,
): LocationReading {
  const checked = checkDirectoryUrl(url, trustedOrigins);
  return checked.ok ? { ok: true, location: { form, url } } : checked;
}

/**
 * Returns the directory that a `Signature-Agent` names: see `directoryUrlOf`.
 *
 * Not checked: that the signature covers it.
 */
export function directoryOfSignatureAgent(
  agent: SignatureAgent,
  trustedOrigins?: TrustedOrigins,
): LocationReading {
  const url = directoryUrlOf(agent);
  return url === undefined
    ? directoryProblem('form_unsupported')
    : directoryAt('key-set', url, trustedOrigins);
}
