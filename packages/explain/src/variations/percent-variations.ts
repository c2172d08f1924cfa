import { latin1Text, utf8Bytes } from '../byte-text.ts';
import { everyPercentForm } from '../reading/percent-forms.ts';
import { decodedForm, percentDecoded } from '../reading/url-parts.ts';

/** One way in which libraries write the same percent-encoded text. Undefined if it does not apply. */
export interface PercentVariation {
  readonly detail: string;
  readonly cost: number;
  readonly apply: (text: string) => string | undefined;
}

/** Lists the variations of a query or a path. A plus sign means a space only in a query. */
export function percentVariations(kind: 'query' | 'path'): readonly PercentVariation[] {
  return kind === 'query' ? queryVariations : pathVariations;
}

const strayPercent = /%25(?![0-9A-Fa-f]{2})/g;

const general: readonly PercentVariation[] = [
  { detail: 'percent-decoded', cost: 1, apply: percentDecoded },
  { detail: 'lower-case hex', cost: 2, apply: (text) => mapHex(text, (hex) => hex.toLowerCase()) },
  { detail: 'upper-case hex', cost: 2, apply: (text) => mapHex(text, (hex) => hex.toUpperCase()) },
  { detail: 'unreserved characters decoded', cost: 2, apply: (text) => decodeOnly(text, /[A-Za-z0-9._~-]/) },
  { detail: 'encoded twice', cost: 2, apply: (text) => text.replace(/%/g, '%25') },
  { detail: 'decoded once more', cost: 2, apply: (text) => text.replace(/%25/g, '%') },
  { detail: 'brackets encoded', cost: 1, apply: (text) => encodeOnly(text, '[]') },
  { detail: 'brackets decoded', cost: 1, apply: (text) => decodeOnly(text, /[[\]]/) },
  ...Array.from(':,/@!\'()*;$~|+&= #?"<>{}\\^`').flatMap((character): PercentVariation[] => [
    {
      detail: `${character} encoded`,
      cost: "'=&".includes(character) ? 2 : 3,
      apply: (text) => encodeOnly(text, character),
    },
    {
      detail: `${character} decoded`,
      cost: 3,
      apply: (text) => decodeOnly(text, { test: (one) => one === character }),
    },
  ]),
  {
    detail: 'all but unreserved characters of ASCII decoded',
    cost: 3,
    apply: (text) => decodeOnly(text, /[!-~]/),
  },
  { detail: 'letters outside ASCII decoded', cost: 2, apply: (text) => decodeUnicodeOnly(text) },
  { detail: 'in Unicode form NFC', cost: 2, apply: (text) => reformed(text, 'NFC', true) },
  { detail: 'in Unicode form NFD', cost: 2, apply: (text) => reformed(text, 'NFD', true) },
  { detail: 'in Unicode form NFC, not encoded', cost: 3, apply: (text) => reformed(text, 'NFC', false) },
  { detail: 'in Unicode form NFD, not encoded', cost: 3, apply: (text) => reformed(text, 'NFD', false) },
  { detail: 'in Latin-1', cost: 2, apply: latin1Encoded },
  { detail: 'Latin-1 decoded', cost: 2, apply: latin1Decoded },
  {
    detail: 'in UTF-8, not Latin-1',
    cost: 2,
    apply: (text) => latin1Decoded(text)?.replace(/[^\x00-\x7f]+/g, encodeAlways),
  },
  { detail: 'a % that starts no escape', cost: 3, apply: (text) => text.replace(strayPercent, '%') },
  {
    detail: 'a % that starts no escape',
    cost: 3,
    apply: (text) => text.replace(new RegExp(`${strayPercent.source}(?!.*%25)`, 's'), '%'),
  },
];

const plusVariations: readonly PercentVariation[] = [
  { detail: 'spaces as %20', cost: 1, apply: (text) => text.replace(/\+/g, '%20') },
  { detail: 'spaces as +', cost: 1, apply: (text) => text.replace(/%20/g, '+') },
  { detail: 'spaces as they are', cost: 2, apply: (text) => text.replace(/%20|\+/g, ' ') },
];

