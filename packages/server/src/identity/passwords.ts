import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(argon2);

/** What OWASP's Password Storage Cheat Sheet asks for at least; memory in KiB. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const saltBytes = 16;

/** Hashing takes the threads that files and names are looked up on, and memory: so many at once, and so many who wait. */
const atOnceMax = 2;
const waitingMax = 50;

/** More people sign in at once than the machine can check. */
export class TooBusyError extends Error {}

/**
 * Hashes a password for keeping, with Argon2id (RFC 9106) in the form `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
 *
 * @throws TooBusyError
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await inTurn(() => derive(password, salt, cost));
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(hash)}`;
}

/**
 * Whether a password is the one of a hash. Without a hash it takes as long, and says no: nobody learns from the time who
 * has a password here.
 *
 * @throws TooBusyError
 */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const kept = hash === undefined ? undefined : read(hash);
  const { salt, tag, ...parameters } = kept ?? { ...cost, salt: randomBytes(saltBytes), tag: undefined };
  const derived = await inTurn(() => derive(password, salt, parameters));
  return tag !== undefined && tag.length === derived.length && timingSafeEqual(tag, derived);
}

interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly tagLength: number;
}

function derive(password: string, salt: Buffer, parameters: Parameters): Promise<Buffer> {
  // One form for what keyboards write differently (RFC 8265 section 4.2.2 has NFC; NIST SP 800-63B allows NFKC too).
  const message = Buffer.from(password.normalize('NFC'), 'utf8');
  return run('argon2id', { message, nonce: salt, ...parameters });
}

function read(hash: string): (Parameters & { readonly salt: Buffer; readonly tag: Buffer }) | undefined {
  const match =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash);
  if (match === null) return undefined;
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const tag = Buffer.from(match[5]!, 'base64');
  return { memory, passes, parallelism, tagLength: tag.length, salt: Buffer.from(match[4]!, 'base64'), tag };
}

function text(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= atOnceMax) {
    if (waiting.length >= waitingMax) throw new TooBusyError('Too many passwords are being checked.');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    // The turn is handed on, or given back.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
