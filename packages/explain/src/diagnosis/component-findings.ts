import { componentListFor, type NoncePolicy } from '@countersign/signature';
import { defaultProfile } from '@countersign/signature/profile';
import { type Evidence, evidenceOf } from '../findings/evidence.ts';
import { type Finding, finding, type Words } from '../findings/finding.ts';
import { meantName, type MeantSignatureInput } from '../reading/lenient-signature-input.ts';

/** Finds what is wrong with the covered components. `hasBody` is undefined if the body is unknown. */
export function componentFindings(
  input: MeantSignatureInput,
  hasBody: boolean | undefined,
  mayOmitDate: boolean,
  isDigestSent: boolean,
): readonly Finding[] {
  const findings: Finding[] = [];
  const names = input.components.map((name) => name.toLowerCase());
  const coversDigest = names.includes('content-digest');
  const coversDate = names.includes('date');
  const wanted = componentListFor(hasBody === true || coversDigest, coversDate || !mayOmitDate);
  const evidence = evidenceOf(wanted.text, /^\([^)]*\)/.exec(input.signatureParams)?.[0] ?? '');
  if (input.joinedNames !== undefined) findings.push(joinedNamesFinding(input, evidence));
  const parameterised = input.components.flatMap((name, index) => {
    const parameters = input.componentParameters[index] ?? '';
    return parameters === '' ? [] : { name, parameters };
  });
  if (parameterised.length > 0) findings.push(parametersFinding(parameterised, evidence));
  if (input.misspeltNames.length > 0) findings.push(misspeltFinding(input.misspeltNames, evidence));
  if (names.some((name, index) => name !== input.components[index]))
    findings.push(finding('base_name_case', 'observed', { detail: input.components.join(', '), evidence }));
  if (!coversDate && !mayOmitDate) findings.push(finding('base_no_date', 'observed', { evidence }));
  if (hasBody === true && !coversDigest)
    findings.push(
      isDigestSent
        ? finding('digest_not_covered', 'observed', { evidence })
        : finding('digest_not_covered', 'observed', {
            alsoCodes: ['header_missing'],
            what: 'A body arrived, but no Content-Digest, and none is signed.',
            mend: 'Send Content-Digest and list "content-digest" in the signature whenever there is a body. If you send no body, something on the way added one.',
            evidence,
          }),
    );
  if (hasBody === false && coversDigest) findings.push(finding('body_missing', 'observed'));
  const urlParts = names.includes('@target-uri') ? [] : names.filter((name) => urlComponents.has(name));
  if (urlParts.length > 0) findings.push(onlyPartsOfUrl(urlParts, evidence));
  const isTold = (name: string): boolean =>
    urlParts.length > 0 && (name === '@target-uri' || urlParts.includes(name));
  const missing = ['@method', '@target-uri'].filter((name) => !names.includes(name) && !isTold(name));
  if (missing.length > 0)
    findings.push(finding('base_missing_component', 'observed', { detail: missing.join(', '), evidence }));
  const extra = names.filter((name) => !knownComponents.has(name) && !isTold(name));
  if (extra.length > 0)
    findings.push(
      finding('base_extra_component', 'observed', {
        what: `Signature-Input lists ${quoted(extra)}, which must not be signed here.`,
        mend: `Remove ${quoted(extra)} from Signature-Input and from the signature base.`,
        evidence,
      }),
    );
  const ordered = [...knownComponents].filter((name) => names.includes(name));
  const known = names.filter((name) => knownComponents.has(name));
  if (known.some((name, index) => name !== ordered[index]))
    findings.push(
      finding('base_component_order', 'observed', {
        what: `Signature-Input lists ${known.join(', ')}, but the required order is ${ordered.join(', ')}.`,
        evidence,
      }),
    );
  return findings;
}

function misspeltFinding(names: readonly string[], evidence: Evidence): Finding {
  const right = quoted(names.map((name) => meantName(name).toLowerCase()));
  return finding('base_missing_component', 'observed', {
    alsoCodes: ['base_extra_component'],
    what: `Signature-Input lists ${quoted(names)}, but the name is ${right}.`,
    mend: `Write ${right}, in Signature-Input and in the signature base.`,
    evidence,
  });
}

/** One string is one component, whatever it contains. */
function joinedNamesFinding({ components, joinedNames }: MeantSignatureInput, evidence: Evidence): Finding {
  return finding('base_missing_component', 'observed', {
    alsoCodes: ['base_extra_component'],
    what: `Signature-Input lists several components in one string, "${joinedNames}", which is read as a single component.`,
    mend: `Put each name in double quotes of its own: (${components.map((name) => `"${name}"`).join(' ')}).`,
    evidence,
  });
}

/** With parameters, a component is a different one (RFC 9421 section 2). */
function parametersFinding(
  list: readonly { readonly name: string; readonly parameters: string }[],
  evidence: Evidence,
): Finding {
  const written = list.map(({ name, parameters }) => `"${name}"${parameters}`).join(' and ');
  const plain = list.map(({ name }) => `"${name}"`).join(' and ');
  const parameters = list.map((one) => one.parameters).join(' and ');
  return finding('base_extra_component', 'observed', {
    what: `Signature-Input lists ${written}, but components must not have parameters here.`,
    mend: `Write ${plain} without ${parameters}, in Signature-Input and in the signature base.`,
    evidence,
  });
}

