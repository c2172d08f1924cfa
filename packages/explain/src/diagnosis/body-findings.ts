import { formatContentDigest } from '@countersign/signature';
import { type Certainty, type Evidence, evidenceOf } from '../findings/evidence.ts';
import { type Finding, finding, mergeNotes } from '../findings/finding.ts';
import { searchDigest } from '../search/digest-search.ts';
import { printedBy } from '../bodies/printed-body.ts';
import type { Investigation } from './investigation.ts';

/** Check 12: compares the digest that was sent with the body that arrived, and searches for what was hashed. */
export function bodyFindings(investigation: Investigation): readonly Finding[] {
  const { request, options, hashes, budget, meant, forms } = investigation;
  const { digest, received } = meant;
  const { body } = request;
  const text = received.fields['content-digest'].value;
  if (text === undefined) return [];
  if (!digest) return [finding('digest_form', 'observed', { detail: text })];
  const inDigest = mergeNotes(digest.notes);
  const covers = meant.input?.components.some((name) => name.toLowerCase() === 'content-digest') ?? true;
  if (body === undefined || (body.length === 0 && !covers))
    return inDigest.map(({ code, detail }) => finding(code, 'observed', { detail }));
  const ofSearch = budget.part(0.5);
  const match = searchDigest(digest, forms, hashes, ofSearch);
  budget.absorb(ofSearch);
  const certainty: Certainty = match ? 'proven' : 'observed';
  const evidence = evidenceOf(formatContentDigest(options.sha256(body)), text);
  const findings = inDigest.map(({ code, detail }) => finding(code, certainty, { detail, evidence }));
  const hashed = bodyEvidence(investigation, match?.hashedText);
  for (const { code, detail } of mergeNotes(match?.notes ?? []))
    findings.push(finding(code, 'proven', { detail, evidence: hashed }));
  if (match || body.length === 0) return findings;
  const coding = meant.others.get('content-encoding');
  if (coding !== undefined && coding !== 'identity')
    findings.push(finding('body_compression', 'likely', { detail: `the body has the coding ${coding}` }));
  const language =
    request.body && printedBy(new TextDecoder().decode(request.body.subarray(0, printedBytesMax)));
  if (language !== undefined)
    findings.push(
      finding('body_printed', 'likely', {
        detail: `the body is an object as ${language} prints it`,
        evidence,
      }),
    );
  else findings.push(finding('body_other', 'likely', { evidence }));
  return findings;
}

/** Compares the received body with the text that was hashed. */
function bodyEvidence(
  { request, options, forms }: Investigation,
  hashedText: string | undefined,
): Evidence | undefined {
  const bytes = forms[0]?.bytes.length;
  if (options.omitBodyText || hashedText === undefined || bytes === undefined || bytes > shownBytesMax)
    return undefined;
  const body = new TextDecoder().decode(request.body);
  return body === hashedText ? undefined : evidenceOf(body, hashedText);
}

const printedBytesMax = 16 * 1024;
const shownBytesMax = 16 * 1024;
