/** A flaw that makes a modulus worthless even at the right size. */
export type ModulusWeakness =
  | 'modulus_even'
  | 'modulus_weak_small_factor'
  | 'modulus_weak_roca'
  | 'modulus_weak_close_primes'
  | 'modulus_weak_prime';

/**
 * Finds known weaknesses of an RSA modulus, the cheap ones first.
 *
 * They are visible in the public half alone, and come from broken generators or from a person who wants a key
 * that others can sign with. Finding none does not prove a modulus good: two large primes that were generated
 * badly look fine.
 *
 * Takes about 15 ms for 2048 bits, 70 ms for 4096 and half a second for 8192, nearly all of it for the last check. So
 * it runs in steps of about a millisecond, between which other work can run.
 */
export function* findModulusWeakness(modulus: bigint): Generator<void, ModulusWeakness | undefined> {
  if (modulus % 2n === 0n) return 'modulus_even';
  const remainders = oddPrimes.map((prime) => Number(modulus % BigInt(prime)));
  if (remainders.includes(0)) return 'modulus_weak_small_factor';
  if (hasRocaFingerprint(remainders)) return 'modulus_weak_roca';
  if (hasClosePrimes(modulus)) return 'modulus_weak_close_primes';
  yield;
  return (yield* isProbablePrime(modulus)) ? 'modulus_weak_prime' : undefined;
}

/** The odd primes below 752: CA/Browser Forum Baseline Requirements section 6.1.6. */
const oddPrimes: readonly number[] = primesBelow(752).slice(1);

/** The number of rounds of Fermat's method; public certificate authorities use between 100 and 110. */
const fermatRounds = 110;

/**
 * ROCA (CVE-2017-15361; Nemec, Sys, Svenda, Klinec, Matyas: "The Return of Coppersmith's Attack", section 2.3).
 *
 * Infineon's RSALib generated primes of the form k·M + (65537^a mod M), where M is the product of the first primes: at
 * least the first 39, up to 167, for any key size. So modulo each of these small primes, both primes, and therefore the
 * modulus, are powers of 65537. For most small primes every remainder is such a power, but for 17 of them only few are
 * (modulo 11 only 1 and 10). One modulus in 2^27 passes for all of them by chance.
 */
function hasRocaFingerprint(remainders: readonly number[]): boolean {
  return rocaRemainders.every((powers, index) => powers.has(remainders[index] ?? 0));
}

/** The remainders of powers of 65537, for each odd prime up to 167. */
const rocaRemainders: readonly ReadonlySet<number>[] = oddPrimes
  .filter((prime) => prime <= 167)
  .map((prime) => {
    const powers = new Set<number>();
    for (let power = 1; !powers.has(power); power = (power * 65537) % prime) powers.add(power);
    return powers;
  });

/**
 * Fermat's method: n = a² − b² = (a − b)(a + b). If the primes are close to each other, a is just above the root of n,
 * so a few steps upwards find an a for which a² − n is a square.
 */
function hasClosePrimes(modulus: bigint): boolean {
  let root = squareRoot(modulus);
  if (root * root < modulus) root += 1n;
  let difference = root * root - modulus;
  for (let round = 0; round < fermatRounds; round++) {
    if (isSquare(difference)) return true;
    difference += 2n * root + 1n;
    root += 1n;
  }
  return false;
}

function isSquare(value: bigint): boolean {
  // Squares leave few remainders; these two divisors rule out 19 of 20 other numbers without a root.
  if (!squaresModulo64.has(Number(value & 63n)) || !squaresModulo3465.has(Number(value % 3465n)))
    return false;
  const root = squareRoot(value);
  return root * root === value;
}

const squaresModulo64: ReadonlySet<number> = squaresModulo(64);
const squaresModulo3465: ReadonlySet<number> = squaresModulo(3465);

function squaresModulo(divisor: number): ReadonlySet<number> {
  return new Set(Array.from({ length: divisor }, (_, value) => (value * value) % divisor));
}

/** Returns the square root's integer part, by Newton's method from above. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((bitLength(value) + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/**
 * The strong probable prime test with base 2 (FIPS 186-5 appendix B.3.1, with a fixed base).
 *
 * If the modulus is prime, anyone can compute the private exponent. One base is enough: a prime passes for
 * every base, so none is missed, and the chance that a good key passes, and is rejected by mistake, is
 * negligible: a product of large random primes is almost never a strong pseudoprime. Base 2 is the cheapest:
 * it multiplies by a shift.
 */
function* isProbablePrime(modulus: bigint): Generator<void, boolean> {
  const squaringsPerStep = Math.ceil((4096 / bitLength(modulus)) ** 2 * 32);
  const minusOne = modulus - 1n;
  let exponent = minusOne;
  let halvings = 0;
  for (; exponent % 2n === 0n; exponent >>= 1n) halvings++;
  let power = 1n;
  let squarings = 0;
  for (const bit of exponent.toString(2)) {
    if (++squarings % squaringsPerStep === 0) yield;
    power = (power * power) % modulus;
    if (bit === '1') power = power << 1n >= modulus ? (power << 1n) - modulus : power << 1n;
  }
  if (power === 1n) return true;
  for (let round = 0; round < halvings; round++) {
    if (++squarings % squaringsPerStep === 0) yield;
    if (power === minusOne) return true;
    power = (power * power) % modulus;
  }
  return false;
}

function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}

function primesBelow(limit: number): readonly number[] {
  const primes: number[] = [];
  for (let candidate = 2; candidate < limit; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}
