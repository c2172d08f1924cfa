import { publicKeyAlgorithmNamed } from '@countersign/signature/rfc9421';
import { jwkThumbprint } from '@countersign/signature/node';
import type { DirectoryContents, DirectoryKey, SkipReason } from './directory-key.ts';
import { DirectoryFault } from './directory-problem.ts';
import { KeyCollection } from './key-collection.ts';
import {
  entryCharactersMax,
  holdsSecret,
  isKeyId,
  type KeyClaims,
  type KeyReading,
  readKey,
} from './read-key.ts';

type Jwk = Readonly<Record<string, unknown>>;

/** More entries than this are no directory. */
const entriesMax = 100;

/**
 * Reads a JWK Set (RFC 7517 section 5). Entries that are no usable key are skipped and counted, as that section asks.
 *
 * An entry with a private half makes its key unusable, wherever else the set lists it: everyone can sign with it.
 *
 * @throws DirectoryFault `document_invalid`, `keys_too_many`
 */
export async function readKeySet(document: unknown, reading: KeyReading): Promise<DirectoryContents> {
  const entries = isObject(document) ? document['keys'] : undefined;
  if (!Array.isArray(entries)) throw new DirectoryFault('document_invalid', 'The document is not a JWK Set.');
  if (entries.length > entriesMax) throw new DirectoryFault('keys_too_many');
  const collection = new KeyCollection();
  const counts = { keys: 0, rsaKeys: 0 };
  for (const entry of entries as readonly unknown[]) {
    const claims = readClaims(entry, reading.nowMs);
    if (claims === 'private_key' && isObject(entry)) collection.exclude(jwkThumbprint(entry));
    if (typeof claims === 'string') collection.add(claims);
    else collection.add(await readJwk(entry as Jwk, claims, reading, counts));
  }
  return collection.contents();
}

/** Reads what a JWK says about itself, or finds a reason to skip it without looking at its numbers. */
function readClaims(entry: unknown, nowMs: number): KeyClaims | SkipReason {
  if (!isObject(entry)) return 'not_a_key';
  const { kid, alg, use, key_ops: operations, nbf, exp } = entry;
  const text = JSON.stringify(entry);
  if (privateMembers.some((name) => Object.hasOwn(entry, name)) || holdsSecret(text)) return 'private_key';
  if (text.length > entryCharactersMax) return 'too_long';
  if (kid !== undefined && !isKeyId(kid)) return 'key_id_invalid';
  const canVerify = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  if ((use !== undefined && use !== 'sig') || !canVerify) return 'not_for_signatures';
  const algorithm = typeof alg === 'string' ? publicKeyAlgorithmNamed(alg) : undefined;
  if (alg !== undefined && algorithm === undefined) return 'algorithm_not_supported';
  if (!isNumericDate(nbf) || !isNumericDate(exp)) return 'validity_invalid';
  if (exp !== undefined && exp * 1000 <= nowMs) return 'expired';
  return { kid, algorithm, startsAtMs: milliseconds(nbf), endsAtMs: milliseconds(exp) };
}

async function readJwk(
  jwk: Jwk,
  claims: KeyClaims,
  { known, policy, limits }: KeyReading,
  counts: { keys: number; rsaKeys: number },
): Promise<DirectoryKey | SkipReason> {
  const thumbprint = jwkThumbprint(jwk);
  const same = known.find(
    ({ thumbprint: of, algorithm }) =>
      of === thumbprint &&
      (algorithm === undefined || claims.algorithm === undefined || algorithm === claims.algorithm),
  );
  counts.keys += 1;
  if (counts.keys > limits.keysMax) return 'too_many';
  if (same !== undefined) return { ...same, ...claims };
  counts.rsaKeys += jwk['kty'] === 'RSA' ? 1 : 0;
  if (jwk['kty'] === 'RSA' && counts.rsaKeys > limits.rsaKeysMax) return 'too_many';
  const { alg: _alg, ...withoutAlgorithm } = jwk;
  return readKey(JSON.stringify(withoutAlgorithm), claims, policy);
}

/** RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1; RFC 8037 section 2. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** RFC 7519 section 2: seconds since 1970. */
function isNumericDate(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && value >= 0 && value < 1e12);
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

function isObject(value: unknown): value is Jwk {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