const unreservedOfForms = /[A-Za-z0-9._*-]/;
const unreservedOfUris = /[A-Za-z0-9._~-]/;
const leftByEncodeUriComponent = /[A-Za-z0-9._~!'()*-]/;

const ofQuery: readonly PercentVariation[] = [
  {
    detail: 'encoded as by encodeURIComponent',
    cost: 1,
    apply: (text) => reencode(text, leftByEncodeUriComponent, '%20'),
  },
  { detail: 'encoded as RFC 3986 asks', cost: 1, apply: (text) => reencode(text, unreservedOfUris, '%20') },
  { detail: 'encoded as a form', cost: 1, apply: (text) => reencode(text, unreservedOfForms, '+') },
  { detail: 'encoded as by quote_plus', cost: 2, apply: (text) => reencode(text, unreservedOfUris, '+') },
  { detail: 'encoded as by quote', cost: 2, apply: (text) => reencode(text, /[A-Za-z0-9._~/-]/, '%20') },
  { detail: 'decoded, + as a space', cost: 2, apply: (text) => decodedForm(text) },
  { detail: '& as &amp;', cost: 2, apply: (text) => text.replace(/&/g, '&amp;') },
  { detail: '& as \\u0026', cost: 2, apply: (text) => text.replace(/&/g, '\\u0026') },
  {
    detail: 'decoded, + for spaces',
    cost: 2,
    apply: (text) => percentDecoded(text)?.replaceAll(' ', '+'),
  },
  {
    detail: 'decoded, & as &amp;',
    cost: 3,
    apply: (text) => percentDecoded(text)?.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  },
  {
    detail: 'encoded as by encodeURI',
    cost: 1,
    apply: (text) => reencode(text, /[A-Za-z0-9._~!'()*;/?:@&=+$,#-]/, '%20'),
  },
  {
    detail: 'encoded as by url.PathEscape',
    cost: 2,
    apply: (text) => reencode(text, /[A-Za-z0-9._~$&+=:@-]/, '%20'),
  },
  {
    detail: 'encoded as by axios',
    cost: 2,
    apply: (text) => reencode(text, /[A-Za-z0-9._~!'()*:$,[\]-]/, '+'),
  },
  {
    detail: 'encoded as by OkHttp',
    cost: 2,
    apply: (text) => reencode(text, /[A-Za-z0-9._~!()*:$,/?@;[\]-]/, '%20'),
  },
  {
    detail: 'encoded as by Guzzle',
    cost: 2,
    apply: (text) => decodeOnly(text, /[/:@!$()*+,;?]/),
  },
  { detail: 'encoded as by escape()', cost: 3, apply: (text) => reencodedAs(text, escapeText) },
  {
    detail: 'UTF-8 taken for Latin-1 and encoded again',
    cost: 3,
    apply: (text) =>
      reencodedAs(text, (plain) => encodeOutside(latin1Text(utf8Bytes(plain)), leftByEncodeUriComponent)),
  },
  {
    detail: 'with the braces that curl takes for its own',
    cost: 2,
    apply: (text) => text.replace(/=([^&{}=]*["%][^&{}=]*)(?=&|$)/g, '={$1}'),
  },
  {
    detail: 'a line break where a backslash and the letter n (%5Cn) were sent',
    cost: 3,
    apply: (text) => text.replace(/%5Cn/gi, '\n'),
  },
  {
    detail: 'a line break (%0A) where a backslash and the letter n (%5Cn) were sent',
    cost: 3,
    apply: (text) => text.replace(/%5Cn/gi, '%0A'),
  },
  {
    detail: 'letters outside Latin-1 as ?',
    cost: 3,
    apply: (text) =>
      percentDecoded(text) === undefined
        ? undefined
        : text.replace(/(?:%[C-Fc-f][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){1,3})/g, (octets) =>
            (percentDecoded(octets) ?? '') > '\xff' ? '%3F' : octets,
          ),
  },
  {
    detail: 'backslashes in place of slashes',
    cost: 3,
    apply: (text) => text.replace(/%2F|\//gi, '\\'),
  },
  { detail: '; in place of &', cost: 2, apply: (text) => text.replace(/&/g, ';') },
  { detail: 'all of it encoded', cost: 2, apply: (text) => encodeOutside(text, leftByEncodeUriComponent) },
];

const ofPath: readonly PercentVariation[] = [
  { detail: 'decoded twice', cost: 2, apply: (text) => decodedTwice(text, percentDecoded) },
  { detail: 'decoded twice, + as a space', cost: 3, apply: (text) => decodedTwice(text, decodedForm) },
  { detail: 'dots encoded', cost: 3, apply: (text) => text.replace(dotSegments, encodedDots('%2e')) },
  { detail: 'dots encoded', cost: 4, apply: (text) => text.replace(dotSegments, encodedDots('%2E')) },
  {
    detail: 'each character of the last segment encoded',
    cost: 4,
    apply: (text) => text.replace(/[^/%]{1,64}$/, encodeAlways),
  },
  {
    detail: 'encoded as by encodeURIComponent',
    cost: 1,
    apply: (text) => reencodeSegments(text, leftByEncodeUriComponent),
  },
  { detail: 'encoded as RFC 3986 asks', cost: 1, apply: (text) => reencodeSegments(text, unreservedOfUris) },
  {
    detail: 'encoded as by encodeURI',
    cost: 1,
    apply: (text) => reencodeSegments(text, /[A-Za-z0-9._~!'()*;:@&=+$,#-]/),
  },
  {
    detail: 'as a form encodes it',
    cost: 3,
    apply: (text) => reencodeSegments(text, unreservedOfForms)?.replace(/%20/g, '+'),
  },
  {
    detail: 'all slashes but the first encoded',
    cost: 2,
    apply: (text) => {
      const segments = reencodeSegments(text.slice(1), leftByEncodeUriComponent);
      return segments === undefined ? undefined : `/${segments.replace(/\//g, '%2F')}`;
    },
  },
  { detail: 'all of it encoded', cost: 3, apply: (text) => encodeOutside(text, leftByEncodeUriComponent) },
];

/**
 * Lists unreserved characters that may have been percent-encoded: RFC 3986 section 6.2.2.2 lets programs decode them.
 */
export function encodedUnreserved(text: string): readonly PercentVariation[] {
  const starts = [...text.matchAll(/(?<!%[0-9A-Fa-f]?)[A-Za-z0-9._~-]/g)].slice(0, unreservedMax);
  const variation = (start: number, end: number): PercentVariation => ({
    detail: `${text.slice(start, end)} percent-encoded`,
    cost: 3,
    apply: (same) => same.slice(0, start) + encodeAlways(text.slice(start, end)) + same.slice(end),
  });
  const pieces = [...text.matchAll(/(?<=[=/])[A-Za-z0-9._~-]{2,16}(?=[&/]|$)/g)];
  return [
    ...starts.map(({ index }) => variation(index, index + 1)),
    ...pieces.slice(0, unreservedMax).map(({ index, 0: piece }) => variation(index, index + piece.length)),
  ];
}

const unreservedMax = 96;

/** Lists every way in which an encoder may write the names and values of a query, besides the usual ones. */
export function everyQueryForm(query: string): readonly PercentVariation[] {
  const parts = query
    .slice(1)
    .split('&')
    .map((part) => part.split('=').map(decodedForm));
  const texts = parts.flat();
  if (query.length < 2 || texts.includes(undefined)) return [];
  return everyPercentForm(texts as readonly string[], true).map(({ detail, write }) => ({
    detail,
    cost: 3,
    apply: (text) => {
      const plain = text
        .slice(1)
        .split('&')
        .map((part) => part.split('=').map(decodedForm));
      return `?${plain.map((pieces) => pieces.map((piece) => write(piece ?? '')).join('=')).join('&')}`;
    },
  }));
}

/** Does the same for the segments of a path. */
export function everyPathForm(path: string): readonly PercentVariation[] {
  const segments = path.split('/').map(percentDecoded);
  if (segments.includes(undefined)) return [];
  return everyPercentForm(segments as readonly string[], false).map(({ detail, write }) => ({
    detail,
    cost: 3,
    apply: (text) =>
      text
        .split('/')
        .map((segment) => write(percentDecoded(segment) ?? segment))
        .join('/'),
  }));
}

/** The question mark itself is never encoded. */
const queryVariations = [...plusVariations, ...general, ...ofQuery].map(
  ({ detail, cost, apply }): PercentVariation => ({
    detail,
    cost,
    apply: (text) => {
      const result = apply(text.slice(1));
      return result === undefined ? undefined : `?${result}`;
    },
  }),
);
const pathVariations = [...general, ...ofPath];

function mapHex(text: string, change: (hex: string) => string): string {
  return text.replace(/%[0-9A-Fa-f]{2}/g, change);
}

function decodeOnly(text: string, wanted: { test(character: string): boolean }): string {
  return mapHex(text, (hex) => {
    const code = Number.parseInt(hex.slice(1), 16);
    const character = String.fromCharCode(code);
    return code < 0x80 && wanted.test(character) ? character : hex;
  });
}

function decodeUnicodeOnly(text: string): string {
  return text.replace(/(?:%[89A-Fa-f][0-9A-Fa-f])+/g, (octets) => percentDecoded(octets) ?? octets);
}

function encodeOnly(text: string, characters: string): string {
  let result = text;
  for (const character of characters) result = result.replaceAll(character, encodeAlways(character));
  return result;
}

function encodeOutside(text: string, left: RegExp): string {
  let result = '';
  for (const character of text) result += left.test(character) ? character : encodeAlways(character);
  return result;
}

/** Lone surrogates become whatever TextEncoder makes of them. */
function encodeAlways(text: string): string {
  const code = text.charCodeAt(0);
  if (text.length === 1 && code < 0x80) return escapes[code]!;
  let result = '';
  for (const byte of utf8Bytes(text)) result += escapes[byte]!;
  return result;
}

const escapes = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

/** Decodes the names and values of a query and encodes them again. */
function reencode(text: string, left: RegExp, space: string): string | undefined {
  const parts = text.split('&');
  const result: string[] = [];
  for (const part of parts) {
    const equals = part.indexOf('=');
    const pieces = equals < 0 ? [part] : [part.slice(0, equals), part.slice(equals + 1)];
    const plain = pieces.map((piece) => decodedForm(piece));
    if (plain.includes(undefined)) return undefined;
    result.push(plain.map((piece) => encodeOutside(piece!, left).replace(/%20/g, space)).join('='));
  }
  return result.join('&');
}

const dotSegments = /(?<=\/)\.{1,2}(?=\/|$)/g;
const encodedDots =
  (dot: string) =>
  (dots: string): string =>
    dots.replaceAll('.', dot);

function decodedTwice(text: string, decode: (text: string) => string | undefined): string | undefined {
  const once = decode(text);
  return once === undefined || !once.includes('%') ? undefined : decode(once);
}

/** Decodes names and values and encodes them with a function. */
function reencodedAs(text: string, encode: (plain: string) => string): string | undefined {
  const plain = text.split('&').map((part) => part.split('=').map(decodedForm));
  if (plain.flat().includes(undefined)) return undefined;
  return plain.map((pieces) => pieces.map((piece) => encode(piece!)).join('=')).join('&');
}

/** JavaScript's old function, which writes code points up to U+00FF in Latin-1. */
function escapeText(plain: string): string {
  return plain.replace(/[^A-Za-z0-9@*_+./-]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16).toUpperCase();
    return code.length > 2 ? `%u${code.padStart(4, '0')}` : `%${code.padStart(2, '0')}`;
  });
}

function reencodeSegments(text: string, left: RegExp): string | undefined {
  const segments = text.split('/').map(percentDecoded);
  if (segments.includes(undefined)) return undefined;
  return segments.map((segment) => encodeOutside(segment!, left)).join('/');
}

function reformed(text: string, form: 'NFC' | 'NFD', encode: boolean): string | undefined {
  const plain = decodeUnicodeOnly(text);
  if (!/[^\x00-\x7f]/.test(plain)) return undefined;
  const normal = plain.normalize(form);
  return encode ? normal.replace(/[^\x00-\x7f]+/g, encodeAlways) : normal;
}

function latin1Encoded(text: string): string | undefined {
  const plain = decodeUnicodeOnly(text);
  if (!/[\x80-\xff]/.test(plain) || /[^\x00-\xff]/.test(plain)) return undefined;
  return plain.replace(
    /[\x80-\xff]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Decodes text that is Latin-1 and not UTF-8. Undefined if nothing is. */
function latin1Decoded(text: string): string | undefined {
  if (percentDecoded(text) !== undefined) return undefined;
  return text.replace(/(?:%[89A-Fa-f][0-9A-Fa-f])+/g, (octets) =>
    percentDecoded(octets) === undefined
      ? mapHex(octets, (hex) => String.fromCharCode(Number.parseInt(hex.slice(1), 16)))
      : octets,
  );
}
