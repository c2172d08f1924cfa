import type { CandidateKey, Certainty, Finding } from '../explanation.ts';
import { finding, type FindingCode } from './findings.ts';
import { type FoundSigner, isUsable } from '../search/signer-search.ts';

/** What is wrong with the clientId, seen from the clients that the reader may know. */
export function keyidFindings(
  keyid: string | undefined,
  candidates: readonly CandidateKey[],
  signer: FoundSigner | undefined,
): readonly Finding[] {
  if (keyid === undefined || candidates.some(({ clientId }) => clientId === keyid)) return [];
  const named = candidates.find(
    ({ clientName, fingerprint }) =>
      clientName?.toLowerCase() === keyid.toLowerCase() || fingerprint === keyid,
  );
  if (named) {
    const what =
      named.fingerprint === keyid ? 'it is the fingerprint of a key' : `it is the name of a client, ${keyid}`;
    return [finding('keyid_is_name', 'observed', { detail: what, action: named.clientId })];
  }
  const owner = signer?.key.candidate.clientId;
  const nearest = owner ?? nearestClientId(keyid, candidates);
  const hint =
    nearest === undefined
      ? ''
      : owner === undefined
        ? `; the nearest is ${nearest}`
        : `; the key that signed belongs to ${nearest}`;
  return [
    finding('keyid_unknown', 'observed', {
      detail: keyid + hint,
      ...(nearest !== undefined && { action: nearest }),
    }),
  ];
}

/** What is wrong with the key that made the signature. */
export function keyFindings(
  keyid: string | undefined,
  candidates: readonly CandidateKey[],
  signer: FoundSigner,
  certainty: Certainty,
): readonly Finding[] {
  const { candidate } = signer.key;
  if (isUsable(candidate, keyid)) return [];
  const detail = `${candidate.fingerprint}${candidate.clientName === undefined ? '' : ` of ${candidate.clientName}`}`;
  const findings: Finding[] = [];
  if (candidate.environment !== undefined)
    findings.push(
      finding('key_of_other_environment', certainty, { detail: `${detail}, in ${candidate.environment}` }),
    );
  const state = stateCodes[candidate.keyState];
  if (state) findings.push(finding(state, certainty, { detail }));
  const isKnown = candidates.some(({ clientId }) => clientId === keyid);
  if (candidate.clientId !== keyid && candidate.environment === undefined && isKnown) {
    const belongs = `${detail}, client ${candidate.clientId}`;
    findings.push(
      finding('key_of_other_client', certainty, { detail: belongs }),
      finding('keyid_of_other_client', 'likely', {
        detail: `the key belongs to ${candidate.clientId}`,
        action: candidate.clientId,
      }),
    );
  }
  return findings;
}

/** What can be said when no known key made the signature. */
export function unknownKeyFinding(
  signatureBytes: number,
  keyid: string | undefined,
  candidates: readonly { readonly candidate: CandidateKey; readonly modulusBytes: number }[],
): Finding {
  const own = candidates.filter(({ candidate }) => isUsable(candidate, keyid));
  const sizes = [...new Set(own.map(({ modulusBytes }) => modulusBytes * 8))];
  const registered = sizes.length === 0 ? '' : `, and the registered one has ${sizes.join(' or ')}`;
  const detail = `a signature of ${signatureBytes} bytes is made by a key of ${signatureBytes * 8} bits${registered}`;
  return finding('key_unknown', 'likely', { detail });
}

const stateCodes: Readonly<Partial<Record<CandidateKey['keyState'], FindingCode>>> = {
  revoked: 'key_revoked',
  expired: 'key_retired',
};

/** The clientId that is fewest changes away, when that is few enough to be a slip. */
function nearestClientId(keyid: string, candidates: readonly CandidateKey[]): string | undefined {
  const text = keyid.slice(0, 128);
  const ids = [...new Set(candidates.map(({ clientId }) => clientId))].slice(0, 100);
  const ranked = ids
    .map((id) => ({ id, changes: changesBetween(text.toLowerCase(), id.slice(0, 128).toLowerCase()) }))
    .toSorted((a, b) => a.changes - b.changes);
  const best = ranked[0];
  return best && best.changes <= Math.max(3, Math.floor(best.id.length / 3)) ? best.id : undefined;
}

/** Levenshtein's distance. */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
