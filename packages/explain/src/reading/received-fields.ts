import { readSignatureInput } from '@countersign/signature/profile';
import type { Finding } from '../explanation.ts';
import { finding } from '../findings/findings.ts';
import type { FindingCode } from '../findings/findings.ts';

/** The fields of the profile, by their lower-case names. */
export type FieldName = 'signature-input' | 'signature' | 'date' | 'content-digest';

/** A field as the caller meant it. */
export interface ReceivedField {
  /** The value of the line that counts, unfolded and without outer white space; undefined when there is none. */
  readonly value: string | undefined;
  /** The same as it came. */
  readonly raw: string | undefined;
  /** The other values, when the field came several times with different ones. */
  readonly others: readonly string[];
}

/** The fields that were found, with what is wrong about their lines. */
export interface ReceivedFields {
  readonly fields: Readonly<Record<FieldName, ReceivedField>>;
  readonly findings: readonly Finding[];
  readonly missing: readonly FieldName[];
}

interface FieldEntry {
  readonly name: FieldName;
  readonly title: string;
  /** Names under which the field is met. */
  readonly otherNames: RegExp;
  /** How its value is told, whatever its name is. */
  readonly looksLike: RegExp;
}

const fieldTable: readonly FieldEntry[] = [
  {
    name: 'signature-input',
    title: 'Signature-Input',
    otherNames: /^(?:x-|http-)?sig(?:nature)?[-_]?(?:input|params|parameters)$|^signature_input$/,
    looksLike: /\(.*\).*;|;\s*(?:created|keyid)=/,
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

/** Finds the fields of the profile among header lines of any kind. */
export function receiveFields(
  lines: readonly (readonly [string, string])[],
  needed: { readonly hasBody: boolean | undefined },
): ReceivedFields {
  const findings: Finding[] = [];
  const fields = {} as Record<FieldName, ReceivedField>;
  const missing: FieldName[] = [];
  for (const entry of fieldTable) {
    const field = receiveField(entry, lines, findings);
    fields[entry.name] = field;
    if (field.value !== undefined) continue;
    if (entry.name !== 'content-digest' || needed.hasBody === true) missing.push(entry.name);
  }
  return { fields, findings, missing };
}

/** The finding for a field that did not come. */
export function missingField(name: FieldName, isExpectedByProxy: boolean): Finding {
  const { title } = fieldTable.find((entry) => entry.name === name)!;
  return isExpectedByProxy
    ? finding('header_stripped', 'likely', { detail: `${title} is covered, but it is not among the headers` })
    : finding('header_missing', 'observed', { detail: title, action: title });
}

/** The title-case name of a field. */
export function fieldTitle(name: FieldName): string {
  return fieldTable.find((entry) => entry.name === name)!.title;
}

function receiveField(
  entry: FieldEntry,
  lines: readonly (readonly [string, string])[],
  findings: Finding[],
): ReceivedField {
  let found = lines.filter(([name]) => name.toLowerCase() === entry.name);
  if (found.length === 0) {
    found = lines
      .filter(([name, value]) => isOtherName(entry, name) && entry.looksLike.test(value))
      .slice(0, 1);
    if (found[0]) {
      const detail = `${entry.title} came as ${found[0][0]}`;
      findings.push(finding('header_renamed', 'observed', { detail, action: entry.title }));
    }
  }
  const raw = found[0]?.[1];
  if (raw === undefined) return { value: undefined, raw, others: [] };
  const values = [...new Set(found.map(([, value]) => value.trim()))];
  if (found.length > 1) {
    const detail = `${entry.title} came ${found.length} times, ${values.length > 1 ? 'with different values' : 'each time the same'}`;
    findings.push(finding('header_repeated', 'observed', { detail, action: entry.title }));
  }
  const value = unfold(values[0]!, entry.name);
  if (value !== values[0]) push(findings, 'header_folded', entry.title);
  const single = entry.name === 'date' || entry.name === 'content-digest' ? unjoin(value) : value;
  if (single !== value) {
    const detail = `${entry.title} holds its value more than once, joined with commas`;
    findings.push(finding('header_repeated', 'observed', { detail, action: entry.title }));
  }
  return { value: single, raw, others: values.slice(1, 4) };
}

function isOtherName({ name, otherNames }: FieldEntry, line: string): boolean {
  const lower = line.toLowerCase();
  if (fieldTable.some((entry) => entry.name === lower)) return false;
  return otherNames.test(lower) || lower.replace(/[-_]/g, '') === name.replace('-', '');
}

function push(findings: Finding[], code: FindingCode, title: string): void {
  findings.push(finding(code, 'observed', { detail: title, action: title }));
}

/** obs-fold (RFC 9112 section 5.2): a line end and white space stand for a space, or for nothing that was ever there. */
function unfold(value: string, name: FieldName): string {
  if (!value.includes('\n')) return value;
  const lines = value.split('\n').map((line) => line.trim());
  const joined = lines.join('');
  return name === 'signature-input' && readSignatureInput(joined) ? joined : lines.join(' ');
}

/** The value of which a field consists twice, as proxies and libraries join repeated lines. */
function unjoin(value: string): string {
  if (value.length % 2 !== 0) return value;
  const half = (value.length - 2) / 2;
  const first = value.slice(0, half);
  return value === `${first}, ${first}` ? first : value;
}
