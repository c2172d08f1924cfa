import { defaultProfile } from '@countersign/signature/profile';
import { type AlgorithmName, algorithms, alternatives } from '@countersign/signature/rfc9421';
import type { CandidateKey, HashName } from '../explanation.ts';
import type { Certainty } from '../findings/evidence.ts';
import { type Finding, finding } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { isEncodedBy, type SigningKey } from '../keys/signing-key.ts';
import { isUsable } from '../keys/candidates.ts';
import type { FoundSigner } from '../search/signer-search.ts';

/**
 * Returns the client ID for `keyid`: the declared one if it is a client here, else the one that the request
 * names. Undefined if it names none.
 */
export function clientIdToUse(
  keyid: string | undefined,
  candidates: readonly CandidateKey[],
  signer: FoundSigner | undefined,
): string | undefined {
  const isHere = ({ environment }: CandidateKey): boolean => environment === undefined;
  const here = candidates.filter(isHere);
  if (candidates.length === 0 || here.some(({ clientId }) => clientId === keyid)) return keyid;
  const owner = signer?.key.candidate;
  const named = keyid === undefined ? undefined : namedClient(keyid, here);
  return named?.clientId ?? (owner && isHere(owner) ? owner.clientId : undefined);
}

/** Finds the client whose name or fingerprint was sent instead of its ID. */
function namedClient(keyid: string, candidates: readonly CandidateKey[]): CandidateKey | undefined {
  return candidates.find(
    ({ clientName, fingerprint }) =>
      clientName?.toLowerCase() === keyid.toLowerCase() || fingerprint === keyid,
  );
}

/** Finds what is wrong with the client ID, using the clients that the reader is allowed to know. */
export function keyidFindings(
  keyid: string | undefined,
  candidates: readonly CandidateKey[],
  signer: FoundSigner | undefined,
): readonly Finding[] {
  if (keyid === undefined || candidates.some(({ clientId }) => clientId === keyid)) return [];
  const named = namedClient(keyid, candidates);
  if (named) {
    const what =
      named.fingerprint === keyid ? 'it is the fingerprint of a key' : `it is the name of a client, ${keyid}`;
    const mend = `Set keyid to the client ID, ${named.clientId}.`;
    return [finding('keyid_is_name', 'observed', { detail: what, mend })];
  }
  const owner = signer?.key.candidate.clientId;
  const nearest = owner ?? nearestClientId(keyid, candidates);
  const hint =
    nearest === undefined
      ? ''
      : owner === undefined
        ? `; the nearest is ${nearest}`
        : `; the key that signed belongs to ${nearest}`;
  // White space at the ends would be invisible without quotes.
  const shown = keyid === keyid.trim() ? keyid : `${JSON.stringify(keyid)}, with white space around it`;
  return [
    finding('keyid_unknown', 'observed', {
      detail: shown + hint,
      ...(nearest !== undefined && {
        mend:
          owner === undefined
            ? `Copy the client ID from the list of API keys; it may be ${nearest}.`
            : `Set keyid to ${nearest}.`,
      }),
    }),
  ];
}

/** Finds what is wrong with the key that signed. */
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
  const isKnown = candidates.some(({ clientId }) => clientId === keyid);
  const isOther = candidate.clientId !== keyid && candidate.environment === undefined && isKnown;
  if (state && !isOther) findings.push(finding(state, certainty, { detail }));
  if (isOther) {
    const { clientId, clientName = 'that client', keyState } = candidate;
    const owner = candidate.clientName === undefined ? clientId : `${clientName} (${clientId})`;
    const own = `Load the private key of ${keyid}`;
    findings.push(
      finding('key_of_other_client', certainty, {
        alsoCodes: ['keyid_of_other_client', ...(state ? [state] : [])],
        what: `You signed with ${state ? `the ${keyState} key` : 'the key'} of ${owner}, ${candidate.fingerprint}, but keyid says ${keyid}.`,
        mend: state
          ? `${own}. The key that signed is ${keyState}, so it cannot sign for ${clientName} either.`
          : `${own}, or, to call as ${clientName}, set keyid to ${clientId}.`,
      }),
    );
  }
  return findings;
}

