/** How a text became bytes. */
export type TextCharset =
  | 'utf-8'
  | 'latin-1'
  | 'windows-1252'
  | 'utf-16le'
  | 'utf-16be'
  | 'ascii'
  /** UTF-8 that was taken for Latin-1 and encoded again. */
  | 'utf-8-twice'
  /** The reverse: what the text was before that happened. */
  | 'utf-8-undone';

/** A text, and what it was read with. */
export interface ReadText {
  readonly text: string;
  readonly charset: TextCharset;
  /** Whether a byte order mark came before it. */
  readonly hasMark: boolean;
}

/** Reads a body: UTF-16 by its mark, else UTF-8, else Latin-1, which everything is. */
export function textOf(bytes: Uint8Array): ReadText {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { ...decode(bytes.subarray(2), 'utf-16le'), hasMark: true };
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return { ...decode(bytes.subarray(2), 'utf-16be'), hasMark: true };
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const content = hasMark ? bytes.subarray(3) : bytes;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    // Text of letters in UTF-16 has a zero in every other byte, and is UTF-8 too.
    if (content[1] === 0 && content[3] === 0) return { ...decode(content, 'utf-16le'), hasMark };
    if (content[0] === 0 && content[2] === 0) return { ...decode(content, 'utf-16be'), hasMark };
    return { text, charset: 'utf-8', hasMark };
  } catch {
    return { text: latin1Text(content), charset: 'latin-1', hasMark };
  }
}

/** Writes a text. Undefined where the charset does not have its characters. */
export function bytesOfText(text: string, charset: TextCharset, hasMark: boolean): Uint8Array | undefined {
  const bytes = encoders[charset](text);
  const mark = marks[charset];
  if (!hasMark || !bytes) return bytes;
  if (!mark) return undefined;
  const marked = new Uint8Array(mark.length + bytes.length);
  marked.set(mark);
  marked.set(bytes, mark.length);
  return marked;
}

const utf8 = new TextEncoder();
const utf8Mark = Uint8Array.of(0xef, 0xbb, 0xbf);
const marks: Readonly<Partial<Record<TextCharset, Uint8Array>>> = {
  'utf-8': utf8Mark,
  'utf-8-twice': utf8Mark,
  'utf-16le': Uint8Array.of(0xff, 0xfe),
  'utf-16be': Uint8Array.of(0xfe, 0xff),
};

const encoders: Readonly<Record<TextCharset, (text: string) => Uint8Array | undefined>> = {
  'utf-8': (text) => utf8.encode(text),
  'latin-1': (text) => (/[^\x00-\xff]/.test(text) ? undefined : bytesOfCodes(text)),
  'windows-1252': (text) => bytesOfCodes(text.replace(/[^\x00-\xff]/g, (one) => windows1252[one] ?? '?')),
  ascii: (text) => bytesOfCodes(text.replace(/[^\x00-\x7f]/gu, '?')),
  'utf-16le': (text) => utf16(text, true),
  'utf-16be': (text) => utf16(text, false),
  'utf-8-twice': (text) => utf8.encode(latin1Text(utf8.encode(text))),
  'utf-8-undone': (text) => (/[^\x00-\xff]/.test(text) ? undefined : bytesOfCodes(text)),
};

/** The characters of Windows-1252 that people type. */
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

function latin1Text(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 8192)
    text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return text;
}

function bytesOfCodes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

function utf16(text: string, isLittleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let index = 0; index < text.length; index++)
    view.setUint16(index * 2, text.charCodeAt(index), isLittleEndian);
  return new Uint8Array(view.buffer);
}
