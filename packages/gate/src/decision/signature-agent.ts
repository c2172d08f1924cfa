import type { DefinedProfile, RequestSignature } from '@countersign/signature/messages/request';
import { parseItem } from '@countersign/signature/rfc9421';
import { type Refusal, refuse } from '@countersign/signature/profile';
import type { RegisteredClient } from '../registry.ts';

/** The value of `Signature-Agent`, or of the one member that the signature covers. */
export interface SignatureAgent {
  /** The string, without quotation marks. */
  readonly value: string;
  /** Its parameter `type`. */
  readonly type?: string | undefined;
}

/**
 * Returns the URL of the directory that a `Signature-Agent` names, in the four forms in use; undefined for other types:
 *
 * - a member that is the URL of a JWK Set (draft-ietf-webbotauth-httpsig-protocol-01);
 * - a member that is an origin, whose directory is at the well-known path (drafts of 2025 and 2026);
 * - one string with an origin, without a member's name (draft-meunier-web-bot-auth-architecture);
 * - a member with `type=jwks_uri`: the URL of a JWK Set, even at an origin's root.
 *
 * Not checked: that the signature covers it, and that the URL may be fetched.
 */
export function directoryUrlOf({ value, type }: SignatureAgent): string | undefined {
  if (type === 'jwks_uri') return value;
  if (type !== undefined && type !== 'directory') return undefined;
  // An origin may be written without the slash of its path.
  const isOrigin = /^https?:\/\/[^/?#\\]*\/?$/.test(value);
  return isOrigin ? `${value.replace(/\/$/, '')}${keyDirectoryPath}` : value;
}

/**
 * Returns the URL of the directory that a signature names: every `Signature-Agent` that it covers must name the same one.
 * Undefined for none.
 */
export function coveredDirectory({ covered }: Pick<RequestSignature, 'covered'>): string | undefined {
  const agents = covered.filter(({ identifier }) => identifier.name === 'signature-agent');
  const urls = new Set(agents.map(({ value }) => readAgent(value)));
  const [url] = urls;
  return urls.size === 1 ? url : undefined;
}

/**
 * Rejects a request that names another directory than the one that its client's keys come from, or none: the same key in
 * another directory is another key. Profiles without `Signature-Agent` name no directory.
 */
export function checkDirectory(
  { directoryUrl }: Pick<RegisteredClient, 'directoryUrl'>,
  signature: Pick<RequestSignature, 'covered'>,
  { rules }: DefinedProfile,
): Refusal | undefined {
  const namesDirectory = rules.some(({ identifiers }) =>
    identifiers.some(({ name }) => name === 'signature-agent'),
  );
  if (directoryUrl === undefined || !namesDirectory) return undefined;
  if (coveredDirectory(signature) === directoryUrl) return undefined;
  return refuse(
    'directory_mismatch',
    `the signature must cover a Signature-Agent that names the directory of this client's keys, ${directoryUrl}`,
  );
}

/** Reads a covered value: a string, perhaps with parameters (RFC 8941 section 3.3). */
function readAgent(text: string): string | undefined {
  const item = parseItem(text);
  if (item?.value.type !== 'string') return undefined;
  const type = item.parameters.get('type');
  if (type === undefined) return directoryUrlOf({ value: item.value.value });
  if (type.type !== 'token' && type.type !== 'string') return undefined;
  return directoryUrlOf({ value: item.value.value, type: type.value });
}

/** The path at which an origin publishes its keys (draft-meunier-http-message-signatures-directory section 3). */
export const keyDirectoryPath = '/.well-known/http-message-signatures-directory';