/** Finds what is wrong with how the text was hashed and padded. */
export function schemeFindings(
  { key, encoded, isReversed, otherHash: hashOfTest }: FoundSigner,
  certainty: Certainty,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (hashOfTest !== undefined) findings.push(otherHashFinding(key, hashOfTest, certainty));
  if (isReversed) findings.push(finding('signature_reversed', certainty));
  if (encoded === undefined) return findings;
  if (encoded.scheme === 'bare') {
    const { payload, otherHash } = encoded;
    if (otherHash !== undefined) {
      const what = `The DigestInfo in the signature names ${otherHash}, not SHA-256.`;
      const mend = `Sign with ${defaultProfile.algorithm.scheme}.`;
      findings.push(finding('signature_no_digest_info', 'observed', { what, mend }));
      return findings;
    }
    const { length } = payload;
    const detail =
      length === 28
        ? 'a hash of 28 bytes, as SHA-224 makes them'
        : `${length} bytes were padded without the right one`;
    findings.push(finding('signature_no_digest_info', certainty, { detail }));
    return findings;
  }
  if (key.rsaUses.some((use) => isEncodedBy(use, encoded))) return findings;
  if (encoded.scheme === 'pss') {
    const isOfKey = key.rsaUses.some(({ scheme }) => scheme === 'pss');
    const detail = `with ${encoded.hash} and a salt of ${encoded.salt.length} bytes`;
    findings.push(
      finding(
        isOfKey ? 'signature_pss_form' : 'signature_pss',
        encoded.isCertain || certainty === 'proven' ? certainty : 'likely',
        {
          detail,
        },
      ),
    );
    return findings;
  }
  if (key.rsaUses.length > 0 && key.rsaUses.every(({ scheme }) => scheme === 'pss')) {
    const detail = `with ${encoded.hash}`;
    return [...findings, finding('signature_pkcs1', certainty, { detail })];
  }
  const code = hashCodes[encoded.hash];
  if (code) findings.push(finding(code, certainty));
  else if (!encoded.isProper) {
    const detail = 'its DigestInfo lacks the NULL that RFC 8017 asks for';
    findings.push(finding('signature_no_digest_info', certainty, { detail }));
  }
  return findings;
}

function otherHashFinding(key: SigningKey, hashName: HashName, certainty: Certainty): Finding {
  const own = algorithms[key.algorithm].webCrypto.hash;
  return finding('signature_other_hash', certainty, {
    what: `The signature was made with ${hashName.replace('sha', 'SHA-')}, but an ${titleOf(key)} key signs with ${own}.`,
    mend: `Sign with ${own} (${own.replace('-', '')}withECDSA).`,
  });
}

/** Says as much as possible if no known key signed. */
export function unknownKeyFinding(
  signatureBytes: number,
  keyid: string | undefined,
  candidates: readonly Pick<SigningKey, 'candidate' | 'algorithm' | 'signatureBytes'>[],
): Finding {
  const own = candidates.filter(({ candidate }) => isUsable(candidate, keyid));
  const onCurves = own.filter(({ algorithm }) => isOnCurve(algorithm));
  const makers = Object.values(algorithms).filter(
    ({ name, signatureBytes: { min } }) => isOnCurve(name) && min === signatureBytes,
  );
  const fitting = onCurves.find((key) => key.signatureBytes === signatureBytes);
  if (makers.length > 0 || (own.length > 0 && onCurves.length === own.length)) {
    const detail = fitting
      ? `${titleOf(fitting)} signatures do not show what was signed, and the registered key signed none of the texts that we tried`
      : makers.length > 0
        ? `a signature of ${signatureBytes} bytes is made by an ${alternatives(makers.map(({ keyTitle }) => keyTitle))} key, and the client has none`
        : `a signature of ${signatureBytes} bytes is not made by an ${alternatives([...new Set(onCurves.map(titleOf))])} key, as the registered one is`;
    return finding('key_unknown', 'likely', { detail });
  }
  const sizes = [...new Set(own.map((key) => key.signatureBytes * 8))];
  const detail = sizes.includes(signatureBytes * 8)
    ? `the registered key has ${signatureBytes * 8} bits too, but did not make this signature`
    : `a signature of ${signatureBytes} bytes is made by a key of ${signatureBytes * 8} bits` +
      (sizes.length === 0 ? '' : `, and the registered one has ${sizes.join(' or ')}`);
  return finding('key_unknown', 'likely', { detail });
}

/** Its signatures have one length, and do not show what was signed. */
function isOnCurve(algorithm: AlgorithmName): boolean {
  return algorithms[algorithm].keyKind !== 'rsa';
}

function titleOf({ algorithm }: Pick<SigningKey, 'algorithm'>): string {
  return algorithms[algorithm].keyTitle;
}

const stateCodes: Readonly<Partial<Record<CandidateKey['keyState'], FindingCode>>> = {
  revoked: 'key_revoked',
  expired: 'key_retired',
};

const hashCodes: Readonly<Partial<Record<HashName, FindingCode>>> = {
  sha1: 'signature_sha1',
  sha384: 'signature_sha384',
  sha512: 'signature_sha512',
  md5: 'signature_md5',
};

/** Finds the closest client ID, if it is close enough to be a typo. */
function nearestClientId(keyid: string, candidates: readonly CandidateKey[]): string | undefined {
  const text = keyid.slice(0, 128);
  const ids = [...new Set(candidates.map(({ clientId }) => clientId))].slice(0, 100);
  const ranked = ids
    .map((id) => ({ id, changes: changesBetween(text.toLowerCase(), id.slice(0, 128).toLowerCase()) }))
    .toSorted((a, b) => a.changes - b.changes);
  const best = ranked[0];
  return best && best.changes <= Math.max(3, Math.floor(best.id.length / 3)) ? best.id : undefined;
}

/** Levenshtein distance. */
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
