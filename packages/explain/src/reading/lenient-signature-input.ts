import { componentListFor, profileLimits, signatureAlgorithm, signatureLabel } from '@countersign/signature';
import { readSignatureInput } from '@countersign/signature/profile';
import { utf8Text } from '../byte-text.ts';
import { evidenceOf } from '../findings/evidence.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { decodeLeniently } from './lenient-base64.ts';
import { percentDecoded } from './url-parts.ts';

/** The intended meaning of `Signature-Input`. */
export interface MeantSignatureInput {
  readonly label: string | undefined;
  /** The covered components without quotes, in their original case. */
  readonly components: readonly string[];
  /** The parameters of each component, such as `;sf`. Empty for those without. */
  readonly componentParameters: readonly string[];
  /** The string that contains several names, each of which should be a string of its own. */
  readonly joinedNames: string | undefined;
  /** Known names that contain a space or an underscore, as written. `components` has the intended names. */
  readonly misspeltNames: readonly string[];
  /** The text after the label, unchanged. */
  readonly signatureParams: string;
  readonly parameters: readonly MeantParameter[];
  /** The same in canonical form: the text that a signer signs if it only spoils the header. */
  readonly canonicalParams: string;
  /** True if the text ends in the middle of a parameter. */
  readonly isCut: boolean;
  readonly findings: readonly Finding[];
}

/** A parameter with its value unquoted (`value`) and unchanged (`raw`). */
export interface MeantParameter {
  readonly name: string;
  readonly value: string;
  readonly raw: string;
}

/** Reads text that may be far from canonical. Undefined if it contains no component list. */
export function readMeantSignatureInput(received: string): MeantSignatureInput | undefined {
  if (received.length > profileLimits.signatureFieldLengthMax * 2) return undefined;
  const { text, fault, mend } = cleanInput(received);
  const open = text.indexOf('(');
  const close = text.indexOf(')', open);
  if (open < 0 || close < 0) return undefined;
  const label = /([^\s,=]+)\s*=\s*["']?$/.exec(text.slice(0, open))?.[1];
  const end = endOfMember(text, close);
  const signatureParams = text.slice(open, end);
  const list = readComponents(text.slice(open + 1, close));
  const parameters = readParameters(text.slice(close + 1, end));
  const isCut = endsInParameter(signatureParams);
  const meant = { label, ...list, signatureParams, parameters, isCut };
  return {
    ...meant,
    canonicalParams: canonical(meant),
    findings:
      fault === undefined
        ? readSignatureInput(text) && !isCut
          ? []
          : formFindings(text, meant, end < text.trimEnd().length)
        : [
            finding('signature_input_format', 'observed', {
              detail: fault,
              mend,
              evidence: evidenceOf(`sig=${canonical(meant)}`, received),
            }),
          ],
  };
}

/**
 * Returns true if a text ends inside one of the profile's parameters: in its name, before its value, or in
 * open quotes.
 */
function endsInParameter(signatureParams: string): boolean {
  const end = /^\([^)]*\)(?:;[a-z][\w-]*=(?:"[^"]*"|[^";]+))*;([a-z]*)(=(?:"[^"]*)?)?$/.exec(signatureParams);
  if (!end) return false;
  const [, name = '', value] = end;
  return ['created', 'keyid', 'alg'].some((one) =>
    value === undefined ? one.startsWith(name) : one === name,
  );
}

/**
 * Returns the text that was most probably signed: as received, or in canonical form if only the header was
 * spoiled, since other code then writes the text in the base.
 */
export function signedInput(input: MeantSignatureInput): MeantSignatureInput {
  const isSpoiled = input.findings.some(({ code }) => code === 'signature_input_format') && !input.isCut;
  if (!isSpoiled) return input;
  const parameters = input.parameters.map((one) => ({ ...one, raw: canonicalValue(one) }));
  return { ...input, signatureParams: input.canonicalParams, parameters };
}

/** The canonical text with plain components. */
export function withoutComponentParameters(input: MeantSignatureInput): string {
  return canonical({ ...input, componentParameters: [] });
}

