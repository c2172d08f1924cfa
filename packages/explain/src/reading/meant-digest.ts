import { isContentDigest } from '@countersign/signature';
import type { HashName } from '../explanation.ts';
import type { Note, Words } from '../findings/finding.ts';
import { base64Difference, decodeLeniently, type FormCodes } from './lenient-base64.ts';

/** The intended Content-Digest. */
export interface MeantDigest {
  readonly bytes: Uint8Array;
  /** The hash function with digests of this length. */
  readonly hash: HashName;
  /** Unusual aspects of the digest and its form. */
  readonly notes: readonly Note[];
}

/** Reads a digest in any form. Undefined if there is none. */
export function readMeantDigest(text: string): MeantDigest | undefined {
  const members = text.split(/,\s*(?=[A-Za-z0-9-]+=)/);
  const member = members.find((one) => /^\s*sha-?256\s*=/i.test(one)) ?? members[0]!;
  const other = otherNotation.exec(member)?.[1];
  const match = digestMember.exec(other ?? member);
  if (!match) return undefined;
  const [, name, quote, before, content = '', after] = match;
  const decoded = decodeLeniently(content, (length) => hashOfLength.has(length));
  const { bytes, lineEnd } = withoutLineEnd(decoded?.bytes);
  const hash = hashOfLength.get(bytes.length);
  if (!decoded || !hash) return undefined;
  const notes: Note[] = [];
  if (lineEnd !== '') notes.push({ code: 'digest_form', ...wordsOfLineEnd(bytes.length, lineEnd) });
  if (members.length > 1) notes.push({ code: 'digest_form', detail: 'it has more than one digest' });
  const isOld = name !== undefined && /^(?:SHA-256|SHA256|Sha-256)$/.test(name);
  if (other !== undefined) notes.push({ code: 'digest_form', detail: text });
  else if (isOld) notes.push({ code: 'digest_old_form', detail: text });
  else if (name === undefined)
    notes.push({ code: 'digest_form', detail: 'it does not name the hash function' });
  else if (!/^sha-256$/.test(name) && hash === 'sha256')
    notes.push({ code: 'digest_form', detail: `its name is ${name}` });
  if ((before === '' || after === '') && !isOld && name !== undefined)
    notes.push({ code: 'digest_no_colons' });
  if (quote !== '') notes.push({ code: 'digest_form', detail: 'it is in quotes' });
  for (const form of decoded.forms) {
    const code = formCodes[form];
    notes.push({ code, ...(code === 'digest_base64url' && { detail: base64Difference(content) }) });
  }
  const made = madeWith[hash];
  if (made) notes.push(made);
  if (notes.length === 0 && !isContentDigest(text)) notes.push({ code: 'digest_form', detail: text });
  return { bytes, hash, notes };
}

/** `echo` and text files append a line end before the bytes are encoded. */
function withoutLineEnd(bytes: Uint8Array = new Uint8Array()): {
  readonly bytes: Uint8Array;
  readonly lineEnd: string;
} {
  for (const [lineEnd, tail] of lineEnds) {
    const size = bytes.length - tail.length;
    if (hashOfLength.has(size) && tail.every((byte, index) => bytes[size + index] === byte))
      return { bytes: bytes.subarray(0, size), lineEnd };
  }
  return { bytes, lineEnd: '' };
}

const lineEnds: readonly (readonly [name: string, tail: readonly number[]])[] = [
  ['CRLF', [13, 10]],
  ['a newline', [10]],
];

function wordsOfLineEnd(size: number, lineEnd: string): Words {
  return {
    what: `The Base64 in Content-Digest holds the ${size} bytes of the hash and ${lineEnd}.`,
    mend: `Encode the ${size} bytes of the hash alone, without a line end: \`openssl dgst -binary\` writes none, but \`echo\` does.`,
  };
}

const digestMember = /^\s*(?:([A-Za-z][A-Za-z0-9-]{1,9})\s*=\s*)?(["']?)(:?)(.*?)(:?)\2\s*$/s;

/**
 * Finds the digest in other notations: `sha-256:…` of container images, `sha256-…` of Subresource Integrity,
 * `{SHA256}…` of LDAP, and the whole member in quotes.
 */
const otherNotation =
  /^\s*(?:\{sha-?\d*\}|sha-?\d+\s*[:-]\s*(?!=)|md5[:-]|["'](?=[a-z][a-z0-9-]*\s*=\s*:))(.*?)["']?\s*$/is;

const hashOfLength: ReadonlyMap<number, HashName> = new Map([
  [32, 'sha256'],
  [64, 'sha512'],
  [48, 'sha384'],
  [20, 'sha1'],
  [16, 'md5'],
]);

const madeWith: Readonly<Partial<Record<HashName, Note>>> = {
  sha512: { code: 'digest_sha512', detail: 'it has the 64 bytes of SHA-512' },
  sha384: { code: 'digest_sha512', detail: 'it has the 48 bytes of SHA-384' },
  sha1: { code: 'digest_md5', detail: 'it has the 20 bytes of SHA-1' },
  md5: { code: 'digest_md5', detail: 'it has the 16 bytes of MD5' },
};

const formCodes: FormCodes = {
  url_encoded: 'digest_form',
  white_space: 'digest_form',
  escaped: 'digest_form',
  printed: 'digest_form',
  plus_lost: 'digest_form',
  more_padding: 'digest_form',
  hex: 'digest_hex',
  url_alphabet: 'digest_base64url',
  no_padding: 'digest_base64url',
  double: 'digest_double_base64',
  hex_in_base64: 'digest_of_hex',
};
