/** Returns the first primes, from which SHA-2 derives its constants. */
export function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
}

/** Returns the first 64 fractional bits of a square or cube root, as two words (FIPS 180-4 sections 4.2 and 5.3). */
export function fractionOfRoot(prime: number, degree: 2 | 3): readonly [high: number, low: number] {
  const fraction = rootOf(prime, degree) & 0xffff_ffff_ffff_ffffn;
  return [Number(fraction >> 32n) | 0, Number(fraction & 0xffff_ffffn) | 0];
}

/** Returns a root with 64 fractional bits, cut off. The first 40 bits are those of a floating-point number, or one beside them. */
function rootOf(prime: number, degree: 2 | 3): bigint {
  const value = BigInt(prime) << BigInt(64 * degree);
  const near = BigInt(Math.round(prime ** (1 / degree) * 2 ** 40)) << 24n;
  let [low, high] = [near - (1n << 25n), near + (1n << 25n)];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(degree) <= value) low = middle;
    else high = middle;
  }
  return low;
}
