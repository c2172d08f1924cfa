import { type FieldName, readSignatureInput } from '@countersign/signature/profile';
import { type Finding, type FindingFacts, finding } from '../findings/finding.ts';

export interface ReceivedField {
  /** The relevant line's value, unfolded and trimmed; undefined if there is none. */
  readonly value: string | undefined;
  /** The same value unchanged. */
  readonly raw: string | undefined;
  /** The other values, if the field was sent several times with different ones. */
  readonly others: readonly string[];
}

export interface ReceivedFields {
  readonly fields: Readonly<Record<FieldName, ReceivedField>>;
  readonly findings: readonly Finding[];
  readonly missing: readonly FieldName[];
}

interface FieldEntry {
  readonly name: FieldName;
  readonly title: string;
  /** Other names that callers use for the field. */
  readonly otherNames: RegExp;
  /** Recognizes the field's value under another name. */
  readonly looksLike: RegExp;
}

const fieldTable: readonly FieldEntry[] = [
  {
    name: 'signature-input',
    title: 'Signature-Input',
    otherNames: /^(?:x-|http-)?sig(?:nature)?[-_]?(?:input|params|parameters)$|^signature_input$/,
    // The name alone identifies it if its text is encoded.
    looksLike: /\(.*\).*;|;\s*(?:created|keyid)=|^[A-Za-z0-9+/_%.-]{80,}=*$/,
  },
  {
    name: 'signature',
    title: 'Signature',
    otherNames: /^(?:x-|http-|request-|api-)*(?:sig|signature|sign)(?:-sha256|-value)?$/,
    looksLike: /[A-Za-z0-9+/_-]{40}/,
  },
  {
    name: 'date',
    title: 'Date',
    otherNames: /^(?:x-|http-|request-|amz-|api-|signature-|original-)*(?:date|timestamp)$/,
    looksLike: /\d/,
  },
  {
    name: 'content-digest',
    title: 'Content-Digest',
    otherNames:
      /^(?:x-|http-|request-)*(?:content[-_]?digest|digest|body-digest|repr-digest|content[-_]?sha-?256|amz-content-sha256|contentdigest)$/,
    looksLike: /[A-Za-z0-9+/_-]{16}/,
  },
];

type HeaderLine = readonly [name: string, value: string];

/** Finds the profile's fields among any header lines. */
export function receiveFields(
  received: readonly HeaderLine[],
  needed: { readonly hasBody: boolean | undefined },
): ReceivedFields {
  const findings: Finding[] = [];
  const lines = sortedOut(received, findings);
  const fields = {} as Record<FieldName, ReceivedField>;
  const missing: FieldName[] = [];
  const repeated: Repetition[] = [];
  for (const entry of fieldTable) {
    const field = receiveField(entry, lines, findings, repeated);
    fields[entry.name] = field;
    if (field.value !== undefined) continue;
    if (entry.name !== 'content-digest' || needed.hasBody === true) missing.push(entry.name);
  }
  if (repeated.length > 0) findings.push(repeatedFinding(repeated));
  return { fields, findings, missing };
}

/** Puts the two signature fields back in their headers if they were swapped, or joined in one. */
function sortedOut(lines: readonly HeaderLine[], findings: Finding[]): readonly HeaderLine[] {
  const both = ['signature', 'signature-input'].map((field) =>
    lines.filter(([name]) => name.toLowerCase() === field),
  );
  const [signature, input] = both.map((found) => (found.length === 1 ? found[0]![1] : undefined));
  const others = lines.filter(([name]) => !/^signature(?:-input)?$/i.test(name));
  if (signature !== undefined && input !== undefined) {
    if (!isInput.test(signature) || !isSignature.test(input)) return lines;
    findings.push(finding('header_swapped', 'observed', { facts: ofSignature }));
    return [...others, ['Signature-Input', signature], ['Signature', input]];
  }
  const joined = both.flat().length === 1 ? (signature ?? input)! : '';
  const match = joinedFields.exec(joined);
  if (!match) return lines;
  const parts = [match[1]!, match[2]!].map((part) => part.replace(/[\s,;]+$/, ''));
  const inputPart = parts.find((part) => isInput.test(part));
  const signaturePart = parts.find((part) => isSignature.test(part));
  if (inputPart === undefined || signaturePart === undefined) return lines;
  findings.push(finding('header_joined', 'observed', { facts: ofSignature }));
  return [...others, ['Signature-Input', inputPart], ['Signature', signaturePart]];
}

