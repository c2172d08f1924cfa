import assert from 'node:assert/strict';
import { checkPrimeSync, generatePrimeSync } from 'node:crypto';
import { test } from 'node:test';
import { findModulusWeakness } from '../../src/keys/rsa/weak-modulus.ts';

function weaknessOf(modulus: bigint): string | undefined {
  const steps = findModulusWeakness(modulus);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const prime = (bits: number): bigint => generatePrimeSync(bits, { bigint: true });

function nextPrime(from: bigint): bigint {
  let candidate = from | 1n;
  while (!checkPrimeSync(candidate)) candidate += 2n;
  return candidate;
}

const p = prime(1024);
const q = prime(1024);

test('an even modulus', () => assert.equal(weaknessOf(p * 2n), 'modulus_even'));

for (const factor of [3n, 5n, 167n, 743n, 751n]) {
  test(`a modulus with the factor ${factor}`, () => {
    assert.equal(weaknessOf(p * factor), 'modulus_weak_small_factor');
  });
}

test('primes that follow each other', () => {
  assert.equal(weaknessOf(p * nextPrime(p + 2n)), 'modulus_weak_close_primes');
});

test('primes that share their upper half', () => {
  const top = p | (1n << 1022n);
  const near = nextPrime(top + (1n << 511n));
  assert.equal(weaknessOf(nextPrime(top) * near), 'modulus_weak_close_primes');
});

test('a prime twice', () => assert.equal(weaknessOf(p * p), 'modulus_weak_close_primes'));

test('a prime, whatever power of two divides the number before it', () => {
  const primes = [p, q, prime(521), 3n * 2n ** 189n + 1n, 2n ** 521n - 1n];
  for (const remainder of [1n, 3n, 5n, 7n])
    primes.push(generatePrimeSync(512, { bigint: true, add: 8n, rem: remainder }));
  for (const one of primes) {
    assert.ok(checkPrimeSync(one));
    assert.equal(weaknessOf(one), 'modulus_weak_prime');
  }
});

test('primes made as the flawed library made them', () => {
  const smallPrimes = Array.from({ length: 166 }, (_, index) => BigInt(index + 2)).filter((one) =>
    checkPrimeSync(one),
  );
  assert.equal(smallPrimes.length, 39);
  const product = smallPrimes.reduce((all, one) => all * one);
  const flawedPrime = (): bigint => {
    const power = 65537n ** (1n + (prime(16) % 5000n)) % product;
    let candidate = prime(800) * product + power;
    while (!checkPrimeSync(candidate)) candidate += product;
    return candidate;
  };
  assert.equal(weaknessOf(flawedPrime() * flawedPrime()), 'modulus_weak_roca');
  assert.equal(weaknessOf(flawedPrime() * p), undefined);
});

test('good keys have none of the weaknesses', () => {
  assert.equal(weaknessOf(p * q), undefined);
  assert.equal(weaknessOf(p * prime(1032)), undefined);
  assert.equal(weaknessOf(prime(700) * prime(700) * prime(700)), undefined);
});
