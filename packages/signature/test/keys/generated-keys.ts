import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import {
  writeDer,
  writeDerBitString,
  writeDerInteger,
  writeDerNull,
  writeDerObjectIdentifier,
  writeDerSequence,
} from '../../src/keys/der.ts';

/** One fresh pair for a whole test file: making one takes a tenth of a second. */
export const pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } = generateKeyPairSync(
  'rsa',
  {
    modulusLength: 2048,
  },
);

export const spkiPem: string = pair.publicKey.export({ type: 'spki', format: 'pem' });
export const spkiDer: Buffer = pair.publicKey.export({ type: 'spki', format: 'der' });
export const pkcs8Pem: string = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });
export const pkcs8Der: Buffer = pair.privateKey.export({ type: 'pkcs8', format: 'der' });
export const pkcs1PrivatePem: string = pair.privateKey.export({ type: 'pkcs1', format: 'pem' });
export const pkcs1PrivateDer: Buffer = pair.privateKey.export({ type: 'pkcs1', format: 'der' });
export const passphrase = 'correct horse battery staple';

/** PKCS#8 encrypted by PBES2. */
export function encryptedPem(cipher: string = 'aes-256-cbc'): string {
  return pair.privateKey.export({ type: 'pkcs8', format: 'pem', cipher, passphrase });
}

/** PEM with the `Proc-Type` header of old. */
export const legacyEncryptedPem: string = pair.privateKey.export({
  type: 'pkcs1',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase,
});

/** The members of a JWK. */
export function jwkOf(key: KeyObject): Record<string, string> {
  return key.export({ format: 'jwk' }) as Record<string, string>;
}

/** A line as in `id_rsa.pub`. */
export function sshRsaLine(key: KeyObject, comment: string = 'user@host'): string {
  const { e = '', n = '' } = jwkOf(key);
  const integer = (text: string): Buffer =>
    sshString(Buffer.concat([Buffer.of(0), Buffer.from(text, 'base64url')]));
  const exponent = sshString(Buffer.from(e, 'base64url'));
  return `ssh-rsa ${Buffer.concat([sshString(Buffer.from('ssh-rsa')), exponent, integer(n)]).toString('base64')} ${comment}`;
}

/** What .NET's `ToXmlString` writes. */
export function rsaKeyValueXml(key: KeyObject): string {
  const names = { n: 'Modulus', e: 'Exponent', p: 'P', q: 'Q', dp: 'DP', dq: 'DQ', qi: 'InverseQ', d: 'D' };
  const jwk = jwkOf(key);
  const members = Object.entries(names).map(([member, name]) =>
    jwk[member] === undefined
      ? ''
      : `<${name}>${Buffer.from(jwk[member], 'base64url').toString('base64')}</${name}>`,
  );
  return `<RSAKeyValue>${members.join('')}</RSAKeyValue>`;
}

/** A certificate for the public half, signed by the private half. */
export function selfSignedCertificateDer(changes: { version?: number; extra?: Uint8Array } = {}): Uint8Array {
  const sha256WithRsa = writeDerSequence(writeDerObjectIdentifier('1.2.840.113549.1.1.11'), writeDerNull());
  const name = writeDerSequence(
    writeDer(
      0x31,
      writeDerSequence(writeDerObjectIdentifier('2.5.4.3'), writeDer(0x0c, Buffer.from('client'))),
    ),
  );
  const time = (text: string): Uint8Array => writeDer(0x17, Buffer.from(text));
  const toBeSigned = writeDerSequence(
    ...(changes.version === undefined
      ? []
      : [writeDer(0xa0, writeDerInteger(Uint8Array.of(changes.version)))]),
    writeDerInteger(randomBytes(8).fill(1, 0, 1)),
    sha256WithRsa,
    name,
    writeDerSequence(time('250101000000Z'), time('350101000000Z')),
    name,
    spkiDer,
    ...(changes.extra === undefined ? [] : [changes.extra]),
  );
  return writeDerSequence(
    toBeSigned,
    sha256WithRsa,
    writeDerBitString(sign('sha256', toBeSigned, pair.privateKey)),
  );
}

/** PEM with lines of 64 characters. */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function sshString(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