function canonical({
  components,
  componentParameters,
  parameters,
}: Pick<MeantSignatureInput, 'components' | 'componentParameters' | 'parameters'>): string {
  const names = components.map((name, index) => `"${name}"${componentParameters[index] ?? ''}`);
  const written = parameters.map((one) => `;${one.name}=${canonicalValue(one)}`);
  return `(${names.join(' ')})${written.join('')}`;
}

/** Reads the text between the parentheses. */
function readComponents(
  text: string,
): Pick<MeantSignatureInput, 'components' | 'componentParameters' | 'joinedNames' | 'misspeltNames'> {
  const found = [...text.matchAll(componentPattern)].slice(0, componentsMax);
  const names = found.map((match) => match[1] ?? match[2] ?? match[3]!);
  const joined = names.filter(isSeveralNames);
  if (joined.length > 0) {
    const components = names
      .flatMap((name) => (isSeveralNames(name) ? name.split(/[\s,]+/) : [name]))
      .slice(0, componentsMax);
    return { components, componentParameters: [], joinedNames: joined[0], misspeltNames: [] };
  }
  const componentParameters = found.map((match) => (match[4] ?? '').replace(/\s+(?=;)|(?<=;)\s+/g, ''));
  const components = names.map(meantName);
  const misspeltNames = names.filter((name, index) => name !== components[index]);
  return { components, componentParameters, joinedNames: undefined, misspeltNames };
}

