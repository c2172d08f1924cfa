import { type Conclusion, type Finding, findings as table } from '@countersign/explain';
import { type Field, fieldLines, signatureBaseText, wrapped } from '../terminal/layout.ts';
import type { Colours } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';
import { checksText } from './checks-text.ts';
import { findingTexts } from './finding-text.ts';

export interface ExplainedRequest {
  readonly conclusion: Conclusion;
  /** The subject of the explanation: request, key, clock. */
  readonly about: readonly Field[];
  /** The same for scripts. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly hasKey: boolean;
  /** Further advice, in whole sentences. */
  readonly advice: readonly string[];
}

export function explanationText(
  { conclusion, about, hasKey, advice }: ExplainedRequest,
  colours: Colours,
): string {
  const { checks, findings, base, wanted } = conclusion;
  const parts = [
    `${headline(conclusion, hasKey, colours)}\n${fieldLines(about)}`,
    ...findingTexts(findings, colours),
    ...(findings.length === 0 ? [] : [colours.faint(legend(findings))]),
    checksText(checks, findings.length > 0, colours),
    ...(base === undefined ? [] : [baseText(base, findings.length > 0, colours)]),
    ...(wanted === undefined ? [] : [wantedText(wanted, colours)]),
    ...(advice.length === 0 ? [] : [advice.map((line) => wrapped(visible(line), '')).join('')]),
  ];
  return parts.join('\n');
}

export function explanationAsJson({
  conclusion,
  request,
  advice,
}: ExplainedRequest): Record<string, unknown> {
  const { verdict, checks, findings, base, wanted, isComplete, hypotheses } = conclusion;
  return { verdict, ...request, checks, findings, base, wanted, isComplete, hypotheses, advice };
}

function baseText(base: string, isMended: boolean, colours: Colours): string {
  if (!isMended) return signatureBaseText('The base as the service builds it', base, colours);
  const hint = 'exactly these bytes, but with a new created and Date when you send it again';
  return signatureBaseText('The base of this request with every mistake fixed', base, colours, hint);
}

function wantedText(
  { profile, signatureInput, acceptSignature }: NonNullable<Conclusion['wanted']>,
  { strong }: Colours,
): string {
  const fields: readonly Field[] = [
    ['Signature-Input', signatureInput && visible(signatureInput)],
    ['Accept-Signature', acceptSignature && visible(acceptSignature)],
  ];
  return `${strong(`By ${profile}`)}\n${fieldLines(fields)}`;
}

function headline(
  { verdict, findings }: Conclusion,
  hasKey: boolean,
  { good, bad, strong }: Colours,
): string {
  if (verdict === 'valid') return good('Nothing is wrong: this request passes every check.');
  if (verdict === 'refused' && findings.length === 0)
    return bad('Rejected, and nothing wrong can be seen in the request.');
  if (findings.length === 0)
    return strong('No visible mistakes. To verify the signature, pass the public key: --key FILE');
  const titles = [...new Set(findings.map(({ code }) => table[code].title))].join('; ');
  const count = findings.length === 1 ? '1 mistake' : `${findings.length} mistakes`;
  return bad(
    `${verdict === 'refused' ? 'Rejected. ' : ''}${count} found${hasKey ? '' : ' without a key'}: ${titles}.`,
  );
}

const certaintyTexts: Readonly<Record<Finding['certainty'], string>> = {
  proven: 'the signature or the digest matches the text with this mistake exactly',
  observed: 'visible in the request',
  likely: 'it fits, but could be something else',
};

function legend(findings: readonly Finding[]): string {
  const used = new Set(findings.map(({ certainty }) => certainty));
  return Object.entries(certaintyTexts)
    .filter(([certainty]) => used.has(certainty as Finding['certainty']))
    .map(([certainty, text]) => `${certainty}: ${text}\n`)
    .join('');
}
