import { SigningError } from '@countersign/signature';
import type { ComponentIdentifier, DefinedProfile, DefinedRule } from '@countersign/signature/messages';
import type { HeaderOf } from './request-signer.ts';

/** A request whose headers a profile may cover. */
export interface CoveredRequest {
  readonly method: string;
  readonly hasBody: boolean;
  readonly header: HeaderOf;
}

/**
 * Returns the header lines that a profile looks at, except for `Content-Digest`, which is computed.
 *
 * @param alsoCover the components that are covered in addition
 * @throws SigningError `request_invalid` if the request lacks one that a signature must cover
 */
export function coveredHeaders(
  { profile, rules }: DefinedProfile,
  alsoCover: readonly ComponentIdentifier[],
  request: CoveredRequest,
): readonly (readonly [name: string, value: string])[] {
  const required = [
    ...rules.filter((rule) => applies(rule, request)).map(({ identifiers }) => identifiers),
    ...alsoCover.map((identifier) => [identifier]),
  ];
  const lacking = required.find((choices) =>
    choices.every(({ name }) => isHeader(name) && !isSet(request.header(name))),
  );
  if (lacking !== undefined) throw lacks([...new Set(lacking.map(({ name }) => name))], profile.id);
  const all = [...rules.flatMap(({ identifiers }) => identifiers), ...alsoCover];
  return [...new Set(all.map(({ name }) => name))].filter(isHeader).flatMap((name): [string, string][] => {
    const value = request.header(name);
    return isSet(value) ? [[name, value]] : [];
  });
}

/** Returns true for a header that is the caller's. */
function isHeader(name: string): boolean {
  return !name.startsWith('@') && name !== 'content-digest';
}

function isSet(value: string | null | undefined): value is string {
  return value !== undefined && value !== null;
}

/** A rule for what is present, or for the query, never lacks a header. */
function applies({ when }: DefinedRule, { method, hasBody }: CoveredRequest): boolean {
  if (typeof when === 'object') return when.methods.includes(method);
  return when === 'always' || (when === 'body' && hasBody);
}

function lacks(names: readonly string[], profileId: string): SigningError {
  const shown = names.map((name) => name.replace(/(?:^|-)[a-z]/g, (letters) => letters.toUpperCase()));
  const hint = names.map((name) => hints[name] ?? '').join('');
  return new SigningError(
    'request_invalid',
    `A signature by ${profileId} covers ${shown.join(' or ')}, which this request lacks: set that header.${hint}`,
  );
}

const hints: Readonly<Record<string, string>> = {
  'signature-agent': ' Or sign as an agent, with the URL of your JWK Set.',
};
