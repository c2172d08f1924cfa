import type { HashName } from '../rsa/encoded-message.ts';
import type { Certainty, Finding } from '../explanation.ts';
import { finding, type FindingCode } from './findings.ts';
import type { FoundSigner } from '../search/signer-search.ts';

/** What is wrong with how the hash was made, padded and written. */
export function schemeFindings(
  { encoded, isReversed }: FoundSigner,
  certainty: Certainty,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (isReversed) findings.push(finding('signature_reversed', certainty));
  if (encoded.scheme === 'bare') {
    const detail = `${encoded.payload.length} bytes were padded as they are`;
    findings.push(finding('signature_no_digest_info', certainty, { detail }));
    return findings;
  }
  if (encoded.scheme === 'pss') {
    const detail = `with ${encoded.hash} and a salt of ${encoded.salt.length} bytes`;
    findings.push(
      finding('signature_pss', encoded.isCertain || certainty === 'proven' ? certainty : 'likely', {
        detail,
      }),
    );
    return findings;
  }
  const code = hashCodes[encoded.hash];
  if (code) findings.push(finding(code, certainty));
  else if (!encoded.isProper) {
    const detail = 'its DigestInfo lacks the NULL that RFC 8017 asks for';
    findings.push(finding('signature_no_digest_info', certainty, { detail }));
  }
  return findings;
}

const hashCodes: Readonly<Partial<Record<HashName, FindingCode>>> = {
  sha1: 'signature_sha1',
  sha384: 'signature_sha384',
  sha512: 'signature_sha512',
  md5: 'signature_md5',
};
