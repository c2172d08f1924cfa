import { encodeBase64 } from '@countersign/signature';
import { hexadecimal } from '@countersign/signature/keys';
import type { BaseDraft, BaseStructure, Finish, LineName, OtherValues } from '../search/base-draft.ts';
import { Alternatives, type Alternative, type Dimension } from '../search/enumeration.ts';
import type { FindingCode } from '../findings/findings.ts';
import { permutations } from './query-orders.ts';

/** The parts of a draft that say how it is written. */
type UsualForm = Pick<
  BaseDraft,
  | 'paramsPrefix'
  | 'writeName'
  | 'separator'
  | 'lineEnd'
  | 'ending'
  | 'beginning'
  | 'rewrite'
  | 'charset'
  | 'finish'
>;

/** The usual ways of writing. */
export const usualForm: UsualForm = {
  paramsPrefix: undefined,
  writeName: (name: LineName): string => `"${name}"`,
  separator: (): string => ': ',
  lineEnd: (): string => '\n',
  ending: '',
  beginning: '',
  rewrite: undefined,
  charset: 'utf-8',
  finish: undefined,
};

/** Everything that is known to go wrong about how a base is put together, whatever is in it. */
export function formDimensions(
  structure: BaseStructure,
  others: OtherValues,
): readonly Dimension<BaseDraft>[] {
  return [
    { field: 'structure', alternatives: () => structures(structure, others) },
    {
      field: 'paramsPrefix',
      isWritten: ({ structure: { lines } }) => lines.includes('@signature-params'),
      alternatives: () => paramsPrefixes,
    },
    { field: 'writeName', isWritten: ({ structure: { isCavage } }) => !isCavage, alternatives: () => names },
    { field: 'separator', alternatives: () => separators(structure.lines) },
    { field: 'lineEnd', alternatives: () => lineEnds(structure.lines.length) },
    { field: 'ending', alternatives: () => endings },
    { field: 'beginning', alternatives: () => beginnings },
    { field: 'rewrite', alternatives: () => rewrites },
    { field: 'charset', alternatives: () => charsets },
    { field: 'finish', alternatives: () => finishes },
  ];
}

function one<Value>(code: FindingCode, detail: string, cost: number, value: Value): Alternative<Value> {
  return { value, cost, notes: [{ code, detail }] };
}

const paramsPrefixes = [
  one('base_params_with_label', '"@signature-params": sig=…', 0.5, '"@signature-params": sig='),
  one('base_params_with_label', 'only sig=…', 2, 'sig='),
  one('base_params_whole_header', 'Signature-Input: sig=…', 1, 'Signature-Input: sig='),
  one('base_params_whole_header', '"signature-input": sig=…', 1, '"signature-input": sig='),
  one('base_params_whole_header', 'signature-input: sig=…', 2, 'signature-input: sig='),
  one('base_params_whole_header', '"Signature-Input": sig=…', 2, '"Signature-Input": sig='),
  one(
    'base_params_whole_header',
    '"@signature-params": Signature-Input: sig=…',
    2,
    '"@signature-params": Signature-Input: sig=',
  ),
  one(
    'base_params_whole_header',
    '"@signature-params": signature-input: sig=…',
    3,
    '"@signature-params": signature-input: sig=',
  ),
  one('base_unquoted_names', '"@signature-input"', 2, '"@signature-input": '),
  one('base_unquoted_names', '"signature-params"', 2, '"signature-params": '),
  one('base_unquoted_names', '"signature-input"', 2, '"signature-input": '),
  one('base_unquoted_names', '@signature-params without quotes', 2, '@signature-params: '),
  one('base_unquoted_names', '@signature-input without quotes', 3, '@signature-input: '),
  one('base_unquoted_names', 'the last line has no name', 2, ''),
  one('base_unquoted_names', '"@signature-parameters"', 3, '"@signature-parameters": '),
];

