import type { ExplanationFinding, RequestExplanation } from '@countersign/contract';
import type { Explanation } from '@countersign/explain';
import { valuesOf } from '@countersign/gate';
import { evidenceOf, findings as findingTexts } from '@countersign/explain/findings';
import { isPlainName } from '../request-log/request-detail.ts';

/** The parts of a request that must not be stored with its explanation. */
export interface UnkeptParts {
  /** The raw query without its `?`. */
  readonly query: string;
  /** Query parameters whose values may be stored. */
  readonly shownValuesOf: ReadonlySet<string>;
  /** The values of headers whose names say that they are secret. */
  readonly secrets: readonly string[];
  /** The Signature header's values. */
  readonly signatures: readonly string[];
}

/**
 * Writes an explanation for the request log, as JSON of limited length: without the base (the whole request), query
 * values, or the signature. Otherwise someone who reads the log while a signature is still valid could replay it.
 */
export function keptExplanation(explanation: Explanation, unkept: UnkeptParts): string {
  const mask = maskOf(unkept);
  const kept: RequestExplanation = {
    verdict: explanation.verdict,
    checks: explanation.checks.map(({ name, state, facts }) => ({
      name,
      state,
      facts: Object.fromEntries(
        Object.entries(facts).map(([fact, value]) => [
          fact,
          typeof value === 'string' ? cut(mask(value)) : value,
        ]),
      ),
    })),
    findings: explanation.findings.slice(0, findingsMax).map((finding) => keptFinding(finding, mask)),
    ...(explanation.wanted && { wanted: keptWanted(explanation.wanted, mask) }),
    isComplete: explanation.isComplete && explanation.findings.length <= findingsMax,
    withheldFindings: 0,
  };
  return bounded(kept);
}

/**
 * Returns the header lines to explain with. Other headers may contain secrets, which a signature base could show.
 *
 * @param isClosed false for a profile whose signatures may cover a secret, which the base then needs
 */
export function explainableHeaders(rawHeaders: readonly string[], isClosed: boolean): [string, string][] {
  const lines: [string, string][] = [];
  const covered = isClosed ? '' : valuesOf(rawHeaders, 'signature-input').join().toLowerCase();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const isOldSignature = name.toLowerCase() === 'authorization' && /^signature\s/i.test(value);
    const isCovered = covered.includes(`"${name.toLowerCase()}"`);
    if (isOldSignature || isCovered || !secretName.test(name)) lines.push([name, value]);
  }
  return lines;
}

