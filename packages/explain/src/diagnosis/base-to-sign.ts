import {
  componentListFor,
  formatContentDigest,
  formatHttpDate,
  isContentDigest,
  profileTimeWindow,
} from '@countersign/signature';
import { profileSignatureBase } from '@countersign/signature/profile';
import { printedBy } from '../bodies/printed-body.ts';
import { checkRequest } from '../checks.ts';
import { codesOf, type Finding } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { parameterValue } from '../reading/lenient-signature-input.ts';
import type { MeantRequest } from '../reading/meant-request.ts';
import type { ExplainOptions } from '../explanation.ts';
import type { FoundSigner } from '../search/signer-search.ts';
import type { Investigation } from './investigation.ts';
import { isDateOptional } from '../reading/date-optional.ts';
import { clientIdToUse } from './signer-findings.ts';

/**
 * Builds the base to sign with every finding fixed. Undefined if it depends on something that the request
 * does not show: the calling client, or the intended body or URL.
 */
export function baseToSign(
  investigation: Investigation,
  findings: readonly Finding[],
  signer: FoundSigner | undefined,
): string | undefined {
  const { request, candidates, options, meant } = investigation;
  const codes = new Set(findings.flatMap(codesOf));
  if (codes.has('request_malformed')) return undefined;
  const keyid = clientIdToUse(meant.keyid, candidates, signer);
  if (keyid === undefined) return undefined;
  const coversDigest = meant.hasBody ?? meant.received.fields['content-digest'].value !== undefined;
  const contentDigest = coversDigest ? digestToSend(investigation, codes) : undefined;
  const isBodyMissing = codes.has('body_missing') && !codes.has('body_empty');
  if ((coversDigest && contentDigest === undefined) || isBodyMissing) return undefined;
  const names = meant.input?.components.map((name) => name.toLowerCase()) ?? [];
  const list = componentListFor(coversDigest, names.includes('date') || !isDateOptional(options));
  const { created, date } = timesToSend(meant, options);
  const draft: SignedRequest = {
    method: request.method,
    targetUri: request.targetUri,
    contentDigest,
    date: list.coversDate ? formatHttpDate(date) : undefined,
    signatureParams: `${list.text};created=${created};keyid="${keyid}";alg="${meant.algorithm}"${nonceOf(meant, options)}`,
  };
  const base = profileSignatureBase(draft);
  return isBuiltByService(base, draft, investigation) ? base : undefined;
}

type SignedRequest = Parameters<typeof profileSignatureBase>[0];

function digestToSend(
  { request: { body }, options, meant, forms }: Investigation,
  codes: ReadonlySet<FindingCode>,
): string | undefined {
  if (body === undefined) {
    // Without the body, only the form of the digest can be fixed.
    const { digest, received } = meant;
    const text = received.fields['content-digest'].value;
    if (text !== undefined && isContentDigest(text)) return text;
    return digest?.hash === 'sha256' && !codes.has('digest_of_hex')
      ? formatContentDigest(digest.bytes)
      : undefined;
  }
  // If the body itself is wrong, a different one will be sent.
  const isPrinted = codes.has('body_printed') && printedBy(new TextDecoder().decode(body)) !== undefined;
  const isTwice =
    codes.has('body_json_twice') &&
    forms.some(({ notes }) => notes.some(({ code }) => code === 'body_json_twice'));
  return isPrinted || isTwice ? undefined : formatContentDigest(options.sha256(body));
}

/** The caller's own times if the service accepts them, else the service's. */
function timesToSend(
  { created, date }: MeantRequest,
  { window = profileTimeWindow, nowSeconds }: ExplainOptions,
): { readonly created: number; readonly date: number } {
  const timely = [created?.seconds, date?.seconds].find(
    (seconds) =>
      seconds !== undefined &&
      nowSeconds - seconds <= window.maxAgeSeconds &&
      seconds - nowSeconds <= window.maxFutureSeconds,
  );
  const time = timely ?? nowSeconds;
  const isDateRight = date !== undefined && Math.abs(date.seconds - time) <= window.maxDateDifferenceSeconds;
  return { created: time, date: isDateRight ? date.seconds : time };
}

function nonceOf({ input }: MeantRequest, { nonce = 'off' }: ExplainOptions): string {
  const value = nonce === 'off' ? undefined : parameterValue(input, 'nonce');
  return value === undefined ? '' : `;nonce="${value}"`;
}

/** Returns true if the verifier gets as far as the signature with these headers, and builds the same base. */
function isBuiltByService(
  base: string,
  { contentDigest, date, signatureParams }: SignedRequest,
  { request, options }: Investigation,
): boolean {
  const headers: [string, string][] = [
    ...(date === undefined ? [] : [['Date', date] as [string, string]]),
    ...(contentDigest === undefined ? [] : [['Content-Digest', contentDigest] as [string, string]]),
    ['Signature-Input', `sig=${signatureParams}`],
    ['Signature', `sig=:${'A'.repeat(344)}:`],
  ];
  const checked = checkRequest({ ...request, headers }, () => [], options);
  return checked.refusal?.code === 'signature_invalid' && checked.base === base;
}
