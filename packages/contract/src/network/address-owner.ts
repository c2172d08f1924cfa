import type { Address } from './address.ts';

/**
 * Identifies an address's owner, for limits. An IPv6 address stands for its network of 64 bits, because its
 * owner has all 2^64 addresses (RFC 4291 section 2.5.1).
 */
export function addressOwner({ family, words }: Address): string {
  return family === 4 ? String(words[3]) : `${words[0]}:${words[1]}`;
}