function headerCase(name: LineName): string {
  return name.replace(
    /(^|[-@])([a-z])/g,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}

const names = [
  one('base_unquoted_names', 'name: value', 0.5, (name: LineName) => name),
  one('base_unquoted_names', 'only the headers without quotes', 2, (name: LineName) =>
    name.startsWith('@') ? `"${name}"` : name,
  ),
  one('base_unquoted_names', 'only the derived components without quotes', 2, (name: LineName) =>
    name.startsWith('@') ? name : `"${name}"`,
  ),
  one('base_unquoted_names', 'only the last line in quotes', 2, (name: LineName) =>
    name === '@signature-params' ? `"${name}"` : name,
  ),
  one('base_unquoted_names', 'in single quotes', 2, (name: LineName) => `'${name}'`),
  one('base_unquoted_names', 'without @', 2, (name: LineName) => `"${name.replace('@', '')}"`),
  one('base_unquoted_names', 'without quotes and @', 2, (name: LineName) => name.replace('@', '')),
  one('base_unquoted_names', 'with escaped quotes', 3, (name: LineName) => `\\"${name}\\"`),
  one(
    'base_name_case',
    'headers as "Content-Digest"',
    1,
    (name: LineName) => `"${name.startsWith('@') ? name : headerCase(name)}"`,
  ),
  one('base_name_case', 'all as "Content-Digest"', 3, (name: LineName) => `"${headerCase(name)}"`),
  one('base_name_case', 'all in upper case', 3, (name: LineName) => `"${name.toUpperCase()}"`),
  {
    ...one('base_unquoted_names', 'Content-Digest: value', 2, (name: LineName) =>
      name.startsWith('@') ? name : headerCase(name),
    ),
    notes: [
      { code: 'base_unquoted_names' as const, detail: 'Content-Digest: value' },
      { code: 'base_name_case' as const },
    ],
  },
];

const separatorTexts: readonly (readonly [text: string, detail: string, cost: number])[] = [
  [':', 'no space', 0.5],
  [' : ', 'a space before the colon too', 2],
  [':  ', 'two spaces', 2],
  [' :', 'the space before the colon', 3],
  [':\t', 'a tab', 3],
  ['=', '= in place of the colon', 3],
  [' ', 'no colon', 3],
  ['', 'nothing', 4],
  [': "', 'a quote', 4],
];

/** In all lines, or in one of them. */
function separators(lines: readonly LineName[]): Alternative<(index: number, name: LineName) => string>[] {
  return separatorTexts.flatMap(([text, detail, cost]) => [
    one('base_colon_space', detail, cost, () => text),
    one('base_colon_space', `${detail}, in all lines but the last`, cost, (_: number, line: LineName) =>
      line === '@signature-params' ? ': ' : text,
    ),
    ...lines.map((name) =>
      one(
        'base_colon_space',
        `${detail} in the line of ${name}`,
        Math.min(cost + 1, 4),
        (_: number, line: LineName) => (line === name ? text : ': '),
      ),
    ),
  ]);
}

const lineEndTexts: readonly (readonly [FindingCode, text: string, detail: string, cost: number])[] = [
  ['base_crlf', '\r\n', 'CRLF', 0.5],
  ['base_literal_newline', '\\n', '\\n as two characters', 1],
  ['base_crlf', '\r', 'CR', 3],
  ['base_crlf', '', 'nothing', 2],
  ['base_crlf', ' ', 'a space', 3],
  ['base_crlf', '\n\n', 'two newlines', 3],
  ['base_crlf', '\n\r', 'LFCR', 4],
  ['base_crlf', '\r\r\n', 'CRCRLF', 4],
  ['base_crlf', ' \n', 'a space and a newline', 3],
  ['base_crlf', ', ', 'a comma', 4],
  ['base_crlf', ',', 'a comma', 4],
  ['base_crlf', '&', '&', 4],
  ['base_crlf', '|', '|', 4],
  ['base_literal_newline', '\\r\\n', '\\r\\n as four characters', 3],
];

function lineEnds(lineCount: number): Alternative<(index: number) => string>[] {
  const list: Alternative<(index: number) => string>[] = lineEndTexts.map(([code, text, detail, cost]) =>
    one(code, detail, cost, () => text),
  );
  const joints = Math.min(lineCount - 1, 5);
  for (let some = 1; some < 2 ** joints - 1; some++) {
    const which = Array.from({ length: joints }, (_, index) => index).filter((index) => (some >> index) & 1);
    const detail = `CRLF after line ${which.map((index) => index + 1).join(', ')}`;
    const isRun =
      which.length === 1 + which.at(-1)! - which[0]! && (which[0] === 0 || which.at(-1) === joints - 1);
    const cost = isRun || which.length === 1 || which.length === joints - 1 ? 1 : 2;
    list.push(one('base_some_crlf', detail, cost, (index: number) => ((some >> index) & 1 ? '\r\n' : '\n')));
  }
  return list;
}

const endings = [
  one('base_trailing_newline', 'a newline', 0.5, '\n'),
  one('base_trailing_newline', 'CRLF', 1, '\r\n'),
  one('base_trailing_newline', 'two newlines', 3, '\n\n'),
  one('base_trailing_newline', 'a space', 3, ' '),
  one('base_trailing_newline', 'a carriage return', 3, '\r'),
  one('base_trailing_newline', 'a NUL byte', 3, '\0'),
  one('base_literal_newline', '\\n at the end', 3, '\\n'),
  one('base_trailing_newline', 'a space and a newline', 4, ' \n'),
];

const beginnings = [
  one('base_trailing_newline', 'a newline before the first line', 3, '\n'),
  one('base_trailing_newline', 'CRLF before the first line', 4, '\r\n'),
  one('base_trailing_newline', 'a space before the first line', 4, ' '),
];

const rewrites = [
  one('base_value_case', 'the values of the headers in lower case', 2, (text: string) =>
    text.replace(/^(?:content-digest|"content-digest"|date|"date")(.*)$/gim, (line) => line.toLowerCase()),
  ),
  one('base_value_case', 'all values but the last line in lower case', 3, (text: string) =>
    text.replace(/^(?!.*signature-params).*$/gm, (line) => line.toLowerCase()),
  ),
  one('base_value_case', 'the whole base in lower case', 2, (text: string) => text.toLowerCase()),
  one('base_value_case', 'the whole base in upper case', 3, (text: string) => text.toUpperCase()),
  one('base_value_trimmed', 'all white space left out', 3, (text: string) => text.replace(/\s+/g, '')),
  one('base_value_trimmed', 'all spaces left out', 4, (text: string) => text.replace(/ /g, '')),
  one('base_charset', 'the whole base percent-encoded', 4, (text: string) =>
    encodeURIComponent(text.toWellFormed()),
  ),
  one('base_charset', 'the whole base as a JSON string', 4, (text: string) => JSON.stringify(text)),
  one('base_value_trimmed', 'lines indented by 4 spaces', 4, (text: string) => text.replace(/\n/g, '\n    ')),
  one('base_value_trimmed', 'lines indented by 2 spaces', 4, (text: string) => text.replace(/\n/g, '\n  ')),
  one('base_charset', 'the base in Base64', 3, (text: string) =>
    encodeBase64(new TextEncoder().encode(text)),
  ),
  one('base_charset', 'the base in hex', 4, (text: string) => hexadecimal(new TextEncoder().encode(text))),
];

const charsets = [
  one('base_charset', 'UTF-16', 2, 'utf-16le'),
  one('base_charset', 'UTF-16 with a byte order mark', 3, 'utf-16le-bom'),
  one('base_charset', 'UTF-16, big-endian, with a byte order mark', 2, 'utf-16be-bom'),
  one('base_charset', 'UTF-16, big-endian', 3, 'utf-16be'),
  one('base_charset', 'UTF-8 with a byte order mark', 2, 'utf-8-bom'),
];

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What signers do to the hash before the padding. */
export const finishes: readonly Alternative<Finish>[] = [
  finish('signature_hashed_twice', 'the hash was hashed again', 0.5, (hash) => hash),
  finish('signature_of_hex_hash', 'in lower case', 1, (hash) => ascii(hexadecimal(hash))),
  finish('signature_of_hex_hash', 'in upper case', 2, (hash) => ascii(hexadecimal(hash).toUpperCase())),
  finish('signature_of_hex_hash', 'with a newline', 4, (hash) => ascii(`${hexadecimal(hash)}\n`)),
  finish('signature_of_base64_hash', 'with padding', 1, (hash) => ascii(encodeBase64(hash))),
  finish('signature_of_base64_hash', 'without padding', 3, (hash) =>
    ascii(encodeBase64(hash).replace(/=/g, '')),
  ),
  finish('signature_of_base64_hash', 'in the URL-safe alphabet', 3, (hash) =>
    ascii(encodeBase64(hash).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')),
  ),
];

function finish(
  code: FindingCode,
  detail: string,
  cost: number,
  write: (hash: Uint8Array) => Uint8Array,
): Alternative<Finish> {
  return one(code, detail, cost, (bytes, hash, inner) => hash(write(inner(bytes))));
}

/** Other lines, and other orders of them. */
function structures(usual: BaseStructure, others: OtherValues): readonly Alternative<BaseStructure>[] {
  const list = new Alternatives(usual.lines.join('\n'));
  const found: Alternative<BaseStructure>[] = [];
  const add = (
    lines: readonly LineName[],
    cost: number,
    code: FindingCode,
    detail: string,
    isCavage = false,
  ): void => {
    if (list.add(`${lines.join('\n')}${isCavage ? '\n' : ''}`, cost, code).list.length === found.length)
      return;
    found.push({ value: { lines, isCavage }, cost, notes: [{ code, detail }] });
  };
  const { lines } = usual;
  const components = lines.filter((name) => name !== '@signature-params');
  addLeftOut(add, lines);
  addReplaced(add, lines);
  if (components.length <= 5) {
    for (const permuted of permutations(components).slice(1))
      add([...permuted, '@signature-params'], 2, 'base_component_order', permuted.join(', '));
  }
  add(['@signature-params', ...components], 2, 'base_component_order', '@signature-params first');
  addExtra(add, components, others);
  addCavage(add, others);
  return found;
}

type AddStructure = (
  lines: readonly LineName[],
  cost: number,
  code: FindingCode,
  detail: string,
  isCavage?: boolean,
) => void;

const leftOut: Readonly<Record<LineName, readonly [FindingCode, cost: number]>> = {
  '@signature-params': ['base_no_signature_params', 0.5],
  date: ['base_no_date', 0.5],
  'content-digest': ['base_no_digest', 1],
};

function addLeftOut(add: AddStructure, lines: readonly LineName[]): void {
  lines.forEach((name, index) => {
    const [code, cost] = leftOut[name] ?? ['base_line_left_out', 2];
    add(lines.toSpliced(index, 1), cost, code, `no line of ${name}`);
  });
}

const targetForms: readonly (readonly LineName[])[] = [
  ['@request-target'],
  ['@path'],
  ['@path', '@query'],
  ['@authority', '@path'],
  ['@authority', '@path', '@query'],
  ['(request-target)'],
];

function addReplaced(add: AddStructure, lines: readonly LineName[]): void {
  const index = lines.indexOf('@target-uri');
  if (index < 0) return;
  for (const target of targetForms)
    add(
      lines.toSpliced(index, 1, ...target),
      2,
      'base_request_target',
      `${target.join(' and ')} in place of @target-uri`,
    );
}

const extraNames: readonly LineName[] = [
  'content-digest',
  'date',
  'content-type',
  'host',
  'content-length',
  '@authority',
  '@path',
  '@query',
  '@scheme',
  'digest',
  'user-agent',
  'accept',
  'idempotency-key',
];

function addExtra(add: AddStructure, components: readonly LineName[], others: OtherValues): void {
  for (const name of extraNames) {
    const isThere = others.has(name) || name.startsWith('@') || name === 'date' || name === 'content-digest';
    if (components.includes(name) || !isThere) continue;
    const cost = name === 'content-digest' || name === 'date' ? 2 : 3;
    add([...components, name, '@signature-params'], cost, 'base_extra_component', `a line of ${name}`);
    add(
      [...components.slice(0, 2), name, ...components.slice(2), '@signature-params'],
      cost,
      'base_extra_component',
      `a line of ${name}`,
    );
  }
}

const cavageLines: readonly (readonly LineName[])[] = [
  ['(request-target)'],
  ['(request-target)', 'date'],
  ['(request-target)', 'host', 'date'],
  ['(request-target)', 'date', 'host'],
  ['(request-target)', 'date', 'digest'],
  ['(request-target)', 'host', 'date', 'digest'],
  ['(request-target)', 'date', 'content-digest'],
  ['(request-target)', 'content-digest', 'date'],
  ['(request-target)', 'digest', 'date'],
  ['(request-target)', 'host', 'date', 'content-digest'],
  ['(request-target)', 'host', 'date', 'digest', 'content-type'],
  ['(request-target)', 'host', 'date', 'digest', 'content-length'],
  ['(request-target)', 'host', 'date', 'content-type', 'digest'],
  ['(request-target)', 'host'],
  ['(request-target)', '(created)'],
  ['(request-target)', '(created)', 'host'],
  ['(request-target)', '(created)', 'date'],
  ['(request-target)', '(created)', 'host', 'date'],
  ['(request-target)', '(created)', 'host', 'date', 'digest'],
  ['(request-target)', '(created)', 'digest'],
  ['(request-target)', '(created)', 'date', 'digest'],
  ['(request-target)', '(created)', 'date', 'content-digest'],
  ['(request-target)', '(created)', 'content-digest', 'date'],
  ['(request-target)', '(created)', 'content-digest'],
  ['date'],
  ['host', 'date'],
  ['date', 'digest'],
];

function addCavage(add: AddStructure, others: OtherValues): void {
  for (const lines of cavageLines) {
    if (
      lines.some(
        (name) =>
          name !== 'date' && name !== 'content-digest' && name !== '(request-target)' && !others.has(name),
      )
    )
      continue;
    add(lines, 1.5, 'base_cavage', lines.join(' '), true);
    add([...lines, '@signature-params'], 3, 'base_cavage', lines.join(' '), true);
  }
}
