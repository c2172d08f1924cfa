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

/** Returns a text that no other location has. */
export function nameOf({ form, url }: DirectoryLocation): string {
  return `${form} ${url}`;
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

/** The value of `Signature-Agent`, or of the one member that the signature covers. */
export interface SignatureAgent {
  /** The string, without quotation marks. */
  readonly value: string;
  /** Its parameter `type`. */
  readonly type?: string | undefined;
}

/**
 * Returns the directory that a `Signature-Agent` names, in the four forms in use:
 *
 * - a member that is the URL of a JWK Set (draft-ietf-webbotauth-httpsig-protocol-01);
 * - a member that is an origin, whose directory is at the well-known path (drafts of 2025 and 2026);
 * - one string with an origin, without a member's name (draft-meunier-web-bot-auth-architecture);
 * - a member with `type=jwks_uri`: the URL of a JWK Set, even at an origin's root.
 *
 * Not checked: that the signature covers it.
 */
export function directoryOfSignatureAgent(
  { value, type }: SignatureAgent,
  trustedOrigins?: TrustedOrigins,
): LocationReading {
  if (type === 'jwks_uri') return directoryAt('key-set', value, trustedOrigins);
  if (type !== undefined && type !== 'directory') return directoryProblem('form_unsupported');
  // An origin may be written without the slash of its path.
  const isOrigin = /^https?:\/\/[^/?#\\]*\/?$/.test(value);
  const url = isOrigin ? `${value.replace(/\/$/, '')}${wellKnownPath}` : value;
  return directoryAt('key-set', url, trustedOrigins);
}

/**
 * Returns the actor that a `keyid` of ActivityPub belongs to: the URL without its fragment. The key's ID in the document must
 * be the whole `keyid`.
 */
export function directoryOfActorKey(keyid: string, trustedOrigins?: TrustedOrigins): LocationReading {
  const hash = keyid.indexOf('#');
  if (hash < 0) return directoryProblem('url_malformed', 'The key ID has no fragment, such as #main-key.');
  return directoryAt('actor', keyid.slice(0, hash), trustedOrigins);
}

/** draft-meunier-http-message-signatures-directory section 3. */
const wellKnownPath = '/.well-known/http-message-signatures-directory';
