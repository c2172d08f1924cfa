import { decodeBase64 } from '../rfc9421/base64.ts';
import { fault, type KeyTextFault } from './key-text-fault.ts';
import { readPem, type PemBlock } from './pem.ts';

/** What a text offered as a key turned out to be. Nothing in it has been understood yet beyond its wrapping. */
export type KeyText =
  | PemBlock
  | { readonly kind: 'base64'; readonly der: Uint8Array }
  | { readonly kind: 'json' | 'ssh-line'; readonly text: string }
  | { readonly kind: 'ssh2' | 'putty' | 'xml' | 'printout' | 'hexadecimal' }
  | KeyTextFault;

/** How many characters are looked at. The longest key that is accepted, a certificate for it included, is far shorter. */
export const keyTextLengthMax: number = 64 * 1024;

/** Tells the wrapping of a text and takes it off. */
export function readKeyText(text: string): KeyText {
  if (text.length > keyTextLengthMax)
    return fault('key_malformed', 'The text is far too long for a key. Send one key.');
  const trimmed = trimWhiteSpace(text.replace(/^[ \t\r\n]*\uFEFF/, ''));
  const kind = recognisedKinds.find((candidate) => candidate.recognises(trimmed));
  return kind?.read(trimmed) ?? readBareBase64(trimmed);
}

interface RecognisedKind {
  recognises(trimmed: string): boolean;
  read(trimmed: string): KeyText;
}

/** The wrappings, each with how it is told. The first that fits decides; what none fits is taken as bare Base64. */
const recognisedKinds: readonly RecognisedKind[] = [
  {
    recognises: (text) => text === '',
    read: () => fault('key_missing', 'There is no key in the text.'),
  },
  {
    recognises: (text) => text.includes('-----BEGIN') || text.includes('-----END'),
    read: readPem,
  },
  // RFC 4716: four dashes and a space.
  { recognises: (text) => text.startsWith('---- BEGIN'), read: () => ({ kind: 'ssh2' }) },
  { recognises: (text) => text.startsWith('PuTTY-'), read: () => ({ kind: 'putty' }) },
  { recognises: (text) => /^[[{]/.test(text), read: (text) => ({ kind: 'json', text }) },
  { recognises: (text) => text.startsWith('<'), read: () => ({ kind: 'xml' }) },
  {
    recognises: (text) => /^(?:ssh|ecdsa|sk|rsa)-[a-z0-9@.-]{1,60}[ \t]/.test(text),
    read: (text) => ({ kind: 'ssh-line', text }),
  },
  // What `openssl rsa -text` and `-modulus` print.
  {
    recognises: (text) => /^(?:RSA )?(?:Public|Private)-Key:|^Modulus\b/.test(text),
    read: () => ({ kind: 'printout' }),
  },
  { recognises: (text) => /^(?:0x)?30[0-9a-f\s:]+$/i.test(text), read: () => ({ kind: 'hexadecimal' }) },
];

function readBareBase64(trimmed: string): KeyText {
  const der = decodeBase64(trimmed.replace(/[ \t\r\n]/g, ''));
  if (der !== undefined) return { kind: 'base64', der };
  return fault(
    'key_malformed',
    'The text is not a key in a form that is known here, or it is damaged. Send the whole PEM file that the key came in.',
  );
}

/** Removes space, tab, CR and LF from both ends. Other white space is not damage that pasting does. */
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
