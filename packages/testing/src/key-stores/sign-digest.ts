import { constants, privateEncrypt } from 'node:crypto';

/** DigestInfo of SHA-256, up to the digest (RFC 8017 section 9.2). */
const digestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Signs a SHA-256 digest with RSASSA-PKCS1-v1_5, as a store does that is given digests. */
export function signDigest(privateKey: string, digest: Uint8Array): Buffer {
  if (digest.length !== 32) throw new RangeError(`${digest.length} bytes are no SHA-256 digest`);
  const key = { key: privateKey, padding: constants.RSA_PKCS1_PADDING };
  return privateEncrypt(key, Buffer.concat([digestInfo, digest]));
}