const ofSignature: FindingFacts = { fields: ['signature-input', 'signature'] };
const isInput = /^\s*[a-z][\w-]{0,63}\s*=\s*\(/i;
const isSignature = /^\s*[a-z][\w-]{0,63}\s*=\s*:[A-Za-z0-9+/=]{40,}:\s*$/i;
const joinedFields = /^(.{1,4000}?[,;]\s*)([a-z][\w-]{0,63}\s*=\s*[(:].{40,})$/is;

/** Reports a missing field, attributing it to the proxy if there is one. */
export function missingField(name: FieldName, isExpectedByProxy: boolean): Finding {
  const { title } = fieldTable.find((entry) => entry.name === name)!;
  const facts: FindingFacts = { fields: [name] };
  return isExpectedByProxy
    ? finding('header_stripped', 'likely', {
        detail: `${title} is covered, but it is not among the headers`,
        facts,
      })
    : finding('header_missing', 'observed', { detail: title, action: title, facts });
}

export function fieldTitle(name: FieldName): string {
  return fieldTable.find((entry) => entry.name === name)!.title;
}

function receiveField(
  entry: FieldEntry,
  lines: readonly (readonly [string, string])[],
  findings: Finding[],
  repeated: Repetition[],
): ReceivedField {
  let found = lines.filter(([name]) => name.toLowerCase() === entry.name);
  if (found.length === 0) {
    found = lines
      .filter(([name, value]) => isOtherName(entry, name) && entry.looksLike.test(value))
      .slice(0, 1);
    if (found[0]) {
      const detail = `${entry.title} came as ${found[0][0]}`;
      findings.push(
        finding('header_renamed', 'observed', {
          detail,
          action: entry.title,
          facts: { fields: [entry.name] },
        }),
      );
    }
  }
  const raw = found[0]?.[1];
  if (raw === undefined) return { value: undefined, raw, others: [] };
  const values = [...new Set(found.map(([, value]) => value.trim()))];
  if (found.length > 1) {
    const same = values.length > 1 ? 'with different values' : 'each time the same';
    repeated.push({
      name: entry.name,
      title: entry.title,
      what: `${entry.title} came ${found.length} times, ${same}.`,
    });
  }
  const value = unfold(values[0]!, entry.name);
  if (value !== values[0])
    findings.push(
      finding('header_folded', 'observed', {
        detail: entry.title,
        action: entry.title,
        facts: { fields: [entry.name] },
      }),
    );
  const single = unjoin(value);
  if (single !== value)
    repeated.push({
      name: entry.name,
      title: entry.title,
      what: `${entry.title} holds its value more than once, joined with commas.`,
    });
  return { value: single, raw, others: values.slice(1, 4) };
}

interface Repetition {
  readonly name: FieldName;
  readonly title: string;
  readonly what: string;
}

/** Whatever repeats one header also repeats the others. */
function repeatedFinding(repeated: readonly Repetition[]): Finding {
  const titles = repeated.map(({ title }) => title);
  const listed = [titles.slice(0, -1).join(', '), titles.at(-1)!].filter(Boolean).join(' and ');
  return finding('header_repeated', 'observed', {
    facts: { fields: repeated.map(({ name }) => name) },
    what: repeated.map(({ what }) => what).join(' '),
    mend: `Set ${listed} once, and check whether your HTTP library adds its own${titles.length > 1 ? ', or the request is signed twice' : ''}.`,
  });
}

function isOtherName({ name, otherNames }: FieldEntry, line: string): boolean {
  const lower = line.toLowerCase();
  if (fieldTable.some((entry) => entry.name === lower)) return false;
  return otherNames.test(lower) || lower.replace(/[-_]/g, '') === name.replace('-', '');
}

/** Unfolds obs-fold (RFC 9112 section 5.2): a line break and white space stand for a space, or for nothing at all. */
function unfold(value: string, name: FieldName): string {
  if (!value.includes('\n')) return value;
  const lines = value.split('\n').map((line) => line.trim());
  const joined = lines.join('');
  return name === 'signature-input' && readSignatureInput(joined) ? joined : lines.join(' ');
}

/** Proxies and libraries join repeated lines: returns the value that occurs twice. */
function unjoin(value: string): string {
  for (const comma of [', ', ',']) {
    const first = value.slice(0, (value.length - comma.length) / 2);
    if (value === first + comma + first) return first;
  }
  return value;
}
