import { profileTimeWindow, type Refusal } from '@countersign/signature';
import { type Finding, finding } from '../findings/finding.ts';
import { missingField } from '../reading/received-fields.ts';
import { componentFindings, parameterFindings } from './component-findings.ts';
import type { Investigation } from './investigation.ts';
import { proxyHeaders } from './proxy-headers.ts';
import { timeFindings } from './time-findings.ts';

/** Finds everything that can be seen without a key or a search. */
export function visibleFindings(
  { request, meant, options }: Investigation,
  refusal: Refusal,
): readonly Finding[] {
  const { input, cavage, received, created, hasBody } = meant;
  const { window = profileTimeWindow, acceptWithoutDate = false, nowSeconds } = options;
  const findings: Finding[] = [];
  if (refusal.code === 'request_malformed')
    findings.push(finding('request_malformed', 'observed', { detail: refusal.reason }));
  if (cavage) findings.push(finding('cavage_authorization', 'observed'));
  const isByOldHeader = cavage?.signature !== undefined;
  const covered = new Set(input?.components.map((name) => name.toLowerCase()));
  const isProxied = proxyHeaders(request).length > 0;
  for (const name of received.missing) {
    if (isByOldHeader && (name === 'signature' || name === 'signature-input')) continue;
    if (name === 'date' && input && !covered.has('date') && acceptWithoutDate) continue;
    findings.push(missingField(name, covered.has(name) && isProxied));
  }
  if (
    hasBody === undefined &&
    covered.has('content-digest') &&
    received.fields['content-digest'].value === undefined
  )
    findings.push(missingField('content-digest', isProxied));
  findings.push(...received.findings);
  if (input) {
    findings.push(
      ...input.findings,
      ...componentFindings(input, hasBody, acceptWithoutDate),
      ...parameterFindings(input, options.nonce ?? 'off'),
    );
  } else if (received.fields['signature-input'].value !== undefined) {
    findings.push(
      finding('signature_input_format', 'observed', { detail: received.fields['signature-input'].value }),
    );
  }
  findings.push(...(created?.findings ?? []));
  findings.push(...timeFindings(created?.seconds, received.fields.date.value, window, nowSeconds));
  return findings;
}
