import { algorithms } from '../../rfc9421/algorithms.ts';
import { decodeBase64 } from '../../rfc9421/base64.ts';
import { createKeyCommand } from '../create-key-command.ts';
import { derTag, readDer } from '../der.ts';
import { writeEncodedPrivateKey, writeEncodedPublicKey } from '../key-encodings.ts';
import type { KeyFacts, KeyReader, UnexaminedKey } from '../key-kind.ts';
import { refusePrivateKey } from '../private-key-refusal.ts';
import { type PublicKeyPolicy, type PublicKeyRefusal, refuseKey, refuseKind } from '../public-key-refusal.ts';
import { hexadecimal, unsignedFrom } from '../unsigned.ts';
import { hasSmallOrder, isPoint } from './curve-point.ts';

/** What is known about an Ed25519 key. */
export interface Ed25519KeyFacts extends KeyFacts {
  readonly kind: 'ed25519';
}

/** RFC 8410 section 3. */
const objectIdentifier = '1.3.101.112';
const keyBytes = 32;

const { webCrypto } = algorithms.ed25519;

/** Ed25519 keys (RFC 8032 section 5.1), for `ed25519`. */
export const ed25519Keys: KeyReader<Ed25519KeyFacts> = {
  kind: 'ed25519',
  algorithm: 'ed25519',
  signatureBytesMax: () => 64,
  objectIdentifiers: [objectIdentifier],
  readPublicKey: ({ parameters, subjectPublicKey }) =>
    parameters === undefined && subjectPublicKey.length === keyBytes
      ? unexamined(subjectPublicKey)
      : refuseKey('key_malformed'),
  readPrivateKey({ parameters, privateKey }) {
    // RFC 8410 section 7: the key is wrapped in an OCTET STRING once more.
    const seed = readDer(privateKey);
    return parameters === undefined && seed?.tag === derTag.octetString && seed.content.length === keyBytes
      ? { pkcs8Der: writeEncodedPrivateKey(objectIdentifier, undefined, privateKey), bits: 8 * keyBytes }
      : refusePrivateKey('key_malformed');
  },
  jwk: {
    types: ['OKP'],
    // RFC 8037 section 2.
    read({ crv, alg, x }) {
      if (crv !== 'Ed25519') return refuseKind(messages.curve);
      if (alg !== undefined && alg !== 'EdDSA' && alg !== 'Ed25519') return refuseKind(messages.algorithm);
      const bytes =
        typeof x === 'string' && /^[\w-]{43}$/.test(x)
          ? decodeBase64(`${x.replaceAll('-', '+').replaceAll('_', '/')}=`)
          : undefined;
      return bytes === undefined ? refuseKey('key_malformed', messages.x) : unexamined(bytes);
    },
  },
  cryptoKey: {
    description: `${webCrypto.name} key`,
    fits: ({ name }) => name === webCrypto.name,
  },
  ssh: {
    type: 'ssh-ed25519',
    // RFC 8709 section 4.
    read: ([bytes, ...others]) =>
      bytes?.length === keyBytes && others.length === 0 ? unexamined(bytes) : undefined,
  },
};

const messages = {
  curve: `The JWK is a key for a curve other than Ed25519. Create one: ${createKeyCommand}`,
  algorithm: 'The alg of the JWK is not Ed25519. Send a key for Ed25519, or leave out alg.',
  x: 'The x of the JWK is malformed. It must be Base64url of 32 bytes, without padding.',
  weak: `Anyone can sign for this key, because it is a point of small order. Create a new one: ${createKeyCommand}`,
} as const;

function unexamined(bytes: Uint8Array): UnexaminedKey<Ed25519KeyFacts> {
  return {
    examine: (policy) => refusalOf(bytes, policy),
    facts: () => ({
      kind: 'ed25519',
      algorithm: 'ed25519',
      bits: 8 * keyBytes,
      spkiDer: writeEncodedPublicKey(objectIdentifier, undefined, bytes),
    }),
  };
}

// One step: the arithmetic takes less than a millisecond.
// oxlint-disable-next-line require-yield
function* refusalOf(
  bytes: Uint8Array,
  { allowPublishedTestKeys }: PublicKeyPolicy,
): Generator<void, PublicKeyRefusal | undefined> {
  const number = unsignedFrom(bytes.toReversed());
  if (hasSmallOrder(number)) return refuseKey('key_malformed', messages.weak);
  if (!isPoint(number)) return refuseKey('key_malformed');
  return allowPublishedTestKeys !== true && publishedTestKeys.has(hexadecimal(bytes))
    ? refuseKey('published_test_key')
    : undefined;
}

/** Keys whose private half anyone can look up. */
const publishedTestKeys: ReadonlySet<string> = new Set([
  // RFC 9421 appendix B.1.4.
  '26b40b8f93fff3d897112f7ebc582b232dbd72517d082fe83cfb30ddce43d1bb',
  // RFC 8032 section 7.1, tests 1 to 3; the first is also in RFC 8037 appendix A.
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
]);
