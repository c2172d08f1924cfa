import { algorithms } from '../../rfc9421/algorithms.ts';
import { readBase64Url } from '../base64-url.ts';
import { createKeyCommand } from '../create-key-command.ts';
import { derTag, readDer } from '../der.ts';
import { writeEncodedPrivateKey, writeEncodedPublicKey } from '../key-encodings.ts';
import type { KeyFacts, KeyReader, UnexaminedKey } from '../key-kind.ts';
import { refusePrivateKey } from '../private-key-refusal.ts';
import { type PublicKeyPolicy, type PublicKeyRefusal, refuseKey, refuseKind } from '../public-key-refusal.ts';
import { hexadecimal, unsignedFrom } from '../unsigned.ts';
import { decodePoint, hasOrderOfGenerator } from './edwards-point.ts';

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
  isFor: (identifier) => identifier.objectIdentifier === objectIdentifier,
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
    curve: 'Ed25519',
    members: ['crv', 'x'],
    privateLengthMin: 40,
    // RFC 8037 section 2.
    read({ alg, x }) {
      if (alg !== undefined && !algorithmNames.has(alg)) return refuseKind(messages.algorithm);
      const bytes = readBase64Url(x);
      return bytes?.length !== keyBytes ? refuseKey('key_malformed', messages.x) : unexamined(bytes);
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

/** RFC 8037, the draft of its successor, and RFC 9421. */
const algorithmNames: ReadonlySet<unknown> = new Set(['EdDSA', 'Ed25519', 'ed25519']);

const messages = {
  algorithm: 'The alg of the JWK is not Ed25519. Send a key for Ed25519, or leave out alg.',
  x: 'The x of the JWK is malformed. It must be Base64url of 32 bytes, without padding.',
  weak: `No tool creates such a key: its point is not of the order of the generator. Create a new one: ${createKeyCommand}`,
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

// One step: the arithmetic takes a millisecond or two.
// oxlint-disable-next-line require-yield
function* refusalOf(
  bytes: Uint8Array,
  { allowPublishedTestKeys }: PublicKeyPolicy,
): Generator<void, PublicKeyRefusal | undefined> {
  const point = decodePoint(unsignedFrom(bytes.toReversed()));
  if (point === undefined) return refuseKey('key_malformed');
  if (!hasOrderOfGenerator(point)) return refuseKey('key_malformed', messages.weak);
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
  // RFC 8032 section 7.1, test 1024 and test SHA(abc), and section 7.2.
  '278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e',
  'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
  'dfc9425e4f968f7f0c29f0259cf5f9aed6851c2bb4ad8bfb860cfee0ab248292',
  '0f1d1274943b91415889152e893d80e93275a1fc0b65fd71b4b0dda10ad7d772',
  // RFC 8410 section 10.1.
  '19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1',
]);
