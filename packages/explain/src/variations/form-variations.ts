import { encodeBase64 } from '@countersign/signature';
import { hexadecimal } from '@countersign/signature/keys';
import { concatBytes, urlSafeBase64, utf8Bytes } from '../byte-text.ts';
import { type Alternative, alternative, alternatives, type Dimension } from '../drafts/alternatives.ts';
import {
  type BaseDraft,
  type BaseStructure,
  type Charset,
  type Finish,
  type LineName,
  type OtherValues,
  printFields,
  usualForm,
} from '../drafts/base-draft.ts';
import type { Words } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { indentedBases } from './indentations.ts';
import { structures } from './line-variations.ts';
import { printedValues } from './printed-values.ts';
import { printfReadings } from './printf-reading.ts';

/** Lists every known mistake in assembling a base, whatever its values. */
export function formDimensions(
  { structure, writeName }: Pick<BaseDraft, 'structure' | 'writeName'>,
  others: OtherValues,
): readonly Dimension<BaseDraft>[] {
  return [
    { field: 'structure', isWritten: hasLines, alternatives: () => structures(structure, others) },
    {
      field: 'paramsPrefix',
      isWritten: (draft) => hasLines(draft) && draft.structure.lines.includes('@signature-params'),
      alternatives: () => paramsPrefixes,
    },
    {
      field: 'writeName',
      isWritten: (draft) => hasLines(draft) && !draft.structure.isCavage,
      alternatives: () =>
        writeName !== usualForm.writeName
          ? [namesWithoutParameters, ...names]
          : structure.lines.some((line) => line.includes(';'))
            ? [linesWithoutParameters, ...names]
            : names,
    },
    {
      field: 'lineStart',
      isWritten: (draft) => hasLines(draft) && !draft.structure.isCavage,
      alternatives: () => lineStarts,
    },
    { field: 'separator', isWritten: hasLines, alternatives: () => separators(structure.lines) },
    { field: 'lineText', isWritten: hasLines, alternatives: () => lineTexts },
    {
      field: 'lineEnd',
      isWritten: (draft) => hasLines(draft) && draft.structure.lines.length > 1,
      alternatives: () => lineEnds(structure.lines.length),
    },
    { field: 'ending', alternatives: () => endings },
    { field: 'beginning', alternatives: () => beginnings },
    // Before changes to all lines: a mistake in one line is not reported for the others.
    ...printDimensions(structure),
    {
      field: 'rewrite',
      alternatives: () => rewrites,
      alone: () => [...indentedBases(), ...printfReadings()],
    },
    { field: 'charset', alternatives: () => charsets },
    { field: 'finish', alternatives: () => finishes },
  ];
}

/** Lists the texts that may be printed for the value of each line. */
function printDimensions({ lines }: BaseStructure): readonly Dimension<BaseDraft>[] {
  return lines.flatMap((line): readonly Dimension<BaseDraft>[] => {
    const field = printFields[line];
    const isWritten = (draft: BaseDraft): boolean => hasLines(draft) && draft.structure.lines.includes(line);
    return field ? [{ field, isWritten, alternatives: () => printedValues(line) }] : [];
  });
}

/** Another text instead of the base has no lines. */
function hasLines({ otherText }: BaseDraft): boolean {
  return otherText === undefined;
}

const paramsPrefixes = [
  alternative('base_params_with_label', 'only sig=…', 3.5, 'sig='),
  ...alternatives('base_params_whole_header', [
    ['Signature-Input: sig=…', 1, 'Signature-Input: sig='],
    ['"signature-input": sig=…', 2, '"signature-input": sig='],
    ['signature-input: sig=…', 3.5, 'signature-input: sig='],
    ['"Signature-Input": sig=…', 3.5, '"Signature-Input": sig='],
    ['"@signature-params": Signature-Input: sig=…', 2, '"@signature-params": Signature-Input: sig='],
    ['"@signature-params": signature-input: sig=…', 3.5, '"@signature-params": signature-input: sig='],
  ]),
  ...alternatives('base_unquoted_names', [
    ['"@signature-input"', 3.5, '"@signature-input": '],
    ['"signature-params"', 3.5, '"signature-params": '],
    ['"signature-input"', 3.5, '"signature-input": '],
    ['@signature-params without quotes', 3.5, '@signature-params: '],
    ['@signature-input without quotes', 3.5, '@signature-input: '],
    ['the last line has no name', 3.5, ''],
    ['"@signature-parameters"', 3.5, '"@signature-parameters": '],
  ]),
];

