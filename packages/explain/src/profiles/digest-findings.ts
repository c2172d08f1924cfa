import type { DefinedProfile } from '@countersign/signature/messages/request';
import { type BodyFindings, bodyFindings } from '../diagnosis/body-findings.ts';
import type { Investigation } from '../diagnosis/investigation.ts';

/** Explains a digest that is not the body's; a digest that the signature does not cover is not compared. */
export function digestFindings(_defined: DefinedProfile, investigation: Investigation): BodyFindings {
  const { meant, request } = investigation;
  if (meant.structure === undefined || request.body === undefined) return { findings: [] };
  return meant.digest === undefined ? { findings: [] } : bodyFindings(investigation);
}
