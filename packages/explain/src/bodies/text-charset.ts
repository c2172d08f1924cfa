import { concatBytes, latin1Bytes, latin1Text, utf16Bytes, utf8Bytes } from '../byte-text.ts';

export type TextCharset =
  | 'utf-8'
  | 'latin-1'
  | 'windows-1252'
  | 'utf-16le'
  | 'utf-16be'
  | 'ascii'
  | 'replaced'
  | 'nfc'
  | 'nfd'
  /** UTF-8 mistaken for Latin-1 and encoded again. */
  | 'utf-8-twice'
  /** The reverse: the text before that happened. */
  | 'utf-8-undone';

export interface ReadText {
  readonly text: string;
  readonly charset: TextCharset;
  /** True if it started with a byte order mark. */
  readonly hasMark: boolean;
}

/** Reads a body as UTF-16 if its mark says so, else as UTF-8, else as Latin-1, which fits anything. */
export function textOf(bytes: Uint8Array): ReadText {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { ...decode(bytes.subarray(2), 'utf-16le'), hasMark: true };
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return { ...decode(bytes.subarray(2), 'utf-16be'), hasMark: true };
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const content = hasMark ? bytes.subarray(3) : bytes;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    // UTF-16 letters have a zero in every other byte, which is valid UTF-8 too.
    if (content[1] === 0 && content[3] === 0) return { ...decode(content, 'utf-16le'), hasMark };
    if (content[0] === 0 && content[2] === 0) return { ...decode(content, 'utf-16be'), hasMark };
    return { text, charset: 'utf-8', hasMark };
  } catch {
    return { text: latin1Text(content), charset: 'latin-1', hasMark };
  }
}

/** Undefined if the charset lacks a character of the text. */
export function bytesOfText(text: string, charset: TextCharset, hasMark: boolean): Uint8Array | undefined {
  const bytes = encoders[charset](text);
  const mark = marks[charset];
  if (!hasMark || !bytes) return bytes;
  if (!mark) return undefined;
  return concatBytes([mark, bytes]);
}

const utf8Mark = Uint8Array.of(0xef, 0xbb, 0xbf);
const marks: Readonly<Partial<Record<TextCharset, Uint8Array>>> = {
  'utf-8': utf8Mark,
  'utf-8-twice': utf8Mark,
  'utf-16le': Uint8Array.of(0xff, 0xfe),
  'utf-16be': Uint8Array.of(0xfe, 0xff),
};

const encoders: Readonly<Record<TextCharset, (text: string) => Uint8Array | undefined>> = {
  'utf-8': (text) => utf8Bytes(text),
  'latin-1': (text) => (/[^\x00-\xff]/.test(text) ? undefined : latin1Bytes(text)),
  'windows-1252': (text) => latin1Bytes(text.replace(/[^\x00-\xff]/g, (one) => windows1252[one] ?? '?')),
  replaced: (text) => utf8Bytes(text.replace(/[^\x00-\x7f]/gu, '\ufffd')),
  nfc: (text) => utf8Bytes(text.normalize('NFC')),
  nfd: (text) => utf8Bytes(text.normalize('NFD')),
  ascii: (text) => latin1Bytes(text.replace(/[^\x00-\x7f]/gu, '?')),
  'utf-16le': (text) => utf16Bytes(text, true),
  'utf-16be': (text) => utf16Bytes(text, false),
  'utf-8-twice': (text) => utf8Bytes(latin1Text(utf8Bytes(text))),
  'utf-8-undone': (text) => (/[^\x00-\xff]/.test(text) ? undefined : latin1Bytes(text)),
};

/** The Windows-1252 characters that people type. */
const windows1252: Readonly<Record<string, string>> = {
  '€': '\x80',
  '‚': '\x82',
  '„': '\x84',
  '…': '\x85',
  Š: '\x8a',
  Œ: '\x8c',
  Ž: '\x8e',
  '‘': '\x91',
  '’': '\x92',
  '“': '\x93',
  '”': '\x94',
  '•': '\x95',
  '–': '\x96',
  '—': '\x97',
  '™': '\x99',
  š: '\x9a',
  œ: '\x9c',
  ž: '\x9e',
  Ÿ: '\x9f',
};

function decode(bytes: Uint8Array, charset: 'utf-16le' | 'utf-16be'): Omit<ReadText, 'hasMark'> {
  return { text: new TextDecoder(charset, { ignoreBOM: true }).decode(bytes), charset };
}