const withoutAt: Words = {
  signed: 'the names "method", "target-uri" and "signature-params" without their @',
  mend: 'Write "@method", "@target-uri" and "@signature-params". The names of headers, such as "date", have no @.',
};

const names: readonly Alternative<BaseDraft['writeName']>[] = [
  ...alternatives<BaseDraft['writeName']>('base_unquoted_names', [
    ['no quotes on any line', 0.5, (name) => name],
    ['only the headers without quotes', 3, (name) => (name.startsWith('@') ? `"${name}"` : name)],
    ['only the derived components without quotes', 3, (name) => (name.startsWith('@') ? name : `"${name}"`)],
    ['only the last line in quotes', 2, (name) => (name === '@signature-params' ? `"${name}"` : name)],
    ['in single quotes', 2.5, (name) => `'${name}'`],
    [withoutAt, 2, (name) => `"${name.replace('@', '')}"`],
    ['without quotes and @', 2, (name) => name.replace('@', '')],
    ['with escaped quotes', 2, (name) => `\\"${name}\\"`],
    ['in backticks', 3, (name) => `\`${name}\``],
    ['in typographic quotes', 3, (name) => `“${name}”`],
  ]),
  ...alternatives<BaseDraft['writeName']>('base_name_case', [
    ['headers as "Content-Digest"', 1, (name) => `"${headerCase(name)}"`],
    ['all as "Content-Digest"', 3, (name) => `"${capitalised(name)}"`],
    ['all in upper case', 3, (name) => `"${name.toUpperCase()}"`],
  ]),
  {
    value: headerCase,
    cost: 2,
    notes: [{ code: 'base_unquoted_names', detail: 'Content-Digest: value' }, { code: 'base_name_case' }],
  },
];

const namesWithoutParameters: Alternative<BaseDraft['writeName']> = alternative(
  'base_extra_component',
  {
    what: 'Signature-Input lists components with parameters, which must not be there, and the lines that you signed lack them.',
    mend: 'Leave the parameters of components out of Signature-Input.',
  },
  0.5,
  usualForm.writeName,
);

const linesWithoutParameters: Alternative<BaseDraft['writeName']> = alternative(
  'base_component_parameters',
  {},
  0.5,
  (name) => `"${name.replace(/;.*$/s, '')}"`,
);

/** Names and separators that are usually wrong together. */
const lineStarts: readonly Alternative<NonNullable<BaseDraft['lineStart']>>[] = (
  [
    ['name:value', 1, (name) => `${name}:`],
    ['name=value', 3, (name) => `${name}=`],
    ['Name:value', 3, (name) => `${headerCase(name)}:`],
    ['name value', 4, (name) => `${name} `],
  ] as const satisfies readonly (readonly [string, number, (name: LineName) => string])[]
).map(([detail, cost, value]) => ({
  value,
  cost,
  notes: [{ code: 'base_unquoted_names', detail }, { code: 'base_colon_space' }],
}));

function headerCase(name: LineName): string {
  return name.startsWith('@') ? name : capitalised(name);
}

