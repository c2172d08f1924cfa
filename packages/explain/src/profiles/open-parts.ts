import type { DefinedProfile, ExaminedSignature } from '@countersign/signature/messages/request';
import type { ExplainOptions, RequestToExplain } from '../explanation.ts';

/** What a service may reject although the profile's checks pass. */
export interface BeyondProfile {
  readonly code: 'profile_left_open' | 'profile_agent';
  readonly reason: string;
}

/**
 * Returns why a service may have rejected the components of a signature that follows its profile: an API may require that more
 * is covered, and a client's keys may come from a directory that `Signature-Agent` must name. Undefined for another code.
 */
export function beyondProfile(
  { rules }: DefinedProfile,
  signature: ExaminedSignature,
  request: RequestToExplain,
  { refusedWith }: ExplainOptions,
): BeyondProfile | undefined {
  if (refusedWith !== 'components_invalid') return undefined;
  const open = openParts(signature, request);
  if (open.length > 0)
    return { code: 'profile_left_open', reason: `the signature leaves ${open.join(', ')} open` };
  const namesDirectory = rules.some(({ identifiers }) =>
    identifiers.some(({ name }) => name === 'signature-agent'),
  );
  return namesDirectory
    ? { code: 'profile_agent', reason: 'Signature-Agent may name another directory than the registered one' }
    : undefined;
}

function openParts(
  { covered = [] }: ExaminedSignature,
  { targetUri, body }: RequestToExplain,
): readonly string[] {
  const texts = new Set(covered.map(({ identifier }) => identifier.text));
  const ofUrl = ['"@authority"', '"@path"', ...(targetUri.includes('?') ? ['"@query"'] : [])];
  const parts = ['"@method"', ...(texts.has('"@target-uri"') ? [] : ofUrl)];
  const isBodyOpen =
    body !== undefined &&
    body.length > 0 &&
    !covered.some(({ identifier }) => identifier.name === 'content-digest');
  return [...parts.filter((part) => !texts.has(part)), ...(isBodyOpen ? ['"content-digest"'] : [])];
}
