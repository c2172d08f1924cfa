import { decodeBase64 } from '../rfc9421/base64.ts';
import { fault, type KeyTextFault } from './key-text-fault.ts';
import { keyTextLengthMax } from './key-text-length.ts';
import { readPem, type PemBlock } from './pem.ts';
import { beginsSshLine } from './ssh-line.ts';

/** The form of a text offered as a key. Only its wrapping has been recognized so far. */
export type KeyText =
  | PemBlock
  | { readonly kind: 'base64'; readonly der: Uint8Array }
  | { readonly kind: 'json' | 'ssh-line'; readonly text: string }
  | { readonly kind: 'ssh2' | 'putty' | 'xml' | 'printout' | 'hexadecimal' }
  | KeyTextFault;

/** Recognizes a text's wrapping and removes it. */
export function readKeyText(text: string): KeyText {
  if (text.length > keyTextLengthMax)
    return fault('key_malformed', 'The text is too long to be a key. Use a single key.');
  if (isUtf16(text)) return fault('key_malformed', messages.utf16);
  const trimmed = trimWhiteSpace(text.replace(/^[ \t\r\n]*\uFEFF/, ''));
  const kind = recognizedKinds.find((candidate) => candidate.recognizes(trimmed));
  return kind?.read(trimmed) ?? readBareBase64(trimmed);
}

interface RecognizedKind {
  recognizes(trimmed: string): boolean;
  read(trimmed: string): KeyText;
}

/** All wrappings, and how to recognize them. The first match wins; text that matches none is read as bare Base64. */
const recognizedKinds: readonly RecognizedKind[] = [
  {
    recognizes: (text) => text === '',
    read: () => fault('key_missing', 'There is no key in the text.'),
  },
  {
    recognizes: (text) => text.includes('-----BEGIN') || text.includes('-----END'),
    read: readPem,
  },
  // RFC 4716: four dashes and a space.
  { recognizes: (text) => text.startsWith('---- BEGIN'), read: () => ({ kind: 'ssh2' }) },
  { recognizes: (text) => text.startsWith('PuTTY-'), read: () => ({ kind: 'putty' }) },
  { recognizes: (text) => /^[[{]/.test(text), read: (text) => ({ kind: 'json', text }) },
  { recognizes: (text) => text.startsWith('<'), read: () => ({ kind: 'xml' }) },
  {
    recognizes: (text) => /^(?:ssh|ecdsa|sk|rsa)-[a-z0-9@.-]{1,60}[ \t]/.test(text),
    read: (text) => ({ kind: 'ssh-line', text }),
  },
  // The output of `openssl rsa -text` and `-modulus`.
  {
    recognizes: (text) => /^(?:RSA )?(?:Public|Private)-Key:|^Modulus\b/.test(text),
    read: () => ({ kind: 'printout' }),
  },
  { recognizes: (text) => /^(?:0x)?30[0-9a-f\s:]+$/i.test(text), read: () => ({ kind: 'hexadecimal' }) },
];

function readBareBase64(trimmed: string): KeyText {
  const der = decodeBase64(trimmed.replace(/[ \t\r\n]/g, ''));
  if (der === undefined)
    return fault('key_malformed', quoted.test(trimmed) ? messages.quoted : messages.unknown);
  return isEncodedText(der) ? fault('key_malformed', messages.encoded) : { kind: 'base64', der };
}

/** Quotation marks around a text, as in a settings file; some editors make them curly. */
const quoted = /^["'`\u2018\u201C].*["'`\u2019\u201D]$/s;

const messages = {
  unknown: 'The text is not a key in a supported format, or the key is damaged. Use the whole PEM file.',
  quoted: 'The text has quotation marks around it. Remove them.',
  utf16: "The file is in UTF-16, as Windows PowerShell's > writes it. Save it as UTF-8.",
  encoded:
    'This is the Base64 of a key file, as in a Kubernetes secret. Decode it once, for example with: base64 -d',
} as const;

/** UTF-16 that was read as bytes: every second character is NUL, or the byte order mark could not be read. */
function isUtf16(text: string): boolean {
  const start = text.slice(0, 256);
  return /^\uFFFD\uFFFD|^(?:\0[^\0]){4}|^(?:[^\0]\0){4}/.test(start) && start.includes('\0');
}

/** True if bytes are a key file's text: PEM, JSON or an SSH line. */
function isEncodedText(bytes: Uint8Array): boolean {
  const start = String.fromCharCode(...bytes.subarray(0, 64));
  return /^\s{0,8}(?:-----BEGIN |\{\s{0,8}")/.test(start) || beginsSshLine(start);
}

/** Removes space, tab, CR and LF from both ends. Pasting adds no other white space. */
function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
