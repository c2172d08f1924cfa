import { decodeBase64 } from '../rfc9421/base64.ts';
import { createKeyCommand } from './create-key-command.ts';
import type { RsaNumbers } from './rsa-public-encoding.ts';

/** The reason why a line as in `id_rsa.pub` cannot be registered. */
interface SshLineFault {
  readonly code: 'key_malformed' | 'several_keys' | 'not_rsa';
  readonly message: string;
}

/**
 * Reads an `ssh-rsa` line: the type, the key in Base64 (RFC 4253 section 6.6), and a comment, which is ignored. The
 * comment must be short, so that no private key fits into it.
 */
export function readSshLine(text: string): RsaNumbers | SshLineFault {
  const lines = text.split(/[\r\n]+/);
  if (lines.length > 1 && lines.every((line) => /^[ \t]*(?:ssh|ecdsa|sk)-/.test(line))) {
    return { code: 'several_keys', message: 'The text contains more than one SSH key. Send exactly one.' };
  }
  if (!/^ssh-rsa[ \t]/.test(text)) return { code: 'not_rsa', message: messages.notRsa };
  const parts = /^ssh-rsa[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+([^\r\n]{0,128}))?$/.exec(text);
  const bytes = decodeBase64(parts?.[1] ?? '');
  const numbers = bytes === undefined ? undefined : readSshRsaBlob(bytes);
  return numbers ?? { code: 'key_malformed', message: messages.damaged };
}

const messages = {
  notRsa: `The SSH key is not an RSA key. Create one: ${createKeyCommand}`,
  damaged: 'The SSH key is damaged. Copy the whole line again, without line breaks.',
} as const;

/** RFC 4253 section 6.6: the name, e and n, each preceded by its length. */
function readSshRsaBlob(bytes: Uint8Array): RsaNumbers | undefined {
  const fields: Uint8Array[] = [];
  for (let offset = 0; offset < bytes.length;) {
    if (offset + 4 > bytes.length || fields.length === 3) return undefined;
    const length = new DataView(bytes.buffer, bytes.byteOffset + offset, 4).getUint32(0);
    const field = bytes.subarray(offset + 4, offset + 4 + length);
    if (field.length !== length) return undefined;
    fields.push(field);
    offset += 4 + length;
  }
  const [name, e, n] = fields;
  if (name === undefined || String.fromCharCode(...name.subarray(0, 8)) !== 'ssh-rsa') return undefined;
  const exponent = readMultiplePrecisionInteger(e);
  const modulus = readMultiplePrecisionInteger(n);
  return exponent === undefined || modulus === undefined ? undefined : { modulus, exponent };
}

/** RFC 4251 section 5, `mpint`: positive, in its shortest form. */
function readMultiplePrecisionInteger(field: Uint8Array | undefined): Uint8Array | undefined {
  const [first, second] = field ?? [];
  if (field === undefined || first === undefined || first > 0x7f) return undefined;
  if (first !== 0) return field;
  return second !== undefined && second > 0x7f ? field.subarray(1) : undefined;
}
