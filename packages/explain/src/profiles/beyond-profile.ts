import { type ExaminedSignature, openParts } from '@countersign/signature/messages/request';
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
  { covered = [] }: ExaminedSignature,
  { targetUri, body }: RequestToExplain,
  { refusedWith }: ExplainOptions,
): BeyondProfile | undefined {
  if (refusedWith === 'directory_mismatch')
    return { code: 'profile_agent', reason: "Signature-Agent names another directory than the client's" };
  if (refusedWith !== 'components_invalid') return undefined;
  const open = openParts(covered, { targetUri, hasBody: body !== undefined && body.length > 0 });
  if (open.length === 0) return undefined;
  return { code: 'profile_left_open', reason: `the signature leaves ${open.join(', ')} open` };
}
