import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readPublicKey } from '../../src/keys/public-key.ts';
import type { PublicKeyRefusalCode } from '../../src/keys/public-key-refusal.ts';
import { assertTellsNothing } from './messages.ts';

interface RegistrationCase {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly bits?: number;
  readonly expect: { readonly verdict: 'accept' | 'reject' | 'policy'; readonly class?: string };
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../../vectors/profile/key-registration.json', import.meta.url), 'utf8'),
) as { count: number; cases: readonly RegistrationCase[] };

/** The codes that answer to each class of the vectors. */
const codesOfClass: Readonly<Record<string, readonly PublicKeyRefusalCode[]>> = {
  private_key: ['private_key'],
  too_small: ['modulus_too_small'],
  too_large: ['modulus_too_large'],
  exponent: ['exponent_not_allowed'],
  weak: [
    'modulus_even',
    'modulus_weak_small_factor',
    'modulus_weak_close_primes',
    'modulus_weak_roca',
    'modulus_weak_prime',
  ],
  algorithm: ['not_rsa'],
  known_key: ['published_test_key'],
  malformed: ['key_malformed', 'key_missing', 'several_keys'],
};

/** Where the vectors leave it open, PROFILE 2.3 decides. */
const profileDecides: Readonly<Record<string, 'accept' | PublicKeyRefusalCode>> = {
  'key/indented': 'accept',
  'key/bom': 'accept',
  'key/pkcs1': 'accept',
  'key/certificate': 'accept',
  'key/2056': 'accept',
  'key/e65539': 'exponent_not_allowed',
  'key/prime-modulus': 'modulus_weak_prime',
  'key/8192': 'modulus_too_large',
  'key/ec-p256': 'accept',
};

test('the registration vectors are all there', () => {
  assert.equal(vectors.cases.length, vectors.count);
  const open = vectors.cases.filter((entry) => entry.expect.verdict === 'policy').map((entry) => entry.id);
  assert.deepEqual(open.toSorted(), Object.keys(profileDecides).toSorted());
});

for (const entry of vectors.cases) {
  test(`${entry.id}: ${entry.title}`, () => {
    const reading = readPublicKey(entry.text);
    const decision = profileDecides[entry.id] ?? entry.expect.verdict;
    if (decision === 'accept') {
      assert.ok(reading.ok);
      assert.equal(reading.key.bits, entry.bits ?? 2048);
      return;
    }
    assert.ok(!reading.ok);
    const codes: readonly string[] | undefined =
      decision === 'reject' ? codesOfClass[entry.expect.class ?? ''] : [decision];
    assert.ok(codes?.includes(reading.code), reading.code);
    assertTellsNothing(reading.message, entry.text);
  });
}

test('a key of 4096 bits is read quickly enough to be registered', () => {
  const text = vectors.cases.find((entry) => entry.id === 'key/spki-4096')?.text ?? '';
  const startedMs = performance.now();
  assert.ok(readPublicKey(text).ok);
  const tookMs = performance.now() - startedMs;
  // It takes 70 ms; a search that grows with the number would take minutes.
  assert.ok(tookMs < 20_000, `took ${tookMs} ms`);
});

test('a key of 8192 bits is read when the policy allows it, and 16384 bits never', () => {
  const textOf = (id: string): string => vectors.cases.find((entry) => entry.id === id)?.text ?? '';
  const reading = readPublicKey(textOf('key/8192'), { modulusBitsMax: 8192 });
  assert.ok(reading.ok);
  assert.deepEqual(
    Buffer.from(reading.key.spkiDer),
    createPublicKey(textOf('key/8192')).export({ type: 'spki', format: 'der' }),
  );
  for (const modulusBitsMax of [16384, Infinity, Number.NaN]) {
    const refusal = readPublicKey(textOf('key/16384'), { modulusBitsMax });
    assert.ok(!refusal.ok);
    assert.equal(refusal.code, 'modulus_too_large');
  }
});

test('published test keys are read when the policy allows them', () => {
  for (const id of ['key/known-rfc9421', 'key/known-rfc9421-pss']) {
    const text = vectors.cases.find((entry) => entry.id === id)?.text ?? '';
    assert.ok(readPublicKey(text, { allowPublishedTestKeys: true }).ok);
  }
});
