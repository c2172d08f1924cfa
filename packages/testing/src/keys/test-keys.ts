import { createPublicKey, randomBytes } from 'node:crypto';
import { type KeyPair, makeKeyPair } from './key-pair.ts';

const made: KeyPair[] = [];

/** The test key with a number: made when it is first asked for, and then the same for all tests of the process. */
export function testKey(number: number): KeyPair {
  return (made[number] ??= makeKeyPair());
}

/**
 * A public key that nothing else has, as PEM, and of which nobody has the private half: the factors of its modulus are
 * random numbers without small factors, not primes. It can be registered like any other, and is made a hundred times as
 * fast.
 */
export function lonePublicKey(bits: number = 2048): string {
  const modulus = factorWithoutSmallFactors(bits / 2) * factorWithoutSmallFactors(bits / 2);
  const n = Buffer.from(modulus.toString(16), 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
  return key.export({ type: 'spki', format: 'pem' });
}

/** An odd number that no small prime divides; the two highest bits are set, so that a product has twice as many bits. */
function factorWithoutSmallFactors(bits: number): bigint {
  const bytes = randomBytes(bits / 8);
  bytes[0]! |= 0xc0;
  const odd = BigInt(`0x${bytes.toString('hex')}`) | 1n;
  for (let number = odd; ; number += 2n)
    if (smallPrimes.every((prime) => number % prime !== 0n)) return number;
}

const smallPrimes: readonly bigint[] = Array.from({ length: 2000 }, (_, index) => 2 * index + 3)
  .filter((odd) => {
    for (let factor = 3; factor * factor <= odd; factor += 2) if (odd % factor === 0) return false;
    return true;
  })
  .map(BigInt);
