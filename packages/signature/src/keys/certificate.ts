import { readDer, readDerSequence, derTag, type DerElement } from './der.ts';

/**
 * Returns an X.509 certificate's SubjectPublicKeyInfo (RFC 5280 section 4.1), encoded; undefined if the bytes are not a
 * certificate.
 *
 * Every field must be in its place, but only the key is used: dates, names, extensions and the signature are
 * not checked, because the person who registers a key vouches for it.
 */
export function readCertificatePublicKey(bytes: Uint8Array): Uint8Array | undefined {
  const certificate = readDerSequence(readDer(bytes));
  const [toBeSigned, signatureAlgorithm, signature] = certificate ?? [];
  const fields = readDerSequence(toBeSigned);
  if (certificate?.length !== 3 || fields === undefined || signature?.tag !== derTag.bitString)
    return undefined;

  const [serialNumber, algorithm, issuer, validity, subject, publicKey, ...extensions] =
    fields[0]?.tag === versionTag ? fields.slice(1) : fields;
  const sequences = [algorithm, issuer, validity, subject, publicKey];
  if (serialNumber?.tag !== derTag.integer) return undefined;
  if (!sequences.every((element) => element?.tag === derTag.sequence)) return undefined;
  if (!isSameEncoding(algorithm, signatureAlgorithm) || !areExtensionsInOrder(extensions)) return undefined;
  return publicKey?.encoded;
}

/** `[0] EXPLICIT Version`. */
const versionTag = 0xa0;

/** issuerUniqueID `[1]`, subjectUniqueID `[2]`, extensions `[3]`: each at most once, in this order. */
const extensionTags: readonly number[] = [0x81, 0x82, 0xa3];

function areExtensionsInOrder(extensions: readonly DerElement[]): boolean {
  const places = extensions.map((element) => extensionTags.indexOf(element.tag));
  return places.every((place, index) => place > (places[index - 1] ?? -1));
}

/** RFC 5280 section 4.1.1.2: the algorithm is named inside and outside, and both must be the same. */
function isSameEncoding(one: DerElement | undefined, other: DerElement | undefined): boolean {
  if (one === undefined || one.encoded.length !== other?.encoded.length) return false;
  return one.encoded.every((byte, index) => byte === other.encoded[index]);
}
