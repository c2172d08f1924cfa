import type { RequestExplanation } from '@countersign/contract';
import type { CandidateKey, Explanation } from '@countersign/explain';
import { type FindingCode, findings as table, type FindingTexts } from '@countersign/explain/findings';
import { algorithmOfPem } from '@countersign/signature/keys';
import type { AccountKey } from '../registry/store/account-keys.ts';

/** Converts keys for the explainer, with client names only if the reader may see clients. */
export function candidatesOf(keys: readonly AccountKey[], withNames: boolean): CandidateKey[] {
  return keys.map(({ spkiPem, algorithm, fingerprint, publishedId, clientId, clientName, status }) => ({
    spkiPem,
    fingerprint,
    clientId,
    keyState: status,
    algorithms: [algorithmOfPem(spkiPem, algorithm) ?? ''],
    ...(publishedId !== undefined && { publishedId }),
    ...(withNames && { clientName }),
  }));
}

/** Converts an explanation for a reader who may see every key it was made with. */
export function shownExplanation(explanation: Explanation): RequestExplanation {
  const { verdict, checks, base, wanted, findings, isComplete } = explanation;
  return {
    verdict,
    checks,
    ...(base !== undefined && { base }),
    ...(wanted && { wanted: shownWanted(wanted) }),
    findings: findings.map(({ alsoCodes, ...one }) => ({
      ...one,
      ...(alsoCodes && { alsoCodes: [...alsoCodes] }),
    })),
    isComplete,
    withheldFindings: 0,
  };
}

function shownWanted({
  profile,
  signatureInput,
  acceptSignature,
}: NonNullable<Explanation['wanted']>): NonNullable<RequestExplanation['wanted']> {
  return {
    profile,
    ...(signatureInput !== undefined && { signatureInput }),
    ...(acceptSignature !== undefined && { acceptSignature }),
  };
}

/** Removes the findings that reveal a key, its owner, its state or its size. */
export function withoutKeys(explanation: RequestExplanation): RequestExplanation {
  const findings = explanation.findings.filter(({ code }) => !tellsOfKeys(code));
  const withheldFindings = explanation.findings.length - findings.length;
  const { wanted } = explanation;
  return {
    ...explanation,
    // Its keyid may be the client of the key that signed.
    ...(wanted && { wanted: { ...wanted, signatureInput: undefined } }),
    findings,
    withheldFindings,
  };
}

function tellsOfKeys(code: string): boolean {
  if (/^key(?:id)?_/.test(code)) return true;
  const known: FindingTexts | undefined = Object.hasOwn(table, code) ? table[code as FindingCode] : undefined;
  return known?.tellsOfKeys === true;
}
