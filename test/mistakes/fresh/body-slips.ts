import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { after, type FreshSlip, slips } from './slip.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Change = (text: string) => string | Buffer;

const bodyCodes =
  'body_json_whitespace body_json_key_order body_json_escapes body_json_separators body_json_numbers body_json_twice body_json_members body_python_repr body_printed body_form_encoded body_encoded body_line_ends body_trailing_newline body_charset body_truncated';

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Changes JSON and leaves anything else alone. */
const onJson =
  (change: (value: Json) => string): Change =>
  (text) => {
    const value = parsed(text);
    return value === undefined ? text : change(value);
  };
const mapped = (value: Json, change: (value: Json) => Json): Json => {
  const inner = Array.isArray(value)
    ? value.map((one) => mapped(one, change))
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, change)]))
      : value;
  return change(inner);
};
const sorted = (value: Json): Json =>
  mapped(value, (one) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
const pythonText = (value: Json): string =>
  value === null
    ? 'None'
    : value === true
      ? 'True'
      : value === false
        ? 'False'
        : typeof value === 'string'
          ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\t', '\\t')}'`
          : Array.isArray(value)
            ? `[${value.map(pythonText).join(', ')}]`
            : typeof value === 'object'
              ? `{${Object.entries(value)
                  .map(([name, one]) => `'${name}': ${pythonText(one)}`)
                  .join(', ')}}`
              : String(value);
const escapedNonAscii = (text: string): string =>
  text.replace(/[\x7f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const spaced = (value: Json, comma: string, colon: string): string =>
  Array.isArray(value)
    ? `[${value.map((one) => spaced(one, comma, colon)).join(comma)}]`
    : value !== null && typeof value === 'object'
      ? `{${Object.entries(value)
          .map(([name, one]) => JSON.stringify(name) + colon + spaced(one, comma, colon))
          .join(comma)}}`
      : JSON.stringify(value);
const isObject = (value: Json): value is { [name: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const form = (value: Json, nest: (path: string, name: string) => string): string => {
  const pairs: string[][] = [];
  const walk = (one: Json, path: string): void => {
    if (Array.isArray(one)) one.forEach((item, index) => walk(item, nest(path, String(index))));
    else if (isObject(one))
      for (const [name, item] of Object.entries(one)) walk(item, path === '' ? name : nest(path, name));
    else pairs.push([path, one === null ? '' : String(one)]);
  };
  walk(value, '');
  return new URLSearchParams(pairs).toString();
};

const usual: Change = (text) => text;
void usual;
const rows: readonly (readonly [string, Change, string?])[] = [
  ['indent 2', onJson((value) => JSON.stringify(value, null, 2))],
  ['indent 4', onJson((value) => JSON.stringify(value, null, 4))],
  ['indent tab', onJson((value) => JSON.stringify(value, null, '\t'))],
  ['indent 1', onJson((value) => JSON.stringify(value, null, 1))],
  ['indent 2 CRLF', onJson((value) => JSON.stringify(value, null, 2).replaceAll('\n', '\r\n'))],
  [
    'indent 4, slashes and unicode escaped',
    onJson((value) => escapedNonAscii(JSON.stringify(value, null, 4)).replaceAll('/', '\\/')),
  ],
  ['python default', onJson((value) => escapedNonAscii(spaced(value, ', ', ': ')))],
  ['python unicode', onJson((value) => spaced(value, ', ', ': '))],
  ['python sorted', onJson((value) => escapedNonAscii(spaced(sorted(value), ', ', ': ')))],
  ['python indent', onJson((value) => escapedNonAscii(JSON.stringify(sorted(value), null, 4)))],
  ['python repr', onJson(pythonText)],
  ['colon space', onJson((value) => spaced(value, ',', ': '))],
  ['sorted', onJson((value) => JSON.stringify(sorted(value)))],
  ['php', onJson((value) => escapedNonAscii(JSON.stringify(value)).replaceAll('/', '\\/'))],
  ['php empty', onJson((value) => JSON.stringify(value).replaceAll('{}', '[]'))],
  ['unicode escaped', onJson((value) => escapedNonAscii(JSON.stringify(value)))],
  [
    'unicode escaped upper',
    onJson((value) =>
      escapedNonAscii(JSON.stringify(value)).replace(
        /\\u[0-9a-f]{4}/g,
        (one) => `\\u${one.slice(2).toUpperCase()}`,
      ),
    ),
  ],
  ['slashes', onJson((value) => JSON.stringify(value).replaceAll('/', '\\/'))],
  [
    'go',
    onJson((value) =>
      JSON.stringify(sorted(value)).replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
    ),
  ],
  [
    'go encoder',
    onJson(
      (value) =>
        `${JSON.stringify(sorted(value)).replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)}\n`,
    ),
  ],
  [
    'go struct',
    onJson((value) =>
      JSON.stringify(value).replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
    ),
  ],
  [
    'gson',
    onJson((value) =>
      JSON.stringify(value).replace(/[<>&='\u2028]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
    ),
  ],
  [
    'without null',
    onJson((value) =>
      JSON.stringify(
        mapped(value, (one) =>
          isObject(one) ? Object.fromEntries(Object.entries(one).filter(([, item]) => item !== null)) : one,
        ),
      ),
    ),
  ],
  [
    'without empty',
    onJson((value) =>
      JSON.stringify(
        mapped(value, (one) =>
          isObject(one)
            ? Object.fromEntries(
                Object.entries(one).filter(
                  ([, item]) =>
                    item !== null &&
                    item !== '' &&
                    !(typeof item === 'object' && Object.keys(item).length === 0),
                ),
              )
            : one,
        ),
      ),
    ),
  ],
  ['floats', onJson((value) => JSON.stringify(value).replace(/(?<=[:,[])(-?\d+)(?=[,}\]])/g, '$1.0'))],
  [
    'numbers as strings',
    onJson((value) => JSON.stringify(mapped(value, (one) => (typeof one === 'number' ? String(one) : one)))),
  ],
  [
    'all as strings',
    onJson((value) =>
      JSON.stringify(
        mapped(value, (one) =>
          typeof one === 'number' || typeof one === 'boolean' ? String(one) : one === null ? 'null' : one,
        ),
      ),
    ),
  ],
  [
    'booleans as numbers',
    onJson((value) => JSON.stringify(mapped(value, (one) => (typeof one === 'boolean' ? Number(one) : one)))),
  ],
  [
    'two decimals',
    onJson((value) =>
      JSON.stringify(value).replace(/(?<=[:,[])(-?\d+(?:\.\d+)?)(?=[,}\]])/g, (one) =>
        Number(one).toFixed(2),
      ),
    ),
  ],
  ['wrapped in data', onJson((value) => JSON.stringify({ data: value }))],
  ['wrapped in list', onJson((value) => JSON.stringify([value]))],
  ['snake to camel', onJson((value) => JSON.stringify(value)), bodyCodes],
  ['stringified', (text) => JSON.stringify(text)],
  [
    'first member lost',
    onJson((value) =>
      isObject(value)
        ? JSON.stringify(Object.fromEntries(Object.entries(value).slice(1)))
        : JSON.stringify(value),
    ),
  ],
  [
    'last member lost',
    onJson((value) =>
      isObject(value)
        ? JSON.stringify(Object.fromEntries(Object.entries(value).slice(0, -1)))
        : JSON.stringify(value),
    ),
  ],
  ['form', onJson((value) => form(value, (path, name) => `${path}[${name}]`))],
  ['form dotted', onJson((value) => form(value, (path, name) => `${path}.${name}`))],
  [
    'form in place of json',
    (text) => (text.startsWith('{') ? text : JSON.stringify(Object.fromEntries(new URLSearchParams(text)))),
  ],
  ['query order', (text) => (text.startsWith('{') ? text : text.split('&').toSorted().join('&'))],
  ['form decoded', (text) => (text.startsWith('{') ? text : decodeURIComponent(text))],
  ['form %20', (text) => (text.startsWith('{') ? text : text.replaceAll('%20', '+'))],
  ['[object Object]', () => '[object Object]'],
  ['Array', () => 'Array'],
  ['None', () => 'None', `${bodyCodes} body_empty`],
  ['null', () => 'null', `${bodyCodes} body_empty`],
  ['undefined', () => 'undefined', `${bodyCodes} body_empty`],
  ['{}', () => '{}', `${bodyCodes} body_empty`],
  ['nothing', () => '', 'body_empty'],
  ['newline', (text) => `${text}\n`],
  ['CRLF', (text) => `${text}\r\n`],
  ['space', (text) => `${text} `],
  ['newline before', (text) => `\n${text}`],
  ['bytes repr', (text) => `b'${text}'`],
  ['Buffer inspect', (text) => `<Buffer ${Buffer.from(text).toString('hex').replace(/../g, '$& ').trim()}>`],
  ['inspect', onJson((value) => inspect(value, { breakLength: Infinity, depth: 2 }))],
  ['java map', onJson((value) => javaText(value))],
  ['ruby', onJson((value) => rubyText(value))],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['hex', (text) => Buffer.from(text).toString('hex')],
  ['percent', (text) => encodeURIComponent(text)],
  ['latin1', (text) => Buffer.from(text, 'latin1'), `${bodyCodes} body_charset`],
  ['utf16', (text) => Buffer.from(text, 'utf16le'), 'body_charset'],
  ['mojibake', (text) => Buffer.from(Buffer.from(text).toString('latin1')), 'body_charset'],
  ['bom', (text) => `\ufeff${text}`, 'body_bom'],
  ['NFD', (text) => text.normalize('NFD'), 'body_charset body_unicode_form'],
  ['ascii ?', (text) => text.replace(/[^\x00-\x7f]/gu, '?'), 'body_charset'],
  ['replacement', (text) => text.replace(/[^\x00-\x7f]/gu, '\ufffd'), 'body_charset'],
  [
    'html escaped',
    (text) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    `${bodyCodes} body_json_escapes`,
  ],
  ['quotes lost', (text) => text.replaceAll('"', '')],
  ['spaces lost', (text) => text.replace(/\s/g, '')],
  ['single quotes', (text) => text.replaceAll('"', "'")],
  ['backslashes', (text) => text.replaceAll('"', '\\"')],
  ['lower', (text) => text.toLowerCase(), `${bodyCodes} body_case`],
  ['first 64', (text) => text.slice(0, 64)],
  ['without last', (text) => text.slice(0, -1)],
  [
    'chunked',
    (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    `${bodyCodes} body_encoded`,
  ],
  ['gzip', (text) => gzipSync(text), 'body_compression'],
];

function javaText(value: Json): string {
  return Array.isArray(value)
    ? `[${value.map(javaText).join(', ')}]`
    : isObject(value)
      ? `{${Object.entries(value)
          .map(([name, one]) => `${name}=${javaText(one)}`)
          .join(', ')}}`
      : String(value);
}

function rubyText(value: Json): string {
  return Array.isArray(value)
    ? `[${value.map(rubyText).join(', ')}]`
    : isObject(value)
      ? `{${Object.entries(value)
          .map(([name, one]) => `${JSON.stringify(name)}=>${rubyText(one)}`)
          .join(', ')}}`
      : value === null
        ? 'nil'
        : JSON.stringify(value);
}

const buffered =
  (change: Change) =>
  (body: Buffer): Buffer =>
    body.length === 0 ? body : Buffer.from(change(body.toString()) as string);

/** The body was hashed in a form other than the sent one. */
const hashed = slips<Change>(
  'hashed body',
  bodyCodes,
  (program, change) => after(program, 'hashedBody', buffered(change)),
  rows,
);
/** The client library changes the body after it was hashed. */
const sent = slips<Change>(
  'sent body',
  bodyCodes,
  (program, change) => after(program, 'sentBody', buffered(change)),
  rows.filter(([name]) =>
    /^(?:indent|python [dusi]|php|go|sorted|newline|unicode|slashes|latin1|bom|CRLF|without|floats|gzip|form)/.test(
      name,
    ),
  ),
);

const digestCodes =
  'digest_hex digest_base64url digest_double_base64 digest_of_hex digest_md5 digest_sha512 digest_old_form digest_no_colons digest_form';
const digests: readonly FreshSlip[] = [
  ...slips<(digest: Buffer) => string>(
    'digest',
    digestCodes,
    (program, write) => {
      program.digestText = write;
    },
    [
      ['hex', (digest) => `sha-256=:${digest.toString('hex')}:`],
      ['HEX', (digest) => `sha-256=:${digest.toString('hex').toUpperCase()}:`],
      ['old', (digest) => `SHA-256=${digest.toString('base64')}`],
      ['base64url', (digest) => `sha-256=:${digest.toString('base64url')}:`],
      ['sha256', (digest) => `sha256=:${digest.toString('base64')}:`],
      ['no colons', (digest) => `sha-256=${digest.toString('base64')}`],
      ['one colon', (digest) => `sha-256=:${digest.toString('base64')}`],
      ['quoted', (digest) => `sha-256="${digest.toString('base64')}"`],
      ['bare', (digest) => digest.toString('base64')],
      ['hex bare', (digest) => digest.toString('hex')],
      ['double', (digest) => `sha-256=:${Buffer.from(digest.toString('base64')).toString('base64')}:`],
      ['hex in base64', (digest) => `sha-256=:${Buffer.from(digest.toString('hex')).toString('base64')}:`],
      ['bytes repr', (digest) => `sha-256=:b'${digest.toString('base64')}':`],
      ['url encoded', (digest) => `sha-256=:${encodeURIComponent(digest.toString('base64'))}:`],
      ['escaped slashes', (digest) => `sha-256=:${digest.toString('base64').replaceAll('/', '\\/')}:`],
      ['spaces around', (digest) => `sha-256 = :${digest.toString('base64')}:`],
      ['in JSON', (digest) => `"sha-256=:${digest.toString('base64')}:"`],
      ['sha-256:', (digest) => `sha-256:${digest.toString('base64')}`],
      ['sri', (digest) => `sha256-${digest.toString('base64')}`],
      ['{SHA256}', (digest) => `{SHA256}${digest.toString('base64')}`],
    ],
  ),
  ...slips<string>(
    'digest hash',
    digestCodes,
    (program, name) => {
      program.digestHash = (body) => hash(name, body, 'buffer');
    },
    [
      ['sha512', 'sha512'],
      ['md5', 'md5'],
      ['sha1', 'sha1'],
      ['sha384', 'sha384'],
    ],
  ),
  ...slips<(body: Buffer) => Buffer>(
    'digest hash',
    `${digestCodes} digest_of_digest`,
    (program, make) => {
      program.digestHash = make;
    },
    [
      ['of hex', (body) => hash('sha256', hash('sha256', body), 'buffer')],
      ['of hash', (body) => hash('sha256', hash('sha256', body, 'buffer'), 'buffer')],
      ['of base64', (body) => hash('sha256', hash('sha256', body, 'base64'), 'buffer')],
      ['of base64 of body', (body) => hash('sha256', body.toString('base64'), 'buffer'), 'body_encoded'],
    ],
  ),
  ...slips<(text: string) => string>(
    'signed digest',
    `${digestCodes} base_value_case base_value_empty base_value_trimmed base_value_printed`,
    (program, change) => after(program, 'signedDigest', change),
    [
      ['bare', (text) => text.replace(/^sha-256=:|:$/g, '')],
      ['without name', (text) => text.replace(/^sha-256=/, '')],
      ['old', (text) => text.replace(/^sha-256=:/, 'SHA-256=').replace(/:$/, '')],
      ['no colons', (text) => text.replace(/=:/, '=').replace(/:$/, '')],
      ['hex', (text) => Buffer.from(text.replace(/^sha-256=:|:$/g, ''), 'base64').toString('hex')],
      ['sha256', (text) => text.replace('sha-256', 'sha256')],
      ['lower', (text) => text.toLowerCase()],
      ['none', () => ''],
      ['undefined', () => 'undefined'],
      ['None', () => 'None'],
      ['null', () => 'null'],
      ['list', (text) => `[${text}]`],
      ["['']", (text) => `['${text}']`],
      ['quoted', (text) => `"${text}"`],
      ['bytes', (text) => `b'${text}'`],
      ['space', (text) => ` ${text}`],
    ],
  ),
  ...slips<(text: string) => string>(
    'sent digest',
    `${digestCodes} digest_changed_after_signing header_repeated`,
    (program, change) => after(program, 'sentDigest', change),
    [
      ['sha512 too', (text) => `${text}, sha-512=:${hash('sha512', text, 'base64')}:`],
      ['twice', (text) => `${text}, ${text}`],
      ['+ as space', (text) => text.replaceAll('+', ' ')],
    ],
  ),
];

export const bodySlips: readonly FreshSlip[] = [...hashed, ...sent, ...digests];
