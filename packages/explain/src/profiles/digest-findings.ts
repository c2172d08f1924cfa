import { type BodyFindings, bodyFindings } from '../diagnosis/body-findings.ts';
import type { Investigation } from '../diagnosis/investigation.ts';

/** Explains a digest that is not the body's; a digest that the signature does not cover is not compared. */
export function digestFindings(investigation: Investigation): BodyFindings {
  const { meant, request } = investigation;
  const isCompared =
    meant.structure !== undefined && request.body !== undefined && meant.digest !== undefined;
  return isCompared ? bodyFindings(investigation) : { findings: [] };
}
