import { decodeBase64 } from '../rfc9421/base64.ts';
import { memberWithKey } from './key-in-json.ts';
import { fault, type KeyTextFault } from './key-text-fault.ts';

/** A PEM block: the label of its BEGIN and END lines, and the bytes between them. */
export interface PemBlock {
  readonly kind: 'pem';
  readonly label: string;
  readonly der: Uint8Array;
}

/**
 * Reads one PEM block (RFC 7468), strict where it matters and tolerant of damage done by pasting.
 *
 * Line breaks, indentation and line lengths are free. The labels of BEGIN and END must match, the Base64
 * between them must be canonical and complete, and nothing may be outside: skipped text could contain a key.
 */
export function readPem(given: string): PemBlock | KeyTextFault {
  const text = given.replace(curveParameters, '');
  const lines = [...text.matchAll(/-----(BEGIN|END) ([A-Z0-9](?:[A-Z0-9 ]{0,60}[A-Z0-9])?)-----/g)];
  const begins = lines.filter((line) => line[1] === 'BEGIN');
  if (begins.length > 1) return fault('several_keys', messages.several);
  const [begin, end] = lines;
  if (begin?.[1] !== 'BEGIN' || end?.[1] !== 'END' || lines.length !== 2)
    return fault('key_malformed', messages.cut);
  if (begin[2] !== end[2]) return fault('key_malformed', messages.mismatch);

  const before = text.slice(0, begin.index);
  const after = text.slice(end.index + end[0].length);
  const body = text.slice(begin.index + begin[0].length, end.index);
  if (/[^ \t\r\n]/.test(before + after))
    return fault('key_malformed', messageInJson(text) ?? outsideMessage(before, body, after));
  const der = decodeBase64(body.replace(/[ \t\r\n]/g, ''));
  if (der === undefined || der.length === 0) {
    return fault('key_malformed', escapedLineBreak.test(body) ? messages.escaped : messages.damaged);
  }
  return { kind: 'pem', label: begin[2] ?? '', der };
}

/** OpenSSL's `ecparam -genkey` writes the name of the curve before the key, which has it too. */
const curveParameters =
  /^\s*-----BEGIN EC PARAMETERS-----[A-Za-z0-9+/=\s]{1,64}-----END EC PARAMETERS-----(?=\s*-----BEGIN EC PRIVATE KEY-----)/;

function messageInJson(text: string): string | undefined {
  if (!/^\s{0,80}[[{]/.test(text)) return undefined;
  try {
    const member = memberWithKey(JSON.parse(text));
    return member ? `${messages.outside} It is in the member ${member} of this JSON.` : undefined;
  } catch {
    return undefined;
  }
}

/** A line break as JSON, a settings file or a URL writes it. */
const escapedLineBreak = /\\{1,4}[nr]|%0[AD]/i;

/** Describes the quotation marks and line breaks of a settings file, which are not part of the key's text. */
function outsideMessage(before: string, body: string, after: string): string {
  const isEscaped = escapedLineBreak.test(body);
  const around = (before + after).replaceAll(new RegExp(escapedLineBreak, 'gi'), '').trim();
  if (around === '') return messages.escaped;
  if (!/^["'`,;\s\\\u2018\u2019\u201C\u201D]+$/.test(around)) return messages.outside;
  return isEscaped ? messages.quotedAndEscaped : messages.quoted;
}

const messages = {
  several: 'The text contains more than one PEM block. Use exactly one key.',
  cut: 'The BEGIN or END line is missing or damaged. Use the whole PEM block, including both lines.',
  mismatch: "The BEGIN and END lines don't match. Use the PEM block exactly as it was exported.",
  outside:
    'There is other text before or after the PEM block. Use only the block, from the BEGIN line to the END line.',
  quoted: 'The PEM block has quotation marks around it. Remove them.',
  quotedAndEscaped:
    'The PEM block has quotation marks around it, and a backslash and an n (\\n) instead of line breaks. Remove the ' +
    'marks, and replace each \\n with a line break.',
  escaped:
    'The PEM block contains a backslash and an n (\\n) instead of line breaks. Replace each one with a line break.',
  damaged: 'The Base64 between the BEGIN and END lines is damaged. Copy the whole PEM block again.',
} as const;