/** RFC 9421 has components for parts of the URL. Listing them instead of the whole is one mistake. */
function onlyPartsOfUrl(parts: readonly string[], evidence: Evidence): Finding {
  return finding('base_missing_component', 'observed', {
    alsoCodes: ['base_extra_component'],
    what: `Signature-Input lists ${quoted(parts)}, but the whole URL, "@target-uri", must be signed.`,
    mend: `List and sign "@target-uri", the full URL with scheme, host, path and query, in place of ${quoted(parts)}.`,
    evidence,
  });
}

const urlComponents: ReadonlySet<string> = new Set([
  '@scheme',
  '@authority',
  '@path',
  '@query',
  '@request-target',
]);

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(' and ');
}

/** Finds what is wrong with the parameters, except `created` and the keyid. */
export function parameterFindings(
  input: MeantSignatureInput,
  nonce: NoncePolicy,
  algorithm: string,
): readonly Finding[] {
  // Anything missing from a truncated text was there when it was signed.
  if (input.isCut) return [];
  const findings: Finding[] = [];
  const byName = new Map(input.parameters.map((one) => [one.name.toLowerCase(), one]));
  const names = new Set(input.parameters.map(({ name }) => name));
  const inOtherCase = [...names].filter(
    (name) => requiredParameters.has(name.toLowerCase()) && !names.has(name.toLowerCase()),
  );
  if (inOtherCase.length > 0) findings.push(otherCaseFinding(inOtherCase));
  const missing = [...requiredParameters].filter(
    (name) => !names.has(name) && !inOtherCase.some((other) => other.toLowerCase() === name),
  );
  if (missing.length > 0)
    findings.push(
      finding('parameter_missing', 'observed', {
        detail: missing.join(', '),
        mend: `Add ${missing.map((name) => parameterToAdd(name, algorithm)).join(' and ')} to Signature-Input, and sign that text.`,
      }),
    );
  const unknown = input.parameters
    .map(({ name }) => name)
    .filter((name) => !inOtherCase.includes(name))
    .filter((name) => !requiredParameters.has(name) && (name !== 'nonce' || nonce === 'off'));
  if (unknown.length > 0)
    findings.push(finding('parameter_unknown', 'observed', { detail: unknown.join(', ') }));
  const form = formFault(input);
  if (form !== undefined) findings.push(finding('parameter_form', 'observed', form));
  const alg = byName.get('alg')?.value;
  if (alg !== undefined && alg !== algorithm)
    findings.push(
      finding(isOfOtherKey(alg) ? 'key_of_other_algorithm' : 'algorithm_other', 'observed', {
        what: whatOfAlgorithm(alg, algorithm),
        mend: `Use alg="${algorithm}".`,
        evidence: evidenceOf(algorithm, alg),
      }),
    );
  return findings;
}

/** Returns true for an algorithm that only the client's key rules out. */
function isOfOtherKey(alg: string): boolean {
  return defaultProfile.hasAlgorithm(alg);
}

function whatOfAlgorithm(alg: string, right: string): string {
  if (alg.toLowerCase() === right) return `alg is "${alg}", but its name must be in lower case.`;
  return isOfOtherKey(alg)
    ? `alg is "${alg}", but the client's key is for "${right}".`
    : `alg is "${alg}", but only "${right}" is accepted.`;
}

function parameterToAdd(name: string, algorithm: string): string {
  return `\`;${name}=${name === 'alg' ? `"${algorithm}"` : valuesOfParameters[name]}\``;
}

function otherCaseFinding(names: readonly string[]): Finding {
  const right = names.map((name) => name.toLowerCase()).join(' and ');
  return finding('parameter_unknown', 'observed', {
    alsoCodes: ['parameter_missing'],
    what: `You sent the parameter ${names.join(' and ')}, but it must be ${right}.`,
    mend: `Write ${right} in lower case.`,
  });
}

/** An otherwise readable parameter that lacks its quotes or is repeated. */
function formFault({ parameters, findings }: MeantSignatureInput): Words | undefined {
  if (findings.some(({ code }) => code === 'signature_input_format')) return undefined;
  for (const { name, raw } of parameters) {
    if ((name === 'keyid' || name === 'alg') && !raw.startsWith('"'))
      return {
        detail: `${name} is not in double quotes`,
        mend: `Put ${name} in double quotes: ${name}="…".`,
      };
    if (parameters.filter((one) => one.name === name).length > 1)
      return { detail: `${name} is there more than once`, mend: `Write ${name} once.` };
  }
  return undefined;
}

const knownComponents: ReadonlySet<string> = new Set(['@method', '@target-uri', 'content-digest', 'date']);
const requiredParameters: ReadonlySet<string> = new Set(['created', 'keyid', 'alg']);
const valuesOfParameters: Readonly<Record<string, string>> = {
  created: '<Unix seconds>',
  keyid: '"<client ID>"',
};
