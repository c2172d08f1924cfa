import { decodeBase64 } from '../rfc9421/base64.ts';
import { keyTitles } from '../rfc9421/algorithms.ts';
import type { KeyReader, SshKeyType, UnexaminedKey } from './key-kind.ts';
import { type AnyKeyFacts, keyReaders } from './key-kinds.ts';
import { type PublicKeyRefusal, refuseKey, refuseKind } from './public-key-refusal.ts';
import { createKeyCommand } from './create-key-command.ts';

/** A key in a line of OpenSSH, and its type there. */
export interface SshKey {
  readonly format: SshKeyType;
  readonly key: UnexaminedKey<AnyKeyFacts>;
}

/**
 * Reads a line as in OpenSSH's `.pub` files: the type, the key in Base64 (RFC 4253 section 6.6), and a comment, which is
 * ignored. The comment must have nothing in it that could be a private key.
 */
export function readSshLine(text: string): SshKey | PublicKeyRefusal {
  const lines = text.split(/[\r\n]+/);
  if (lines.length > 1 && lines.every((line) => /^[ \t]*(?:ssh|ecdsa|sk)-/.test(line)))
    return refuseKey('several_keys', 'The text contains more than one SSH key. Send exactly one.');
  const reader = keyReaders.find(({ ssh }) => /^\S+(?=[ \t])/.exec(text)?.[0] === ssh.type);
  if (reader === undefined) return refuseKind(messages.otherKind);
  const [, base64 = '', comment = ''] =
    /^\S+[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+([^\r\n]{0,128}))?$/.exec(text) ?? [];
  if (longRun.test(comment)) return refuseKey('key_malformed', messages.comment);
  const bytes = decodeBase64(base64);
  const key = bytes && readBlob(bytes, reader.ssh);
  return key ? { format: reader.ssh.type, key } : refuseKey('key_malformed', messages.damaged);
}

/** Returns true for a text that begins like a line of OpenSSH with a key of a supported kind. */
export function beginsSshLine(text: string): boolean {
  const start = text.slice(0, 64).trimStart();
  return keyReaders.some(({ ssh }) => start.startsWith(`${ssh.type} `));
}

/** As long as the shortest private number in Base64. */
const longRun = /[A-Za-z0-9+/_-]{40}/;

const messages = {
  comment: 'The comment after the SSH key is too long. Remove it.',
  otherKind: `The SSH key is not an ${keyTitles} key. Create one: ${createKeyCommand}`,
  damaged: 'The SSH key is damaged. Copy the whole line again, without line breaks.',
} as const;

/** RFC 4253 section 6.6: the type and the key's parts, each preceded by its length. */
function readBlob<Facts extends AnyKeyFacts>(
  bytes: Uint8Array,
  ssh: KeyReader<Facts>['ssh'],
): UnexaminedKey<Facts> | undefined {
  const strings: Uint8Array[] = [];
  for (let offset = 0; offset < bytes.length;) {
    if (offset + 4 > bytes.length || strings.length === stringsMax) return undefined;
    const length = new DataView(bytes.buffer, bytes.byteOffset + offset, 4).getUint32(0);
    const field = bytes.subarray(offset + 4, offset + 4 + length);
    if (field.length !== length) return undefined;
    strings.push(field);
    offset += 4 + length;
  }
  const [type, ...parts] = strings;
  if (type === undefined || String.fromCharCode(...type.subarray(0, 32)) !== ssh.type) return undefined;
  return ssh.read(parts);
}

/** As many as the longest supported key has. */
const stringsMax = 3;