/** Returns the values of the headers that may contain secrets, and their parts. */
export function secretValues(rawHeaders: readonly string[]): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (secretName.test(name)) values.push(value.trim(), ...value.split(/[\s;,="]+/));
  }
  return values.filter(({ length }) => length >= secretCharactersMin);
}

/** Shorter parts are words such as `Bearer`. */
const secretCharactersMin = 7;

type Mask = (text: string) => string;

const findingsMax = 30;
const textLengthMax = 1000;
const bytesMax = 16 * 1024;
const masked = '*';
const pairs = /([?&])([^=&\s"#`]+)=([^&\s"#`]*)/g;
const secretName = /auth|cookie|dpop|token|secret|passw|api-?key|credential|session/i;

function keptFinding(finding: Explanation['findings'][number], mask: Mask): ExplanationFinding {
  const { code, alsoCodes, certainty, what, mend, evidence, page } = finding;
  const texts = evidence && keptEvidence(mask(evidence.expected), mask(evidence.received));
  return {
    code,
    ...(alsoCodes && { alsoCodes: [...alsoCodes] }),
    certainty,
    what: cut(maskAfter(findingTexts[code].cause, what, mask)),
    mend: cut(maskAfter(findingTexts[code].mend, mend, mask)),
    ...(texts && { evidence: texts }),
    page,
  };
}

/** Masks the values of this request in a sentence, which follow its general text. */
function maskAfter(general: string, sentence: string, mask: Mask): string {
  return sentence.startsWith(general) ? general + mask(sentence.slice(general.length)) : mask(sentence);
}

/** Cuts both texts around their first difference. Undefined if they only differ in parts that are not stored. */
function keptEvidence(expected: string, received: string): ExplanationFinding['evidence'] {
  const { firstDifference: difference } = evidenceOf(expected, received);
  if (expected === received) return undefined;
  const start = difference <= textLengthMax / 2 ? 0 : difference - textLengthMax / 2;
  const part = (text: string): string =>
    (start > 0 ? '…' : '') + cut(text.slice(start, start + textLengthMax + 1));
  return {
    expected: part(expected),
    received: part(received),
    firstDifference: difference - start + (start > 0 ? 1 : 0),
  };
}

function keptWanted(
  { profile, signatureInput, acceptSignature }: NonNullable<Explanation['wanted']>,
  mask: Mask,
): NonNullable<RequestExplanation['wanted']> {
  return {
    profile,
    ...(signatureInput !== undefined && { signatureInput: cut(mask(signatureInput)) }),
    ...(acceptSignature !== undefined && { acceptSignature: cut(acceptSignature) }),
  };
}

function cut(text: string): string {
  return text.length <= textLengthMax ? text : `${text.slice(0, textLengthMax)}…`;
}

/** Shortens an explanation that is too long: first drops evidence, last findings first, then findings. */
function bounded(explanation: RequestExplanation): string {
  const findings = [...explanation.findings];
  for (let index = findings.length - 1; ; index -= 1) {
    const text = JSON.stringify({ ...explanation, findings });
    if (Buffer.byteLength(text) <= bytesMax) return text;
    const finding = findings[index];
    if (finding === undefined) break;
    const { evidence: _dropped, ...rest } = finding;
    findings[index] = rest;
  }
  const checks = explanation.checks.map(({ name, state }) => ({ name, state, facts: {} }));
  for (;;) {
    const text = JSON.stringify({ ...explanation, checks, findings, isComplete: false });
    if (Buffer.byteLength(text) <= bytesMax || findings.length === 0) return text;
    findings.pop();
  }
}

/** Masks what must not be stored, however it is encoded. */
function maskOf({ query, shownValuesOf, secrets, signatures }: UnkeptParts): Mask {
  if (query.length > queryLengthMax || query.split('&').length > pairsMax) return () => masked;
  if (secrets.length > pairsMax || secrets.some(({ length }) => length > queryLengthMax)) return () => masked;
  const hidden = hiddenValues(query, shownValuesOf, secrets);
  const signature = signatures.join(' ');
  return (text) => {
    let rest = hidden === undefined ? text : text.replaceAll(hidden, masked);
    if (query !== '') {
      rest = rest.replaceAll(pairs, (_, before: string, name: string, value: string) => {
        const isShown = isPlainName(name) && shownValuesOf.has(name);
        return `${before}${isPlainName(name) ? name : masked}=${isShown ? value : masked}`;
      });
    }
    return rest.replaceAll(/[\w+/=-]{40,}/g, (run) =>
      run.length >= signatureCharactersMin || signature.includes(run) ? masked : run,
    );
  };
}

/** Signatures have 88 characters and more in Base64; digests and fingerprints 44. */
const signatureCharactersMin = 80;

/** If these are exceeded, no text with values is stored, because searching for each value would take too long. */
const queryLengthMax = 2048;
const pairsMax = 40;

/** Matches hidden values in any encoding. Values of one or two characters are only found by their parameter's name. */
function hiddenValues(
  query: string,
  shownValuesOf: ReadonlySet<string>,
  secrets: readonly string[],
): RegExp | undefined {
  const values = new Set(secrets);
  for (const pair of query.split('&')) {
    const [name = ''] = pair.split('=', 1);
    if (isPlainName(name) && shownValuesOf.has(name)) continue;
    const value = isPlainName(name) ? pair.slice(name.length + 1) : pair;
    for (const form of [value, decoded(value), decoded(value.replaceAll('+', ' '))])
      if (form.length >= 3) values.add(form);
  }
  if (values.size === 0) return undefined;
  // Longest first, so that no part of a value remains.
  const longestFirst = [...values].toSorted((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map(inAnyEncoding).join('|'), 'giu');
}

/** Matches a text with each character plain or percent-encoded, once or twice. */
function inAnyEncoding(text: string): string {
  return Array.from(text)
    .map((character) => {
      const octets = [...Buffer.from(character)].map((octet) => octet.toString(16).padStart(2, '0'));
      const encoded = octets.map((octet) => `%(?:25)?${octet}`).join('');
      const plain = /[\w]/.test(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`;
      return `(?:${plain}|${encoded}${character === ' ' ? '|\\+' : ''})`;
    })
    .join('');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