function capitalised(name: LineName): string {
  return name.replace(
    /(^|[-@])([a-z])/g,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}

const separatorTexts: readonly (readonly [text: string, detail: string, cost: number])[] = [
  [':', 'no space', 0.5],
  [' : ', 'a space before the colon too', 2],
  [':  ', 'two spaces', 2],
  [' :', 'the space before the colon', 4],
  [':\t', 'a tab', 3],
  ['=', '= in place of the colon', 2],
  [' ', 'no colon', 4],
  ['', 'nothing', 4],
  [': "', 'a quote', 4],
];

/** In all lines, or in one. */
function separators(lines: readonly LineName[]): readonly Alternative<BaseDraft['separator']>[] {
  return separatorTexts.flatMap(([text, detail, cost]) =>
    alternatives<BaseDraft['separator']>('base_colon_space', [
      [detail, cost, () => text],
      [
        `${detail}, in all lines but the last`,
        Math.max(cost, 3),
        (_, line) => (line === '@signature-params' ? ': ' : text),
      ],
      // Spaces before a single value belong to the value.
      ...(text === ':  ' ? [] : lines).map(
        (name) =>
          [
            `${detail} in the line of ${name}`,
            Math.max(cost, 1.5) + 1.5,
            (_: number, line: LineName) => (line === name ? text : ': '),
          ] as const,
      ),
    ]),
  );
}

/** Texts that end each line, including the last one if the program writes them in a loop. */
const lineEndTexts: readonly (readonly [FindingCode, text: string, detail: string, cost: number])[] = [
  ['base_crlf', '\r\n', 'CRLF', 0.5],
  ['base_literal_newline', '\\n', '\\n as two characters', 1],
  ['base_crlf', '\r', 'CR', 2],
  ['base_crlf', '', 'nothing', 2],
  ['base_crlf', ' ', 'a space', 2],
  ['base_crlf', '\n\n', 'two newlines', 2],
  ['base_crlf', '\n\r', 'LFCR', 4],
  ['base_crlf', '\r\r\n', 'CRCRLF', 4],
  ['base_crlf', ' \n', 'a space and a newline', 3],
  ['base_crlf', ', ', 'a comma', 2],
  ['base_crlf', ',', 'a comma', 3],
  ['base_crlf', '&', '&', 3],
  ['base_crlf', '|', '|', 3],
  ['base_literal_newline', '\\r\\n', '\\r\\n as four characters', 2],
  ['base_crlf', ',\n', 'a comma and a newline', 2.5],
  ['base_crlf', ';\n', 'a semicolon and a newline', 3],
  ['base_crlf', '; ', 'a semicolon and a space', 3],
  ['base_crlf', ';', 'a semicolon', 3],
  ['base_crlf', '<br>', '<br>', 3],
  ['base_crlf', '\u2028', 'U+2028', 3],
  ['base_crlf', '\t', 'a tab', 4],
];

type LineEnd = BaseDraft['lineEnd'];

function lineEnds(lineCount: number): Alternative<LineEnd>[] {
  const list: Alternative<LineEnd>[] = lineEndTexts.map(([code, text, detail, cost]) =>
    alternative(code, code === 'base_crlf' ? wordsOfJoint(text, detail) : detail, cost, () => text),
  );
  list.push(
    alternative(
      'base_crlf',
      { what: 'The signature base has a blank line before its last line.' },
      2,
      (index, count) => (index === count - 2 ? '\n\n' : '\n'),
    ),
  );
  const joints = Math.min(lineCount - 1, 5);
  for (let some = 1; some < 2 ** joints - 1; some++) {
    const which = Array.from({ length: joints }, (_, index) => index).filter((index) => (some >> index) & 1);
    const isRun =
      which.length === 1 + which.at(-1)! - which[0]! && (which[0] === 0 || which.at(-1) === joints - 1);
    // All except the last one, or only the last one: different code often adds these lines.
    const isSplitAtLast = isRun && (which.length === joints - 1 ? which[0] === 0 : which[0] === joints - 1);
    const cost = isSplitAtLast ? 1 : isRun ? 2.5 : 4;
    const detail = isSplitAtLast
      ? which.length === 1
        ? 'only the last line follows CRLF'
        : 'only the last line follows LF'
      : `CRLF after line ${which.map((index) => index + 1).join(', ')}`;
    // Counted from the end, whatever lines come before.
    const isLast = (index: number, count: number): boolean => index === count - 2;
    const write: LineEnd = isSplitAtLast
      ? (index, count) => (isLast(index, count) === (which.length === 1) ? '\r\n' : '\n')
      : (index) => ((some >> index) & 1 ? '\r\n' : '\n');
    list.push(alternative('base_some_crlf', detail, cost, write));
  }
  return list;
}

function wordsOfJoint(text: string, detail: string): Words {
  if (text === ' ')
    return {
      what: 'The whole signature base is on one line, with a space where each newline belongs.',
      mend: 'Join the lines with \\n, and neither trim nor collapse white space afterwards.',
    };
  return {
    what: `The lines of the signature base are joined with ${detail}, not with a newline.`,
    mend: 'Join the lines with a single newline character, 0x0A, on every platform.',
  };
}

function endsWith(what: string): Words {
  return { what: `The signature base ends with ${what}, which must not be there.` };
}

function startsWith(what: string): Words {
  return { what: `The signature base starts with ${what}, which must not be there.` };
}

const endings = [
  ...alternatives('base_trailing_newline', [
    [endsWith('a newline'), 0.5, '\n'],
    [endsWith('CRLF'), 1, '\r\n'],
    [endsWith('two newlines'), 2, '\n\n'],
    [endsWith('a space'), 2, ' '],
    [endsWith('a carriage return'), 4, '\r'],
    [endsWith('a NUL byte'), 2.5, '\0'],
    [endsWith('a space and a newline'), 4, ' \n'],
  ]),
  alternative(
    'base_literal_newline',
    {
      what: 'The signature base ends with the two characters \\ and n, but nothing may follow its last line.',
      mend: 'Join the lines with newlines, with none after the last.',
    },
    2,
    '\\n',
  ),
];

const beginnings = alternatives('base_trailing_newline', [
  [startsWith('a newline'), 2, '\n'],
  [startsWith('CRLF'), 4, '\r\n'],
  [startsWith('a space'), 4, ' '],
]);

/** Changes that a program makes to each line. */
const lineTexts: readonly Alternative<NonNullable<BaseDraft['lineText']>>[] = [
  ...alternatives<NonNullable<BaseDraft['lineText']>>('base_value_trimmed', [
    ['lines indented by 4 spaces', 2, (line, index) => (index > 0 ? `    ${line}` : line)],
    ['lines indented by 2 spaces', 2, (line, index) => (index > 0 ? `  ${line}` : line)],
    ['a space at the end of each line', 2.5, (line) => `${line} `],
  ]),
  ...alternatives<NonNullable<BaseDraft['lineText']>>('base_colon_space', [
    ['values in double quotes', 2, (line) => line.replace(/^(["']?[^"':]*["']?: ?)(.*)$/s, '$1"$2"')],
    ['only the values, without names', 2, (line) => line.replace(/^"[^"\n]*": /, '')],
  ]),
  ...alternatives<NonNullable<BaseDraft['lineText']>>('base_crlf', [
    ['a semicolon at the end of each line', 2.5, (line) => `${line};`],
    ['a comma at the end of each line', 2.5, (line) => `${line},`],
  ]),
];

type Rewrite = (text: string) => string;

function encoded(how: string): Words {
  return {
    signed: `the signature base ${how}`,
    mend: 'Sign the bytes of the base itself, as UTF-8.',
  };
}

function listOfLines(what: string): Words {
  return {
    signed: `${what} of the lines, not the lines themselves`,
    mend: 'Join the lines with \\n, and sign that text.',
  };
}

const headerLines = /^(?:content-digest|"content-digest"|date|"date")(.*)$/gim;
const linesButTheLast = /^(?!.*signature-params).*$/gm;
const lowerCase: Rewrite = (text) => text.toLowerCase();

const rewrites: readonly Alternative<Rewrite>[] = [
  {
    value: (text) => `${text.replace(/\n/g, '\r\n')}\r\n`,
    cost: 1.5,
    notes: [
      { code: 'base_crlf', detail: 'CRLF' },
      { code: 'base_trailing_newline', detail: 'CRLF' },
    ],
  },
  ...alternatives<Rewrite>('base_value_case', [
    ['the values of the headers in lower case', 2, (text) => text.replace(headerLines, lowerCase)],
    ['all values but the last line in lower case', 2.5, (text) => text.replace(linesButTheLast, lowerCase)],
    ['the whole base in lower case', 2, lowerCase],
    ['the whole base in upper case', 2.5, (text) => text.toUpperCase()],
  ]),
  ...alternatives<Rewrite>('base_value_trimmed', [
    ['all white space left out', 2.5, (text) => text.replace(/\s+/g, '')],
    ['all spaces left out', 4, (text) => text.replace(/ /g, '')],
  ]),
  ...alternatives<Rewrite>('base_value_trimmed', [
    [
      {
        what: 'All white space of the signature base was collapsed into single spaces, so that it is one line.',
        mend: 'Join the lines with \\n, and neither trim nor collapse white space afterwards.',
      },
      2.5,
      (text) => text.replace(/\s+/g, ' '),
    ],
  ]),
  ...alternatives<Rewrite>('base_encoded', [
    [encoded('percent-encoded'), 2, (text) => encodeURIComponent(text.toWellFormed())],
    [encoded('encoded as a form'), 2, (text) => new URLSearchParams([[text, '']]).toString().slice(0, -1)],
    [encoded('as a JSON string'), 2.5, (text) => JSON.stringify(text)],
    [encoded('in Base64'), 2.5, (text) => encodeBase64(utf8Bytes(text))],
    [encoded('in hex'), 2, (text) => hexadecimal(utf8Bytes(text))],
    [encoded("as Python prints bytes, b'…'"), 2, (text) => `b'${text.replace(/\n/g, '\\n')}'`],
    [encoded("as Python prints a string, '…'"), 2.5, (text) => `'${text.replace(/\n/g, '\\n')}'`],
    [encoded('in double quotes'), 2.5, (text) => `"${text}"`],
    [encoded('in single quotes'), 2.5, (text) => `'${text}'`],
    [encoded('with escaped quotes'), 2, (text) => text.replace(/"/g, '\\"')],
    [encoded('with escaped slashes'), 2.5, (text) => text.replace(/\//g, '\\/')],
    [encoded('with HTML entities'), 2.5, (text) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;')],
    [listOfLines('a JSON array'), 2.5, (text) => JSON.stringify(text.split('\n'))],
    [
      listOfLines('the text that Python prints for a list'),
      2.5,
      (text) => `['${text.split('\n').join("', '")}']`,
    ],
    [encoded('with a newline before and after it'), 2, (text) => `\n${text}\n`],
  ]),
];

const charsets = alternatives<Charset>('base_charset', [
  ['UTF-16', 2, 'utf-16le'],
  ['UTF-16 with a byte order mark', 2, 'utf-16le-bom'],
  ['UTF-16, big-endian, with a byte order mark', 3, 'utf-16be-bom'],
  ['UTF-16, big-endian', 3, 'utf-16be'],
  ['UTF-8 with a byte order mark', 2, 'utf-8-bom'],
  ['UTF-32', 3, 'utf-32le'],
]);

const sha256Info = Uint8Array.from([
  0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
  0x20,
]);

/** Changes that signers make to the hash before padding. */
export const finishes: readonly Alternative<Finish>[] = [
  alternative(
    'signature_hashed_twice',
    {},
    0.5,
    signsHash((hash) => hash),
  ),
  alternative(
    'signature_hashed_twice',
    'with the DigestInfo before it',
    3,
    signsHash((hash) => concatBytes([sha256Info, hash])),
  ),
  ...alternatives('signature_of_hex_hash', [
    ['in lower case', 1, signsText(hexadecimal)],
    ['in upper case', 2, signsText((hash) => hexadecimal(hash).toUpperCase())],
    ['with a newline', 4, signsText((hash) => `${hexadecimal(hash)}\n`)],
    ['as sha256sum prints it', 4, signsText((hash) => `${hexadecimal(hash)}  -\n`)],
  ]),
  ...alternatives('signature_of_base64_hash', [
    ['with padding', 1, signsText(encodeBase64)],
    ['with a newline', 4, signsText((hash) => `${encodeBase64(hash)}\n`)],
    ['with CRLF', 5, signsText((hash) => `${encodeBase64(hash)}\r\n`)],
    ['without padding', 3, signsText((hash) => encodeBase64(hash).replace(/=/g, ''))],
    ['in the URL-safe alphabet', 3, signsText((hash) => urlSafeBase64(hash).replace(/=/g, ''))],
  ]),
];

function signsHash(write: (hash: Uint8Array) => Uint8Array): Finish {
  return (bytes, hash, inner) => hash(write(inner(bytes)));
}

function signsText(write: (hash: Uint8Array) => string): Finish {
  return signsHash((hash) => utf8Bytes(write(hash)));
}
