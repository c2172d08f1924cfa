import {
  readEncodedPrivateKey,
  readEncodedPublicKey,
  writeEncodedPrivateKey,
  writePublicKeyPem,
} from './key-encodings.ts';
import { writeDerNull } from './der.ts';
import { readKeyText } from './key-text.ts';
import {
  readRsaPublicKey,
  rsaEncryption,
  rsassaPss,
  writeSubjectPublicKeyInfo,
} from './rsa/public-encoding.ts';
import { encodeBase64 } from '../rfc9421/base64.ts';

/**
 * Rewrites a public key that says that it is for RSASSA-PSS alone (RFC 4055 section 1.2) as one for any use of RSA; undefined for
 * any other text, and for a key with restrictions on the hash function or the salt.
 */
export function unrestrictedPublicKey(text: string): string | undefined {
  const der = derOf(text);
  const encoded = der && readEncodedPublicKey(der);
  if (encoded?.objectIdentifier !== rsassaPss || encoded.parameters !== undefined) return undefined;
  const numbers = readRsaPublicKey(encoded.subjectPublicKey);
  return numbers && writePublicKeyPem(writeSubjectPublicKeyInfo(numbers));
}

/** Does the same with a private key, and returns bare Base64. */
export function unrestrictedPrivateKey(text: string): string | undefined {
  const der = derOf(text);
  const encoded = der && readEncodedPrivateKey(der);
  if (encoded?.objectIdentifier !== rsassaPss || encoded.parameters !== undefined) return undefined;
  return encodeBase64(writeEncodedPrivateKey(rsaEncryption, writeDerNull(), encoded.privateKey));
}

/** Returns the PKCS#8 of a private key that says that it is for RSASSA-PSS alone; undefined for any other text. */
export function pssPrivateKeyDer(text: string): Uint8Array | undefined {
  const der = derOf(text);
  return der && readEncodedPrivateKey(der)?.objectIdentifier === rsassaPss ? der : undefined;
}

function derOf(text: string): Uint8Array | undefined {
  const read = readKeyText(text);
  return read.kind === 'pem' || read.kind === 'base64' ? read.der : undefined;
}
