/** Returns the first primes, from which SHA-2 derives its constants. */
export function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
}

/** Returns the first 64 fractional bits of a square or cube root, as two words (FIPS 180-4 sections 4.2 and 5.3). */
export function fractionOfRoot(prime: number, degree: 2 | 3): readonly [high: number, low: number] {
  const root = integerRoot(BigInt(prime) << BigInt(64 * degree), BigInt(degree));
  const fraction = root & 0xffff_ffff_ffff_ffffn;
  return [Number(fraction >> 32n) | 0, Number(fraction & 0xffff_ffffn) | 0];
}

/** Returns the largest integer whose power does not exceed the value. */
function integerRoot(value: bigint, degree: bigint): bigint {
  let [low, high] = [0n, 1n << 80n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= value) low = middle;
    else high = middle;
  }
  return low;
}
