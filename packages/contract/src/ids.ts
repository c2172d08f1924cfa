/** Crockford's Base32 in lower case: no i, l, o, u, so that an id survives being read aloud. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;
const randomCharacters = 16;
const timeMaxMs = 2 ** 48 - 1;

/**
 * Makes a new id: the prefix, `_`, and 26 characters (48 bits of time in milliseconds, then 80 random bits).
 *
 * Ids made later sort later, to the millisecond. They cannot be guessed, but they are no secrets.
 *
 * @param nowMs milliseconds since 1970; throws a `RangeError` when it does not fit into 48 bits
 * @example newId('payment') // "payment_01k9xq2v6h4mz7c1r8t0w5n3bd"
 */
export function newId(prefix: string, nowMs: number = Date.now()): string {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs > timeMaxMs)
    throw new RangeError('The time of an id is out of range.');
  let random = '';
  // 256 is a multiple of 32, so five bits of a byte are unbiased.
  for (let count = 0; count < randomCharacters; count += 1) random += alphabet.charAt(randomByte() & 31);
  return `${prefix}_${timeText(nowMs)}${random}`;
}

/**
 * The first id, in the order of ids, that can be made at a time: ids made earlier are smaller, all others are not.
 *
 * @param timeMs milliseconds since 1970; a time that no id can have gives the nearest one
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

/** Random bytes are fetched many at a time: each fetch is a call into the operating system's generator. */
const pool = new Uint8Array(1024);
let used = pool.length;

function randomByte(): number {
  if (used === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  const byte = pool[used]!;
  // A byte is given out once and does not stay behind.
  pool[used] = 0;
  used += 1;
  return byte;
}

/** Whether a text has the form of an id with this prefix; whether it exists is another question. */
export function isId(prefix: string, text: string): boolean {
  return (
    text.length === prefix.length + 1 + timeCharacters + randomCharacters &&
    text.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1))
  );
}

/**
 * Whether a text can be a client ID: visible ASCII that needs no escapes in a signature (RFC 9651 section 3.3.3), and no path
 * segment with a meaning of its own.
 */
export function isClientId(text: string): boolean {
  return /^[!#-[\]-~]{1,256}$/.test(text) && text !== '.' && text !== '..';
}
