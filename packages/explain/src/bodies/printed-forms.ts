import { encodeBase64 } from '@countersign/signature';
import { hexadecimal } from '@countersign/signature/keys';
import { utf8Bytes } from '../byte-text.ts';
import { type Alternative, alternatives } from '../drafts/alternatives.ts';
import type { Words } from '../findings/finding.ts';
import { decodedForm } from '../reading/url-parts.ts';
import { type JsonNode, readJsonText } from './json-text.ts';

/** Produces the text that was hashed instead of the body. Undefined if it cannot be produced. */
export type PrintedForm = (text: string, json: JsonNode | undefined) => string | undefined;

/** The sizes of buffers, columns and log lines. */
const cutLengths = [64, 100, 128, 255, 256, 512, 1000, 1024, 2000, 2048, 4096, 8192, 16_384, 65_536];

const hashed = (subject: string): Words => ({ subject });
const printed = (subject: string, mend: string): Words => ({ subject, mend });
const objectText = printed(
  'the text [object Object], which JavaScript turns an object into',
  'Hash the text that JSON.stringify returns, and send it.',
);
const bufferText = printed('what Node prints for a Buffer', 'Hash the bytes of the Buffer, not its text.');
const hashedTwice: Words = {
  what: 'You hashed the JSON serialized twice, as a JSON string, but sent it serialized once.',
  mend: 'Serialize once, then hash and send that text: pass the object to the serializer, not its JSON text.',
};
/** The body is a JSON string that contains JSON. */
export const sentTwice: Words = {
  subject: 'the JSON inside it',
  what: 'The body that you sent is a JSON string that contains JSON: it was serialized twice, but hashed serialized once.',
  mend: 'Pass the object to the HTTP client, not its JSON text, or send that text as it is.',
};