/** A name and its parameters. Without quotes, only RFC 9421's own parameters can be told apart from another name. */
const componentPattern =
  /(?:"([^"]*)"|'([^']*)'|([^\s,"';]+(?=\s*;\s*(?:sf|bs|tr|req|key|name)\b)|[^\s,"']+))((?:\s*;\s*[a-z*][\w.*-]*(?:=(?:"[^"]*"|[\w.:?-]+))?)*)/gi;

/** Returns true if a string contains several names. Other words with a space between them are one misspelt name. */
function isSeveralNames(name: string): boolean {
  const parts = name.split(/[\s,]+/);
  return parts.length > 1 && parts.every((part) => usualComponents.has(part.toLowerCase()));
}

/** Puts hyphens into a name of the profile that has spaces or underscores instead. */
export function meantName(name: string): string {
  const meant = name.replace(/[\s_]+/g, '-');
  return profileComponents.test(meant) ? meant : name;
}

const profileComponents = /^(?:@method|@target-uri|content-digest|date)$/i;

/** The profile's components, and others that signers of RFC 9421 and its drafts cover. */
const usualComponents: ReadonlySet<string> = new Set([
  '@method',
  '@target-uri',
  '@scheme',
  '@authority',
  '@path',
  '@query',
  '@request-target',
  'content-digest',
  'content-length',
  'content-type',
  'date',
  'digest',
  'host',
]);

function canonicalValue({ name, value }: MeantParameter): string {
  return name === 'created' || name === 'expires' ? value : `"${value}"`;
}

interface CleanInput {
  readonly text: string;
  /** Changes to the text as a whole. */
  readonly fault: string | undefined;
  readonly mend?: string;
}

/** Undoes the changes that encoders and printers make to the text as a whole. */
function cleanInput(text: string): CleanInput {
  if (readSignatureInput(text)) return { text, fault: undefined };
  for (const { fault, mend, read } of wholeFaults) {
    const clean = read(text);
    if (clean === undefined || clean === text || !clean.includes('(')) continue;
    return { text: clean, fault, mend };
  }
  return { text, fault: undefined };
}

const wholeFaults: readonly {
  readonly fault: string;
  readonly mend: string;
  readonly read: (text: string) => string | undefined;
}[] = [
  {
    fault: 'it is percent-encoded',
    mend: 'Send the header as it is, without URL-encoding it.',
    read: (text) => (/%(?:22|28)/.test(text) ? percentDecoded(text) : undefined),
  },
  {
    fault: 'it is encoded in Base64',
    mend: 'Send the text itself, not its Base64.',
    read: textOfBase64,
  },
  {
    fault: 'the whole value is in quotes',
    mend: 'Remove the quotes around the whole value.',
    read: (text) => /^(["'])(.*)\1$/s.exec(text.trim())?.[2]?.replace(/\\(["'])/g, '$1'),
  },
  {
    fault: 'its quotes are escaped',
    mend: 'Remove the backslashes before the quotes.',
    read: (text) => text.replace(/\\"/g, '"'),
  },
  {
    fault: 'its quotes are HTML entities',
    mend: 'Send plain double quotes, not HTML entities.',
    read: (text) => text.replace(/&(?:quot|#34|#x22);/g, '"'),
  },
  {
    fault: 'its quotes are typographic',
    mend: 'Write straight double quotes.',
    // Header octets are one character each, so UTF-8 has three.
    read: (text) => text.replace(/\u00e2\u0080[\u009c-\u009f]|[\u201c-\u201f\u0093\u0094]/g, '"'),
  },
  {
    fault: 'its list is in brackets, not in parentheses',
    mend: 'Put the component list in parentheses.',
    read: (text) => text.replace(/^([^[(]*)\[([^\])]*)\]/, '$1($2)'),
  },
];

function textOfBase64(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]{40,}=*$/.test(text)) return undefined;
  const decoded = decodeLeniently(text, () => true);
  return decoded && utf8Text(decoded.bytes);
}

/** Finds a parameter's value, ignoring the case of its name. */
export function parameterValue(input: MeantSignatureInput | undefined, name: string): string | undefined {
  return input?.parameters.find((one) => one.name.toLowerCase() === name)?.value;
}

const componentsMax = 16;
const parametersMax = 16;

/** A member ends at an unquoted comma followed by another member. */
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
    /[;,]\s*([A-Za-z*][\w.*-]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|'[^']*'|\d{1,3}(?:[.,_' ]\d+)+[^;,]*|[^;,]*))?/g,
  )) {
    const raw = (match[2] ?? '').trim();
    const value = raw.replace(/^(["'])(.*)\1$/s, '$2').replace(/\\(.)/g, '$1');
    parameters.push({ name: match[1]!, value, raw });
    if (parameters.length === parametersMax) break;
  }
  return parameters;
}

/** Finds why the strict reader rejects the text: the label, several members, or punctuation. */
function formFindings(
  text: string,
  meant: Omit<MeantSignatureInput, 'findings' | 'canonicalParams'>,
  hasMore: boolean,
): Finding[] {
  const { label, signatureParams, isCut } = meant;
  const findings: Finding[] = [];
  if (label !== signatureLabel) {
    const detail = label === undefined ? 'it has none' : `it is ${label}`;
    findings.push(finding('signature_label', 'observed', { detail }));
  } else if (hasMore) {
    findings.push(
      finding('signature_label', 'observed', {
        what: 'Signature-Input holds more than one signature.',
        mend: 'Send one signature, with the label `sig` in both headers.',
      }),
    );
  }
  const isStrict = readSignatureInput(`${signatureLabel}=${signatureParams}`) !== undefined;
  if (isCut || (!isStrict && !hasFaultOfItsOwn(meant))) {
    const { components } = meant;
    const list = componentListFor(components.includes('content-digest'), true);
    const expected = isCut
      ? `sig=${list.text};created=<seconds>;keyid="<clientId>";alg="${signatureAlgorithm}"`
      : `sig=${canonical(meant)}`;
    findings.push(
      finding('signature_input_format', 'observed', {
        ...(isCut && { detail: 'it ends in the middle of a parameter' }),
        evidence: {
          expected,
          received: text,
          firstDifference: firstFault(signatureParams) + text.indexOf('('),
        },
      }),
    );
  }
  return findings;
}

/** A `created` that is not an integer gets a more specific finding. */
function hasFaultOfItsOwn({
  signatureParams,
  parameters,
}: Pick<MeantSignatureInput, 'signatureParams' | 'parameters'>): boolean {
  const created = parameters.find(({ name }) => name === 'created');
  if (!created || /^\d{1,15}$/.test(created.raw)) return false;
  return readSignatureInput(`${signatureLabel}=${signatureParams.replace(created.raw, '1')}`) !== undefined;
}

/** Returns roughly where the text stops being canonical. */
function firstFault(text: string): number {
  const match = /^\((?:"[^"]*"(?: (?=")|(?=\))))*\)?(?:;[a-z*][\w.*-]*=(?:\d+(?=;|$)|"[^"]*"))*/.exec(text);
  return match?.[0].length ?? 0;
}
