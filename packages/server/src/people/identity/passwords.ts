import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(argon2);

/** The cost of hashing one password. Memory is in KiB. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The minimum that OWASP's Password Storage Cheat Sheet recommends for Argon2id. */
export const productionPasswordCost: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };

const saltBytes = 16;
const tagBytes = 32;

/** Hashing uses memory, and the threads that file access and DNS need: run this many at once and queue this many. */
const atOnceMax = 2;
const waitingMax = 50;

/** More people are signing in at once than the machine can handle. */
export class TooBusyError extends Error {}

/** Hashes and checks passwords with Argon2id (RFC 9106), a few at a time. */
export class PasswordHasher {
  readonly #cost: PasswordCost;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(cost: PasswordCost = productionPasswordCost) {
    this.#cost = cost;
  }

  /**
   * Hashes a password for storage as `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
   *
   * @throws TooBusyError
   */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    const hash = await this.#inTurn(() => derive(password, salt, tagBytes, this.#cost));
    const { memory, passes, parallelism } = this.#cost;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`;
  }

  /**
   * Returns true if a password matches a hash. Without a hash, returns false after the same time, so that
   * timing doesn't reveal which people have a password.
   *
   * @throws TooBusyError
   */
  async verify(password: string, hash: string | undefined): Promise<boolean> {
    const stored = hash === undefined ? undefined : parse(hash);
    const salt = stored?.salt ?? randomBytes(saltBytes);
    const tag = stored?.tag;
    const derived = await this.#inTurn(() =>
      derive(password, salt, tag?.length ?? tagBytes, stored?.cost ?? this.#cost),
    );
    return tag !== undefined && timingSafeEqual(tag, derived);
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= atOnceMax) {
      if (this.#waiting.length >= waitingMax) throw new TooBusyError('Too many passwords are being checked.');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      // Pass the turn to the next in the queue, or release it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

function derive(password: string, nonce: Buffer, tagLength: number, cost: PasswordCost): Promise<Buffer> {
  // Keyboards encode some characters differently (RFC 8265 section 4.2.2 uses NFC; NIST SP 800-63B allows NFKC
  // too).
  const message = Buffer.from(password.normalize('NFC'), 'utf8');
  return run('argon2id', { message, nonce, tagLength, ...cost });
}

interface StoredHash {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

function parse(hash: string): StoredHash | undefined {
  const match =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash);
  if (match === null) return undefined;
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const [salt, tag] = match.slice(4).map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer];
  return { cost: { memory, passes, parallelism }, salt, tag };
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
