import assert from 'node:assert/strict';
import { constants, type KeyObject, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { hmacKey } from '../../src/messages/hmac.ts';
import type { MessageAlgorithm, MessageKeyOptions, MessageVerifyingKey } from '../../src/on-web/messages.ts';
import {
  everyAlgorithm,
  pairs,
  pemOf,
  pssPair,
  signingKeyOf,
  unrestricted,
  verifyingKeyOf,
} from './fresh-keys.ts';
import { platforms } from './platforms.ts';
import { bytesOf, groupsOf, missing } from './wycheproof.ts';

const base = new TextEncoder().encode('"@method": POST\n"@signature-params": ("@method")');

/** How many of a file's cases end in which way: on both platforms alike. */
interface Tally {
  readonly verified: number;
  readonly rejected: number;
  /** Those that Wycheproof calls acceptable, all of which are rejected. */
  readonly acceptable: number;
  /** Valid and invalid signatures by keys that are refused, by the reason. */
  readonly refused: Readonly<Record<string, number>>;
}

const exponent =
  "The key's public exponent is not 65537. Create a new key: openssl genrsa -out private.pem 3072";
const generator =
  'No tool creates such a key: everyone knows its private number. Create a new one: openssl genrsa -out private.pem 3072';

const files: readonly {
  readonly name: string;
  readonly algorithm: MessageAlgorithm;
  readonly tally: Tally;
}[] = [
  {
    name: 'rsa_signature_2048_sha256_test',
    algorithm: 'rsa-v1_5-sha256',
    tally: { verified: 7, rejected: 249, acceptable: 1, refused: { [exponent]: 2 } },
  },
  {
    name: 'rsa_signature_3072_sha256_test',
    algorithm: 'rsa-v1_5-sha256',
    tally: { verified: 7, rejected: 250, acceptable: 1, refused: { [exponent]: 1 } },
  },
  {
    name: 'rsa_signature_4096_sha256_test',
    algorithm: 'rsa-v1_5-sha256',
    tally: { verified: 7, rejected: 250, acceptable: 1, refused: {} },
  },
  {
    name: 'rsa_pss_4096_sha512_mgf1_64_test',
    algorithm: 'rsa-pss-sha512',
    tally: { verified: 132, rejected: 47, acceptable: 0, refused: {} },
  },
  {
    name: 'ecdsa_secp256r1_sha256_p1363_test',
    algorithm: 'ecdsa-p256-sha256',
    tally: { verified: 173, rejected: 85, acceptable: 0, refused: { [generator]: 4 } },
  },
  {
    name: 'ecdsa_secp384r1_sha384_p1363_test',
    algorithm: 'ecdsa-p384-sha384',
    tally: { verified: 193, rejected: 83, acceptable: 0, refused: { [generator]: 4 } },
  },
  {
    name: 'ed25519_test',
    algorithm: 'ed25519',
    tally: { verified: 88, rejected: 63, acceptable: 0, refused: {} },
  },
];

/** Returns the key on each platform; the reason if both refuse it with the same one. */
async function keysOf(
  pem: string,
  options: MessageKeyOptions,
): Promise<readonly MessageVerifyingKey[] | string> {
  const answers = await Promise.all(
    platforms.map(async ({ verifyingKey }) => {
      try {
        return await verifyingKey(pem, options);
      } catch (error) {
        assert.ok(error instanceof TypeError);
        return error.message;
      }
    }),
  );
  const keys = answers.filter((answer) => typeof answer !== 'string');
  if (keys.length === platforms.length) return keys;
  assert.equal(new Set(answers).size, 1, 'both platforms refuse the key for the same reason');
  return answers[0] as string;
}

/** Returns the one answer of keys of different platforms. */
async function answerOf(
  keys: readonly MessageVerifyingKey[],
  signed: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  comment: string,
): Promise<boolean> {
  const answers = await Promise.all(keys.map(async ({ verifies }) => verifies(signed, signature)));
  assert.deepEqual(
    answers,
    answers.map(() => answers[0]),
    `both platforms answer alike: ${comment}`,
  );
  return answers[0]!;
}

describe("Wycheproof's signatures, verified on both platforms", () => {
  for (const { name, algorithm, tally } of files) {
    test(`${name} as ${algorithm}`, { skip: missing(name) }, async () => {
      const counted = { verified: 0, rejected: 0, acceptable: 0, refused: {} as Record<string, number> };
      for (const { publicKeyPem, tests } of groupsOf(name)) {
        const options = { algorithm, allowPublishedTestKeys: true };
        const keys = await keysOf(publicKeyPem!, options);
        if (typeof keys === 'string') {
          counted.refused[keys] = (counted.refused[keys] ?? 0) + tests.length;
          continue;
        }
        for (const { tcId, comment, msg, sig, result } of tests) {
          const verified = await answerOf(keys, bytesOf(msg), bytesOf(sig!), `${tcId} ${comment}`);
          assert.equal(verified, result === 'valid', `${tcId}, ${comment}: ${result}`);
          if (result === 'acceptable') counted.acceptable++;
          else counted[verified ? 'verified' : 'rejected']++;
        }
      }
      assert.deepEqual(counted, tally);
    });
  }

  test(
    'the only acceptable signature of each RSA file has a DigestInfo without NULL, and is rejected',
    {
      skip: missing('rsa_signature_2048_sha256_test'),
    },
    () => {
      for (const bits of [2048, 3072, 4096]) {
        const acceptable = groupsOf(`rsa_signature_${bits}_sha256_test`)
          .flatMap(({ tests }) => tests)
          .filter(({ result }) => result === 'acceptable');
        assert.deepEqual(
          acceptable.map(({ tcId, comment }) => [tcId, comment]),
          [[8, 'Missing NULL in the ASN encoding']],
        );
      }
    },
  );

  test(
    'no key of an RSA file is accepted without the switch for test keys',
    {
      skip: missing('rsa_signature_2048_sha256_test'),
    },
    async () => {
      for (const bits of [2048, 3072, 4096]) {
        for (const { publicKeyPem } of groupsOf(`rsa_signature_${bits}_sha256_test`)) {
          const reason = await keysOf(publicKeyPem!, { algorithm: 'rsa-v1_5-sha256' });
          assert.ok(typeof reason === 'string');
          assert.match(reason, /its private key is public|exponent is not 65537/);
        }
      }
    },
  );

  test('hmac_sha256_test as hmac-sha256', { skip: missing('hmac_sha256_test') }, async () => {
    const counted = { verified: 0, rejected: 0, truncated: 0, refused: {} as Record<string, number> };
    for (const { tagSize, tests } of groupsOf('hmac_sha256_test')) {
      for (const { tcId, comment, msg, key, tag, result } of tests) {
        const hmac = await hmacKey(bytesOf(key!)).catch((error: unknown) => error as TypeError);
        if (hmac instanceof TypeError) {
          counted.refused[hmac.message] = (counted.refused[hmac.message] ?? 0) + 1;
          continue;
        }
        const verified = await hmac.verifies(bytesOf(msg), bytesOf(tag!));
        // RFC 9421 section 3.3.3 compares the whole tag: a part of it is none.
        assert.equal(verified, result === 'valid' && tagSize === 256, `${tcId}, ${comment}: ${result}`);
        if (result === 'valid' && !verified) counted.truncated++;
        else counted[verified ? 'verified' : 'rejected']++;
      }
    }
    assert.deepEqual(counted, {
      verified: 30,
      rejected: 108,
      truncated: 30,
      refused: { 'secret must have at least 32 bytes.': 6 },
    });
  });
});

/** Examining an RSA key takes longer than verifying with it. */
const readyKeys = new Map<string, readonly MessageVerifyingKey[]>();

/** Returns whether each platform verifies a signature over `base`, for an algorithm; asserts that they agree. */
async function isVerified(
  algorithm: MessageAlgorithm,
  key: KeyObject | string,
  signature: Uint8Array,
): Promise<boolean> {
  const pem = typeof key === 'string' ? key : pemOf(key);
  const use = `${algorithm} ${pem}`;
  const keys = readyKeys.get(use) ?? (await keysOf(pem, { algorithm }));
  if (typeof keys === 'object') readyKeys.set(use, keys);
  assert.ok(typeof keys === 'object', 'the key is accepted');
  return answerOf(keys, base, Uint8Array.from(signature), algorithm);
}

function pssSignature(key: KeyObject, hash: string, saltLength: number): Uint8Array {
  return sign(hash, base, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
}

describe('RSASSA-PSS', () => {
  const { publicKey, privateKey } = pairs['rsa-pss-sha512'];

  for (const [algorithm, hash, saltBytes, others] of [
    ['rsa-pss-sha512', 'sha512', 64, [0, 20, 32, 63, 65, 190]],
    ['PS256', 'sha256', 32, [0, 20, 31, 33, 64, 222]],
  ] as const) {
    test(`a salt of another length than ${saltBytes} is rejected for ${algorithm}`, async () => {
      for (const saltLength of others) {
        const signature = pssSignature(privateKey, hash, saltLength);
        assert.equal(await isVerified(algorithm, publicKey, signature), false, `${saltLength} bytes`);
      }
      assert.equal(await isVerified(algorithm, publicKey, pssSignature(privateKey, hash, saltBytes)), true);
    });
  }

  test('the other hash function is rejected, even with a salt of the right length', async () => {
    assert.equal(
      await isVerified('rsa-pss-sha512', publicKey, pssSignature(privateKey, 'sha256', 64)),
      false,
    );
    assert.equal(
      await isVerified('rsa-pss-sha512', publicKey, pssSignature(privateKey, 'sha384', 64)),
      false,
    );
    assert.equal(await isVerified('PS256', publicKey, pssSignature(privateKey, 'sha512', 32)), false);
  });

  test('a mask by another hash function is rejected', async () => {
    const maskOf = (hash: string, mgf1HashAlgorithm: string): { pem: string; signature: Uint8Array } => {
      const pss = pssPair(hash, mgf1HashAlgorithm, 64);
      const pem = unrestricted(pss.publicKey);
      return { pem, signature: pssSignature(pss.privateKey, hash, 64) };
    };
    const other = maskOf('sha512', 'sha1');
    assert.equal(await isVerified('rsa-pss-sha512', other.pem, other.signature), false);
    const right = maskOf('sha512', 'sha512');
    assert.equal(await isVerified('rsa-pss-sha512', right.pem, right.signature), true);
  });
});

test('a signature by one RSA algorithm is none by another, with the same key', async () => {
  const ofRsa = ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256'] as const;
  for (const platform of platforms) {
    for (const signed of ofRsa) {
      const signature = await (await signingKeyOf(signed, platform)).sign(base);
      for (const verified of ofRsa)
        assert.equal(
          await isVerified(verified, pairs[signed].publicKey, signature),
          signed === verified,
          `${signed} as ${verified}, signed on ${platform.name}`,
        );
    }
  }
});

describe('ECDSA', () => {
  for (const [algorithm, hash, otherHash] of [
    ['ecdsa-p256-sha256', 'sha256', 'sha384'],
    ['ecdsa-p384-sha384', 'sha384', 'sha256'],
  ] as const) {
    const { publicKey, privateKey } = pairs[algorithm];
    const signed = (name: string, dsaEncoding: 'der' | 'ieee-p1363'): Uint8Array =>
      sign(name, base, { key: privateKey, dsaEncoding });

    test(`a signature in DER is rejected for ${algorithm}`, async () => {
      // Several, because DER's length varies.
      for (let count = 0; count < 8; count++)
        assert.equal(await isVerified(algorithm, publicKey, signed(hash, 'der')), false);
      assert.equal(await isVerified(algorithm, publicKey, signed(hash, 'ieee-p1363')), true);
    });

    test(`${otherHash} is rejected for ${algorithm}`, async () => {
      assert.equal(await isVerified(algorithm, publicKey, signed(otherHash, 'ieee-p1363')), false);
    });

    test(`numbers of another length are rejected for ${algorithm}`, async () => {
      const signature = signed(hash, 'ieee-p1363');
      const half = signature.length / 2;
      const [r, s] = [signature.subarray(0, half), signature.subarray(half)];
      const zero = Uint8Array.of(0);
      for (const other of [
        Buffer.concat([zero, r, zero, s]),
        Buffer.concat([r, s, zero]),
        Buffer.concat([r.subarray(1), s.subarray(1)]),
        r,
      ])
        assert.equal(await isVerified(algorithm, publicKey, other), false, `${other.length} bytes`);
    });
  }
});

const signatureBytes: Readonly<Record<MessageAlgorithm, number>> = {
  'rsa-v1_5-sha256': 256,
  'rsa-pss-sha512': 256,
  PS256: 256,
  'ecdsa-p256-sha256': 64,
  'ecdsa-p384-sha384': 96,
  ed25519: 64,
  'hmac-sha256': 32,
};

for (const algorithm of everyAlgorithm) {
  for (const signer of platforms) {
    for (const verifier of platforms) {
      test(`${algorithm}, signed on ${signer.name}, is verified on ${verifier.name}`, async () => {
        const key = await verifyingKeyOf(algorithm, verifier);
        const signing = await signingKeyOf(algorithm, signer);
        assert.deepEqual([key.algorithm, signing.algorithm], [algorithm, algorithm]);
        const signature = Uint8Array.from(await signing.sign(base));
        assert.equal(signature.length, signatureBytes[algorithm]);

        const otherBase = Uint8Array.from([...base, 0x0a]);
        assert.equal(await key.verifies(otherBase, signature), false, 'another base');
        for (const [what, other] of [
          ['nothing', new Uint8Array(0)],
          ['one byte less', signature.slice(0, -1)],
          ['one byte more', Uint8Array.from([...signature, 0])],
          ['zeros', new Uint8Array(signature.length)],
          ['another first byte', signature.with(0, signature[0]! ^ 1)],
          ['another last byte', signature.with(signature.length - 1, signature.at(-1)! ^ 1)],
        ] as const)
          assert.equal(await key.verifies(base, Uint8Array.from(other)), false, what);
        assert.equal(await key.verifies(base, signature), true);
      });
    }
  }
}
