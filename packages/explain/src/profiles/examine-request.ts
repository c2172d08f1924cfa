import { type DefinedProfile, type ExaminedHead, examineHead } from '@countersign/signature/messages/request';
import type { ExplainOptions, RequestToExplain } from '../explanation.ts';

/** Runs a profile's checks of the head. */
export function examineRequest(
  defined: DefinedProfile,
  { method, targetUri, headers, body }: RequestToExplain,
  { nowSeconds }: Pick<ExplainOptions, 'nowSeconds'>,
): ExaminedHead {
  return examineHead({ method, targetUri, headers: headers.map(([name, value]) => [name, value]) }, defined, {
    nowSeconds,
    hasBody: body && body.length > 0,
  });
}
