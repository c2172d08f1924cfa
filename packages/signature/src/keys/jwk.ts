import { alternatives, keyTitles } from '../rfc9421/algorithms.ts';
import { memberWithKey } from './key-in-json.ts';
import { type AnyKeyFacts, keyReaders } from './key-kinds.ts';
import type { KeyReader, UnexaminedKey } from './key-kind.ts';
import { type PublicKeyRefusal, refuseKey, refuseKind } from './public-key-refusal.ts';
import { createKeyCommand } from './create-key-command.ts';

/**
 * Reads a JWK's public key (RFC 7517 section 4). `alg`, `use` and `key_ops` are optional, but must not restrict the key
 * to anything other than signatures of its kind's algorithm.
 */
export function readJwk(text: string): UnexaminedKey<AnyKeyFacts> | PublicKeyRefusal {
  const jwk = parseObject(text);
  if (hasRepeatedMember(text)) return refuseKey('key_malformed', messages.repeated);
  if (jwk === undefined) return refuseKey('key_malformed', messages.notAnObject);
  if (Array.isArray(jwk['keys'])) {
    return jwk['keys'].length > 1
      ? refuseKey('several_keys', messages.several)
      : refuseKey('key_malformed', messages.keySet);
  }
  const { kty } = jwk;
  if (typeof kty !== 'string') return refuseKey('key_malformed', withoutType(jwk));
  const ofType = keyReaders.filter(({ jwk: { types } }) => types.includes(kty));
  if (ofType.length === 0) return refuseType(kty);
  const reader = ofType.find(({ jwk: { curve } }) => curve === undefined || curve === jwk['crv']);
  if (reader === undefined)
    return refuseCurve(
      jwk['crv'],
      ofType.map(({ jwk: { curve } }) => curve!),
    );
  const key = reader.jwk.read(jwk);
  if ('ok' in key && key.code !== 'key_malformed') return key;
  if (!hasSigningPurpose(jwk)) return refuseKey('key_malformed', messages.use);
  return Object.entries(jwk).some(([name, value]) => isSuspect(name, value, reader.jwk))
    ? refuseKey('key_malformed', messages.unknownMember)
    : key;
}

function refuseType(kty: string): PublicKeyRefusal {
  const [type] =
    keyReaders.find(({ jwk }) => jwk.types.some((one) => one.toUpperCase() === kty.toUpperCase()))?.jwk
      .types ?? [];
  return type === undefined
    ? refuseKind(messages.otherKind)
    : refuseKey('key_malformed', `The kty of the JWK is ${type} in another case. Write ${type}.`);
}

function refuseCurve(curve: unknown, curves: readonly string[]): PublicKeyRefusal {
  const names = alternatives(curves);
  const isKnown = curves.some((name) => name.toLowerCase() === String(curve).toLowerCase());
  if (typeof curve !== 'string' || isKnown)
    return refuseKey('key_malformed', `The crv of the JWK is missing or malformed. It must be ${names}.`);
  return refuseKind(`The JWK is a key for a curve other than ${names}. Create one: ${createKeyCommand}`);
}

const messages = {
  notAnObject: 'The JWK is malformed. Send one JSON object with the member kty and those of the key.',
  repeated: 'The JWK has a duplicate field. Send one JSON object with each field once.',
  several: 'The JWK Set contains more than one key. Send exactly one.',
  wrapped: 'This is JSON around a key, as a tool prints it. Send only the key in it.',
  keySet: 'This is a JWK Set. Send only the key inside it.',
  otherKind: `The JWK is not an ${keyTitles} key. Create one: ${createKeyCommand}`,
  use: 'The JWK is not for verifying signatures. If present, use must be sig, and key_ops must include verify.',
  unknownMember:
    'The JWK has a member that a public key does not have. Send only kty, n and e, or kty, crv, x and y.',
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
 * number under a damaged name could replace a public one. A list of keys repeats members legitimately, and is
 * rejected for being a list.
 */
function hasRepeatedMember(text: string): boolean {
  if (/"keys"\s*:/.test(text)) return false;
  const names = text
    .replace(/\\u00([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .matchAll(/"(kty|crv|x|y|n|e|alg|use|key_ops)"\s*:/g);
  const found = [...names].map(([, name]) => name);
  return new Set(found).size < found.length;
}

function hasSigningPurpose({ use, key_ops: operations }: Readonly<Record<string, unknown>>): boolean {
  const canVerify = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  return (use === undefined || use === 'sig') && canVerify;
}

/** The members of every public key, as registered for RFC 7517, and WebCrypto's `ext`. */
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
  'ext',
]);

/**
 * RFC 7517 section 4 requires unknown members to be ignored, and short ones are. A long one is rejected,
 * because it could be part of a private key under a damaged name.
 */
function isSuspect(name: string, value: unknown, { members, privateLengthMin }: KeyReader['jwk']): boolean {
  if (publicMembers.has(name) || members.includes(name)) return false;
  return typeof value === 'string' ? value.length > privateLengthMin : typeof value === 'object';
}
