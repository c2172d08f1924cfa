import { checkText, wrongType } from '../arguments/check-argument.ts';
import { readPublicKey } from '../keys/public-key.ts';
import { algorithms } from '../rfc9421/algorithms.ts';
import {
  algorithmForKey,
  algorithmOfJwk,
  type MessageAlgorithm,
  type MessageKeyOptions,
} from './algorithms.ts';

/** A JSON Web Key (RFC 7517), as a parsed object. */
export interface JsonWebKeyObject {
  readonly kty?: unknown;
  readonly alg?: unknown;
}

/** A public key that was examined, and the only algorithm that it is used with. */
export interface ExaminedKey {
  readonly spkiDer: Uint8Array<ArrayBuffer>;
  readonly algorithm: MessageAlgorithm;
}

/**
 * Reads and examines a public key's text, or a JWK: the same rules as for clients' keys, so weak keys are refused.
 *
 * @throws TypeError that says what is wrong with the key
 */
export function examineKey(key: string | JsonWebKeyObject, options: MessageKeyOptions): ExaminedKey {
  const { text, alg } = textOf(key);
  const reading = readPublicKey(text, options);
  if (!reading.ok) throw new TypeError(reading.message);
  const named = algorithmOfJwk(alg);
  if (named !== undefined && options.algorithm !== undefined && named !== options.algorithm)
    throw new TypeError(`The JWK is for ${named}, not for ${options.algorithm}.`);
  const { keyKind, webCrypto } = algorithms[reading.key.algorithm];
  const keyType = webCrypto.namedCurve === undefined ? keyKind : 'ec';
  const algorithm = algorithmForKey(keyType, webCrypto.namedCurve, named ?? options.algorithm);
  return { spkiDer: new Uint8Array(reading.key.spkiDer), algorithm };
}

/** The text without `alg`, which may name an algorithm that the registry of clients does not have. */
function textOf(key: string | JsonWebKeyObject): { readonly text: string; readonly alg?: unknown } {
  if (typeof key === 'object' && key !== null) {
    const { alg, ...others } = key;
    return { text: JSON.stringify(others), alg };
  }
  if (typeof key !== 'string') throw wrongType('key', key, 'the text of a public key, or a JWK');
  checkText(key, 'key');
  if (!key.trimStart().startsWith('{')) return { text: key };
  let parsed: unknown;
  try {
    parsed = JSON.parse(key);
  } catch {
    return { text: key };
  }
  // The text itself, unless it has an `alg`: it may have a member twice.
  return typeof parsed === 'object' && parsed !== null && 'alg' in parsed && !/"alg"[^]*"alg"/.test(key)
    ? textOf(parsed)
    : { text: key };
}
