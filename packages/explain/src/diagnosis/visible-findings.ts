import { profileTimeWindow, type Refusal } from '@countersign/signature';
import { type Finding, finding } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { readSignatureInput } from '@countersign/signature/profile';
import { visiblePieces } from '../findings/visible-pieces.ts';
import type { MeantSignatureInput } from '../reading/lenient-signature-input.ts';
import { isDateOptional } from '../reading/date-optional.ts';
import { otherProfile } from '../reading/other-profile.ts';
import { missingField } from '../reading/received-fields.ts';
import { componentFindings, parameterFindings } from './component-findings.ts';
import type { Investigation } from './investigation.ts';
import { proxyHeaders } from './proxy-headers.ts';
import { timeFindings } from './time-findings.ts';

/** Names the first character that is not allowed in a URL. */
export function malformedFinding(targetUri: string, reason: string): Finding {
  const [character] = /[^\x21-\x7e]/u.exec(targetUri) ?? [];
  if (character === undefined) return finding('request_malformed', 'observed', { detail: reason });
  const [piece] = visiblePieces(character);
  const name = character === ' ' ? 'a space' : piece?.kind === 'mark' ? piece.name : character;
  return finding('request_malformed', 'observed', {
    facts: { isOfTargetCharacter: true },
    what: `The URL that arrived holds ${name}, but HTTP allows only visible ASCII characters in a URL.`,
    mend: 'Percent-encode the URL before you sign and send it. If you do, a proxy decodes it: have it pass the target on as it came.',
  });
}

/** A proxy may have replaced a Date that was right. */
function withProxyBehind(one: Finding, proxies: readonly string[]): Finding {
  if (proxies.length === 0 || !ofDate.has(one.code)) return one;
  return {
    ...one,
    mend: `${one.mend} The request came through a proxy (${proxies.join(', ')}): if it replaces Date, make it pass Date on unchanged.`,
  };
}

const ofDate: ReadonlySet<FindingCode> = new Set(['date_differs', 'date_format', 'date_time_zone']);

/**
 * Returns true if only the case of parameters' names makes Signature-Input unreadable: the parameters have
 * their own finding.
 */
function isOfNames({ code }: Finding, { parameters, signatureParams }: MeantSignatureInput): boolean {
  if (code !== 'signature_input_format') return false;
  if (parameters.every(({ name }) => name === name.toLowerCase())) return false;
  const lower = signatureParams.replace(/;[A-Za-z]+=/g, (name) => name.toLowerCase());
  return readSignatureInput(`sig=${lower}`) !== undefined;
}

/** Finds everything that is visible without a key or a search. */
export function visibleFindings(
  { request, meant, options }: Investigation,
  refusal: Refusal,
): readonly Finding[] {
  const { input, algorithm, cavage, received, created, hasBody } = meant;
  const { window = profileTimeWindow, nowSeconds } = options;
  const mayOmitDate = isDateOptional(options);
  const findings: Finding[] = [];
  if (refusal.code === 'request_malformed')
    findings.push(malformedFinding(request.targetUri, refusal.reason));
  if (cavage) findings.push(finding('cavage_authorization', 'observed'));
  const isByOldHeader = cavage?.signature !== undefined;
  const covered = new Set(input?.components.map((name) => name.toLowerCase()));
  const isProxied = proxyHeaders(request).length > 0;
  for (const name of received.missing) {
    if (isByOldHeader && (name === 'signature' || name === 'signature-input')) continue;
    if (name === 'date' && input && !covered.has('date') && mayOmitDate) continue;
    // Listing the digest and sending it is one change.
    if (name === 'content-digest' && input && !covered.has(name)) continue;
    findings.push(missingField(name, covered.has(name) && isProxied));
  }
  if (
    hasBody === undefined &&
    covered.has('content-digest') &&
    received.fields['content-digest'].value === undefined
  )
    findings.push(missingField('content-digest', isProxied));
  findings.push(...received.findings);
  const profile = input && otherProfile(input);
  if (profile !== undefined)
    findings.unshift(
      finding('profile_other', 'observed', {
        what: `This is ${profile}, but the client is registered for countersign, the profile of this service.`,
      }),
    );
  if (input) {
    findings.push(
      ...input.findings.filter((one) => !isOfNames(one, input)),
      ...componentFindings(
        input,
        hasBody,
        mayOmitDate,
        received.fields['content-digest'].value !== undefined,
      ),
      ...parameterFindings(input, options.nonce ?? 'off', algorithm),
    );
  } else if (received.fields['signature-input'].value !== undefined) {
    findings.push(
      finding('signature_input_format', 'observed', { detail: received.fields['signature-input'].value }),
    );
  }
  findings.push(...(created?.findings ?? []));
  const ofTimes = timeFindings(created?.seconds, received.fields.date.value, window, nowSeconds);
  findings.push(...ofTimes.map((one) => withProxyBehind(one, proxyHeaders(request))));
  return findings;
}
