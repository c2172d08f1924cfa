/** Crockford's Base32 in lower case. It has no i, l, o or u, so an id survives being read aloud. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;
const randomCharacters = 16;
const timeMaxMs = 2 ** 48 - 1;

/**
 * Creates a new id: the prefix, `_`, and 26 characters (48 bits of time in milliseconds, then 80 random
 * bits).
 *
 * Later ids sort later, to the millisecond. Ids can't be guessed, but they aren't secrets.
 *
 * @param nowMs milliseconds since 1970; throws a `RangeError` if it does not fit into 48 bits
 * @example newId('payment') // "payment_01k9xq2v6h4mz7c1r8t0w5n3bd"
 */
export function newId(prefix: string, nowMs: number = Date.now()): string {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs > timeMaxMs)
    throw new RangeError('The time of an id is out of range.');
  let random = '';
  // 256 is a multiple of 32, so a byte's low five bits are unbiased.
  for (let count = 0; count < randomCharacters; count += 1) random += alphabet.charAt(randomByte() & 31);
  return `${prefix}_${timeText(nowMs)}${random}`;
}

/**
 * Returns the smallest id that can be created at a time: earlier ids sort before it, all others don't.
 *
 * @param timeMs milliseconds since 1970; out of range, it is clamped to the nearest time an id can have
 */
export function firstIdAt(prefix: string, timeMs: number): string {
  const time = Math.min(Math.max(Math.ceil(timeMs), 0), timeMaxMs);
  return `${prefix}_${timeText(time)}${alphabet.charAt(0).repeat(randomCharacters)}`;
}

function timeText(timeMs: number): string {
  let time = '';
  for (let rest = timeMs, count = 0; count < timeCharacters; count += 1) {
    time = alphabet.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  return time;
}

/** Random bytes are fetched in bulk, because each fetch is a call into the operating system's generator. */
const pool = new Uint8Array(1024);
let used = pool.length;

function randomByte(): number {
  if (used === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  const byte = pool[used]!;
  // Each byte is used once and then wiped.
  pool[used] = 0;
  used += 1;
  return byte;
}

/** Checks that a text has the form of an id with this prefix, not that the id exists. */
export function isId(prefix: string, text: string): boolean {
  return (
    text.length === prefix.length + 1 + timeCharacters + randomCharacters &&
    text.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1))
  );
}

/** The characters and the length of a client ID. */
export const clientIdPattern: RegExp = /^[!#-[\]-~]{1,256}$/;

/**
 * Checks that a text can be a client ID: visible ASCII that needs no escaping in a signature (RFC 9651
 * section 3.3.3), and not a path segment with a special meaning.
 */
export function isClientId(text: string): boolean {
  return clientIdPattern.test(text) && text !== '.' && text !== '..';
}

export const profileNamePattern: RegExp = /^[a-z0-9][a-z0-9.-]{0,63}$/;

/** Returns true if a text can be the name of a signature profile, whether or not there is one. */
export function isProfileName(text: string): boolean {
  return profileNamePattern.test(text);
}