/** The ways in which serializers write a text that is already JSON. */
export const twiceForms: readonly Alternative<PrintedForm>[] = alternatives('body_json_twice', [
  [hashedTwice, 1, (text) => JSON.stringify(text)],
  [hashedTwice, 1.5, (text) => quotedText(text, /[\x7f-\uffff]/g)],
  [hashedTwice, 2, (text) => JSON.stringify(text).replace(/\//g, '\\/')],
  [hashedTwice, 1.5, (text) => quotedText(text, /[\x7f-\uffff]/g).replace(/\//g, '\\/')],
  [hashedTwice, 1.5, (text) => quotedText(text, /[<>&\u2028\u2029]/g)],
  [hashedTwice, 2, netQuoted],
  [hashedTwice, 2, (text) => `${JSON.stringify(text)}\n`],
  [
    hashed('a JSON string that holds the Base64 of the JSON'),
    1.5,
    (text) => `"${encodeBase64(utf8Bytes(text))}"`,
  ],
  [sentTwice, 2, innerJson],
]);

/** Texts that languages print instead of an object's content, besides [object Object]. */
const classNames = [
  'Array',
  'Object',
  'System.Collections.Hashtable',
  'System.Object[]',
  'System.Byte[]',
  'System.String[]',
  'System.IO.MemoryStream',
  'System.Net.Http.StringContent',
  ...[
    'FormData',
    'URLSearchParams',
    'Promise',
    'ArrayBuffer',
    'Uint8Array',
    'ReadableStream',
    'Blob',
    'Map',
  ].map((name) => `[object ${name}]`),
];

/** Texts that callers hash when they do not hash what they send. */
export const printedForms: readonly Alternative<PrintedForm>[] = [
  ...alternatives<PrintedForm>('body_python_repr', [
    [
      printed(
        "what Python prints for the bytes, b'…'",
        'Hash the bytes themselves, not the text that Python prints for them.',
      ),
      3,
      (text) => `b'${text}'`,
    ],
  ]),
  ...alternatives<PrintedForm>('body_form_encoded', [
    [
      'with its fields sorted',
      2,
      (text, json) => (json || !text.includes('&') ? undefined : text.split('&').toSorted(byText).join('&')),
    ],
    ['with + for spaces', 2, (text, json) => (json ? undefined : text.replaceAll('%20', '+'))],
    ['with %20 for spaces', 2, (text, json) => (json ? undefined : text.replaceAll('+', '%20'))],
    [hashed('the same values as JSON'), 1, (text, json) => (json ? undefined : jsonOfForm(text, ':', ','))],
    [
      hashed('the same values as JSON, with a space after each comma and colon'),
      2,
      (text, json) => (json ? undefined : jsonOfForm(text, ': ', ', ')),
    ],
    [
      hashed('the text before it was percent-encoded'),
      2,
      (text, json) => (json ? undefined : decodedForm(text)),
    ],
  ]),
  ...alternatives<PrintedForm>('body_printed', [
    [bufferText, 3, bufferPrint],
    [bufferText, 3, (text) => JSON.stringify({ type: 'Buffer', data: [...utf8Bytes(text)] })],
    [objectText, 1, () => '[object Object]'],
    [objectText, 2, () => '"[object Object]"'],
    [objectText, 2, (text) => (text.includes('},') ? '[object Object],[object Object]' : undefined)],
    ...classNames.map((name): readonly [Words, number, PrintedForm] => [
      printed(
        `the text ${name}, which is the name of a type`,
        'Hash the bytes that are sent, not the name of the object that holds them.',
      ),
      name === 'Array' ? 2 : 3,
      () => name,
    ]),
  ]),
  ...alternatives<PrintedForm>('body_encoded', [
    [hashed('the Base64 of the body'), 2, (text) => encodeBase64(utf8Bytes(text))],
    [hashed('the body in hex'), 3, (text) => hexadecimal(utf8Bytes(text))],
    [hashed('the percent-encoded body'), 3, (text) => encodeURIComponent(text.toWellFormed())],
    [
      hashed('the body with its HTTP chunk sizes'),
      3,
      (text) => `${utf8Bytes(text).length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    ],
    [
      hashed('the body with HTML entities'),
      3,
      (text) =>
        text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'),
    ],
    [hashed('the body in lower case'), 3, (text) => text.toLowerCase()],
  ]),
  ...alternatives<PrintedForm>('body_truncated', [
    [hashed('all but the last character of the body'), 2, (text) => text.slice(0, -1)],
    ...cutLengths.map((length): readonly [Words, number, PrintedForm] => [
      hashed(`only the first ${length} characters of the body`),
      3,
      (text) => (text.length > length ? text.slice(0, length) : undefined),
    ]),
  ]),
  ...alternatives<PrintedForm>('body_json_whitespace', [
    ['without any white space', 2, (text, json) => (json ? withoutSpace(text) : undefined)],
    ['without its quotes', 4, (text, json) => (json ? text.replace(/"/g, '') : undefined)],
  ]),
  ...alternatives<PrintedForm>('body_json_escapes', [
    ['with single quotes', 3, (text, json) => (json ? text.replace(/"/g, "'") : undefined)],
    ['with its quotes as \\"', 3, (text, json) => (json ? text.replace(/"/g, '\\"') : undefined)],
  ]),
  ...alternatives<PrintedForm>('body_other', [
    // Line breaks alone are reported as such.
    [
      sameText('without any white space'),
      2,
      (text, json) => (json || !/[^\S\r\n]/.test(text) ? undefined : withoutSpace(text)),
    ],
    [sameText('without its double quotes'), 4, (text, json) => (json ? undefined : text.replace(/"/g, ''))],
    [
      sameText('with single quotes in place of double ones'),
      3,
      (text, json) => (json ? undefined : text.replace(/"/g, "'")),
    ],
    [sameText('with its quotes as \\"'), 3, (text, json) => (json ? undefined : text.replace(/"/g, '\\"'))],
  ]),
];

function sameText(how: string): Words {
  return {
    what: `The digest matches the same text ${how}.`,
    mend: 'Hash exactly the bytes that are sent.',
  };
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

function jsonOfForm(text: string, colon: string, comma: string): string | undefined {
  if (!/^[^=&\s{]+=[^&]*(?:&[^=&]+=[^&]*)*$/.test(text)) return undefined;
  const members = text.split('&').map((part) => {
    const [name = '', ...value] = part.split('=').map(decodedForm);
    return `${JSON.stringify(name)}${colon}${JSON.stringify(value.join('='))}`;
  });
  return `{${members.join(comma)}}`;
}

function quotedText(text: string, pattern: RegExp): string {
  return JSON.stringify(text).replace(
    pattern,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function netQuoted(text: string): string {
  return JSON.stringify(text)
    .replace(
      /[\x7f-\uffff<>&'+`]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
    .replace(/\\"/g, '\\u0022');
}

function innerJson(_: string, json: JsonNode | undefined): string | undefined {
  if (json?.kind !== 'string') return undefined;
  return readJsonText(json.value) ? json.value : undefined;
}

function bufferPrint(text: string): string {
  const bytes = utf8Bytes(text);
  const shown = hexadecimal(bytes.subarray(0, 50)).replace(/..(?=.)/g, '$& ');
  return `<Buffer ${shown}${bytes.length > 50 ? ` ... ${bytes.length - 50} more bytes` : ''}>`;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
