import { profileLimits } from '../profile/profile.ts';
import { type Refusal, refuse } from '../profile/refusal.ts';

/** What of a request the signature base is built from. */
export interface SignatureBaseParts {
  readonly method: string;
  readonly targetUri: string;
  readonly contentDigest: string | undefined;
  readonly date: string | undefined;
  readonly signatureParams: string;
}

/**
 * The signature base (RFC 9421 section 2.5): one line for each covered component, joined by `\n`, none at the end.
 * The parts must have passed their checks: none of them can hold a line end. The text is ASCII.
 */
export function signatureBase(parts: SignatureBaseParts): string {
  let base = `"@method": ${parts.method}\n"@target-uri": ${parts.targetUri}\n`;
  if (parts.contentDigest !== undefined) base += `"content-digest": ${parts.contentDigest}\n`;
  if (parts.date !== undefined) base += `"date": ${parts.date}\n`;
  return `${base}"@signature-params": ${parts.signatureParams}`;
}

const methodToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const absoluteUri = /^https?:\/\/[^\x00-\x20\x7f-\uffff/?#@\\]+\/[^\x00-\x20\x7f-\uffff#]*$/;

/**
 * Check 1, as far as a library can see it: the method is a token (RFC 9110 section 5.6.2), the target URI is the
 * absolute URL as called: `http` or `https`, a host, a path, visible ASCII, no user information, no fragment.
 */
export function checkTarget(method: string, targetUri: string): Refusal | undefined {
  if (!methodToken.test(method)) return refuse('request_malformed', 'the method is not a token');
  if (targetUri.length > profileLimits.targetUriLengthMax)
    return refuse('request_malformed', 'the target URI is too long');
  if (!absoluteUri.test(targetUri)) {
    return refuse(
      'request_malformed',
      'the target URI is not an absolute http or https URL with a path, in visible ASCII',
    );
  }
  return undefined;
}
