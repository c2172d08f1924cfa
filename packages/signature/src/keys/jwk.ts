import { decodeBase64 } from '../rfc9421/base64.ts';
import { createKeyCommand } from './create-key-command.ts';
import { memberWithKey } from './key-in-json.ts';
import type { RsaNumbers } from './rsa-public-encoding.ts';

/** The reason why a JSON text is not a JWK that can be registered. */
interface JwkFault {
  readonly code: 'key_malformed' | 'several_keys' | 'not_rsa' | 'pss_only';
  readonly message: string;
}

/**
 * The key types of RFC 7518 section 6.1, and Azure Key Vault's name for an RSA key whose private half is in
 * an HSM.
 */
const rsaTypes: ReadonlySet<string> = new Set(['RSA', 'RSA-HSM']);

/**
 * Reads a JWK's RSA public key (RFC 7517 section 4, RFC 7518 section 6.3.1). `alg`, `use` and `key_ops` are optional,
 * but must not restrict the key to anything other than `RS256` signatures.
 */
export function readJwk(text: string): RsaNumbers | JwkFault {
  const jwk = parseObject(text);
  if (hasRepeatedMember(text)) return { code: 'key_malformed', message: messages.repeated };
  if (jwk === undefined) return { code: 'key_malformed', message: messages.notAnObject };
  if (Array.isArray(jwk['keys'])) {
    return jwk['keys'].length > 1
      ? { code: 'several_keys', message: messages.several }
      : { code: 'key_malformed', message: messages.keySet };
  }
  const { kty } = jwk;
  if (typeof kty !== 'string') return { code: 'key_malformed', message: withoutType(jwk) };
  if (!rsaTypes.has(kty)) {
    return rsaTypes.has(kty.toUpperCase())
      ? { code: 'key_malformed', message: messages.case }
      : { code: 'not_rsa', message: messages.notRsa };
  }
  const fault = purposeFault(jwk);
  if (fault !== undefined) return fault;
  if (Object.entries(jwk).some(([name, value]) => isSuspect(name, value))) {
    return { code: 'key_malformed', message: messages.unknownMember };
  }
  const modulus = readBase64UrlUnsigned(jwk['n']);
  const exponent = readBase64UrlUnsigned(jwk['e']);
  if (modulus === undefined || exponent === undefined)
    return { code: 'key_malformed', message: messages.numbers };
  return { modulus, exponent };
}

const messages = {
  notAnObject: 'The JWK is malformed. Send one JSON object with the members kty, n and e.',
  repeated: 'The JWK has a duplicate member. Send one JSON object with the members kty, n and e, each once.',
  several: 'The JWK Set contains more than one key. Send exactly one.',
  case: 'The kty of the JWK is RSA in another case. Write RSA.',
  wrapped: 'This is JSON around a key, as a tool prints it. Send only the key in it.',
  keySet: 'This is a JWK Set. Send only the key inside it.',
  notRsa: `The JWK is not an RSA key. Create one: ${createKeyCommand}`,
  algorithm: 'The alg of the JWK is not RS256. Send a key for RS256, or leave out alg.',
  pss: 'The JWK is restricted to RSA-PSS. Send a key for RS256, or leave out alg.',
  use: 'The JWK is not for verifying signatures. If present, use must be sig, and key_ops must include verify.',
  unknownMember: 'The JWK has a member that a public key does not have. Send only kty, n and e.',
  numbers: 'The n or e of the JWK is malformed. Both must be Base64url, without padding or leading zeros.',
} as const;

function withoutType(json: Readonly<Record<string, unknown>>): string {
  const member = memberWithKey(json);
  if (member === undefined) return messages.notAnObject;
  return member === ''
    ? messages.wrapped
    : `This is the output of a tool, with the key in its member ${member}. Send only the value of that member.`;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * RFC 7517 section 4 lets a reader reject repeated members. JSON.parse would take the last one: a private
 * exponent under a damaged name could become the modulus. A list of keys repeats members legitimately, and is
 * rejected for being a list.
 */
function hasRepeatedMember(text: string): boolean {
  if (/"keys"\s*:/.test(text)) return false;
  const names = text
    .replace(/\\u00([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .matchAll(/"(kty|n|e|alg|use|key_ops)"\s*:/g);
  const found = [...names].map(([, name]) => name);
  return new Set(found).size < found.length;
}

function purposeFault(jwk: Readonly<Record<string, unknown>>): JwkFault | undefined {
  const { alg, use, key_ops: operations } = jwk;
  if (typeof alg === 'string' && /^PS\d/.test(alg)) return { code: 'pss_only', message: messages.pss };
  if (alg !== undefined && alg !== 'RS256') return { code: 'not_rsa', message: messages.algorithm };
  const canVerify = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  if ((use !== undefined && use !== 'sig') || !canVerify)
    return { code: 'key_malformed', message: messages.use };
  return undefined;
}

/** The members of a public RSA key, as registered for RFC 7517 and RFC 7518, and WebCrypto's `ext`. */
const publicMembers: ReadonlySet<string> = new Set([
  'kty',
  'use',
  'key_ops',
  'alg',
  'kid',
  'x5u',
  'x5c',
  'x5t',
  'x5t#S256',
  'n',
  'e',
  'ext',
]);

/**
 * RFC 7517 section 4 requires unknown members to be ignored, and short ones are. A long one is rejected,
 * because it could be part of a private key under a damaged name: no such part is this short.
 */
function isSuspect(name: string, value: unknown): boolean {
  if (publicMembers.has(name)) return false;
  return typeof value === 'string' ? value.length > 64 : typeof value === 'object';
}

function readBase64UrlUnsigned(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_-]+$/.test(value)) return undefined;
  const padding = '='.repeat((4 - (value.length % 4)) % 4);
  const bytes = decodeBase64(value.replaceAll('-', '+').replaceAll('_', '/') + padding);
  return bytes === undefined || bytes[0] === 0 ? undefined : bytes;
}
