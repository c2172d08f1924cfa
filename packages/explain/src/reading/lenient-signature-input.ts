import { componentLists, profileLimits, signatureAlgorithm, signatureLabel } from '@countersign/signature';
import { readSignatureInput } from '@countersign/signature/profile';
import type { Finding } from '../explanation.ts';
import { finding } from '../findings/findings.ts';

/** `Signature-Input` as its writer meant it. */
export interface MeantSignatureInput {
  readonly label: string | undefined;
  /** The covered components, without quotes, in the case in which they came. */
  readonly components: readonly string[];
  /** The text after the label, as it came. */
  readonly signatureParams: string;
  readonly parameters: readonly MeantParameter[];
  readonly findings: readonly Finding[];
}

/** A parameter with its value, without quotes, and as it came. */
export interface MeantParameter {
  readonly name: string;
  readonly value: string;
  readonly raw: string;
}

/** Reads what may be far from canonical. Undefined when no list of components can be made out. */
export function readMeantSignatureInput(text: string): MeantSignatureInput | undefined {
  if (text.length > profileLimits.signatureFieldLengthMax * 2) return undefined;
  const open = text.indexOf('(');
  const close = text.indexOf(')', open);
  if (open < 0 || close < 0) return undefined;
  const label = /([^\s,=]+)\s*=\s*["']?$/.exec(text.slice(0, open))?.[1];
  const end = endOfMember(text, close);
  const signatureParams = text.slice(open, end);
  const components = [...text.slice(open + 1, close).matchAll(/"([^"]*)"|'([^']*)'|([^\s,"']+)/g)]
    .map((match) => match[1] ?? match[2] ?? match[3]!)
    .slice(0, componentsMax);
  const parameters = readParameters(text.slice(close + 1, end));
  const meant = { label, components, signatureParams, parameters };
  return {
    ...meant,
    findings: readSignatureInput(text) ? [] : formFindings(text, meant, end < text.trimEnd().length),
  };
}

/** The value of a parameter, by any case of its name. */
export function parameterValue(input: MeantSignatureInput | undefined, name: string): string | undefined {
  return input?.parameters.find((one) => one.name.toLowerCase() === name)?.value;
}

const componentsMax = 16;
const parametersMax = 16;

/** A member ends at a comma outside quotes that another member follows. */
function endOfMember(text: string, from: number): number {
  const pattern = /"(?:[^"\\]|\\.)*"|,\s*[a-z*][\w.*-]*\s*=\s*\(/gi;
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (match[0].startsWith(',')) return match.index;
  }
  return text.length;
}

function readParameters(text: string): MeantParameter[] {
  const parameters: MeantParameter[] = [];
  for (const match of text.matchAll(
    /[;,]\s*([A-Za-z*][\w.*-]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^;,]*))?/g,
  )) {
    const raw = (match[2] ?? '').trim();
    const value = raw.replace(/^(["'])(.*)\1$/s, '$2').replace(/\\(.)/g, '$1');
    parameters.push({ name: match[1]!, value, raw });
    if (parameters.length === parametersMax) break;
  }
  return parameters;
}

/** What keeps the text from being read strictly: the label, several members, or its punctuation. */
function formFindings(
  text: string,
  meant: Omit<MeantSignatureInput, 'findings'>,
  hasMore: boolean,
): Finding[] {
  const { label, signatureParams } = meant;
  const findings: Finding[] = [];
  if (label !== signatureLabel) {
    const detail = label === undefined ? 'it has none' : `it is ${label}`;
    findings.push(finding('signature_label', 'observed', { detail }));
  } else if (hasMore) {
    findings.push(finding('signature_label', 'observed', { detail: 'there is more than one member' }));
  }
  if (!readSignatureInput(`${signatureLabel}=${signatureParams}`) && !hasFaultOfItsOwn(meant)) {
    const evidence = `sig=${componentLists[0]!.text};created=<seconds>;keyid="<clientId>";alg="${signatureAlgorithm}"`;
    findings.push(
      finding('signature_input_format', 'observed', {
        evidence: {
          expected: evidence,
          received: text,
          firstDifference: firstFault(signatureParams) + text.indexOf('('),
        },
      }),
    );
  }
  return findings;
}

/** A value of `created` that is no integer has a finding that says more. */
function hasFaultOfItsOwn({ signatureParams, parameters }: Omit<MeantSignatureInput, 'findings'>): boolean {
  const created = parameters.find(({ name }) => name === 'created');
  if (!created || /^\d{1,15}$/.test(created.raw)) return false;
  return readSignatureInput(`${signatureLabel}=${signatureParams.replace(created.raw, '1')}`) !== undefined;
}

/** The first character that canonical text does not have there, roughly: the first that is not of its alphabet or form. */
function firstFault(text: string): number {
  const match = /^\((?:"[^"]*"(?: (?=")|(?=\))))*\)?(?:;[a-z*][\w.*-]*=(?:\d+(?=;|$)|"[^"]*"))*/.exec(text);
  return match?.[0].length ?? 0;
}
