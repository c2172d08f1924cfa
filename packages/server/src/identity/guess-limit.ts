import type { Address } from '@countersign/contract';
import type { Database } from '../storage/transaction.ts';
import { inTransaction } from '../storage/transaction.ts';
import { tokenHash } from './tokens.ts';

/**
 * Who guesses, or is guessed: an address, or the person of an email address, whether there is one or not. What is guessed in
 * a session of the person (`proof`) is counted apart: strangers must not keep somebody who is signed in from giving a fresh
 * proof, who may have a key to revoke. So is what is guessed in a `browser` in which the person has signed in before:
 * strangers must not keep it from signing in there.
 */
export type GuessSubject =
  | { readonly kind: 'address'; readonly address: Address | undefined }
  | { readonly kind: 'person'; readonly email: string }
  | { readonly kind: 'proof'; readonly email: string }
  | { readonly kind: 'browser'; readonly email: string; readonly browser: string }
  | { readonly kind: 'mail-to'; readonly email: string }
  | { readonly kind: 'invited'; readonly email: string; readonly accountId: string }
  | { readonly kind: 'mail-from'; readonly address: Address | undefined };

/**
 * How often somebody may be wrong. So many times are free; then each further one has to wait, twice as long as the one
 * before, up to an hour. A day without a wrong attempt forgets all.
 *
 * A person gets a few, because passwords and codes of six digits are guessed; an address more, because offices share one.
 */
const freeFailures: Readonly<Record<GuessSubject['kind'], number>> = {
  person: 5,
  proof: 5,
  browser: 5,
  address: 50,
  // Mails that are asked for: to one person, and from one address.
  'mail-to': 3,
  // Invitations of one account to one person, however often they are withdrawn.
  invited: 5,
  'mail-from': 20,
};
const firstWaitMs = 30_000;
const longestWaitMs = 3_600_000;
const forgottenAfterMs = 86_400_000;

/** An attempt that is counted as wrong, until it is known to be right. */
export interface CountedAttempt {
  /** Takes the attempt back: it was right. Those before it stay, because there may be more to prove. */
  takeBack(): Promise<void>;
}

/** Seconds to wait until an attempt is looked at. */
export interface TooManyAttempts {
  readonly retryAfterSeconds: number;
}

/**
 * Counts an attempt before it is looked at, so that many at once are not more than one after the other. The counts are in
 * the database, where all nodes see them.
 */
export async function countAttempt(
  database: Database,
  subjects: readonly GuessSubject[],
  nowMs: number,
): Promise<CountedAttempt | TooManyAttempts> {
  const rows = subjects
    .map((subject) => ({ name: nameOf(subject), free: freeFailures[subject.kind] }))
    // In one order, so that two who count the same cannot wait for each other.
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  try {
    const counted = await inTransaction(database, async (transaction) => {
      await transaction.deleteFrom('sign_in_failures').where('forgotten_at_ms', '<=', nowMs).execute();
      const all: Counted[] = [];
      for (const row of rows) all.push(await add(transaction, row, nowMs));
      return all;
    });
    return { takeBack: () => takeBack(database, counted) };
  } catch (error) {
    // With the transaction, what was counted for the others is taken back.
    if (!(error instanceof LockedError)) throw error;
    return { retryAfterSeconds: Math.ceil((await longestWaitMsOf(database, rows, nowMs)) / 1000) };
  }
}

/**
 * Forgets what was guessed wrong of a person: somebody has proved to be it, with everything that it needs.
 *
 * @param browser the known browser in which that was: what strangers have guessed elsewhere stays counted
 */
export async function forgetFailures(database: Database, email: string, browser?: string): Promise<void> {
  const counted: GuessSubject =
    browser === undefined ? { kind: 'person', email } : { kind: 'browser', email, browser };
  const names = [counted, { kind: 'proof', email } as const].map(nameOf);
  await database.deleteFrom('sign_in_failures').where('subject', 'in', names).execute();
}

interface Limited {
  readonly name: string;
  readonly free: number;
}

interface Counted {
  readonly name: string;
  /** Until when this attempt has others wait. */
  readonly lockedUntilMs: number;
}

class LockedError extends Error {}

async function longestWaitMsOf(database: Database, rows: readonly Limited[], nowMs: number): Promise<number> {
  const found = await database
    .selectFrom('sign_in_failures')
    .select('locked_until_ms')
    .where(
      'subject',
      'in',
      rows.map(({ name }) => name),
    )
    .where('forgotten_at_ms', '>', nowMs)
    .execute();
  return Math.max(1000, ...found.map((row) => row.locked_until_ms - nowMs));
}

/** One statement looks at the row and counts: who comes at the same time waits for it, and sees what it has left. */
async function add(transaction: Database, { name, free }: Limited, nowMs: number): Promise<Counted> {
  const row = await transaction
    .insertInto('sign_in_failures')
    .values({ subject: name, failures: 1, locked_until_ms: 0, forgotten_at_ms: nowMs + forgottenAfterMs })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet((kept) => ({
          failures: kept('sign_in_failures.failures', '+', 1),
          forgotten_at_ms: nowMs + forgottenAfterMs,
        }))
        .where('sign_in_failures.locked_until_ms', '<=', nowMs),
    )
    .returning('failures')
    .executeTakeFirst();
  if (row === undefined) throw new LockedError('It is not time yet.');
  const { failures } = row;
  if (failures < free) return { name, lockedUntilMs: 0 };
  const lockedUntilMs = nowMs + Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - free, 20));
  await transaction
    .updateTable('sign_in_failures')
    .set({ locked_until_ms: lockedUntilMs })
    .where('subject', '=', name)
    .execute();
  return { name, lockedUntilMs };
}

async function takeBack(database: Database, counted: readonly Counted[]): Promise<void> {
  for (const { name, lockedUntilMs } of counted) {
    await database
      .updateTable('sign_in_failures')
      .set((row) => ({ failures: row('failures', '-', 1) }))
      .where('subject', '=', name)
      .where('failures', '>', 0)
      .execute();
    // What another wrong attempt has set meanwhile stays.
    await database
      .updateTable('sign_in_failures')
      .set({ locked_until_ms: 0 })
      .where('subject', '=', name)
      .where('locked_until_ms', '=', lockedUntilMs)
      .execute();
  }
}

/** Addresses and emails are personal data of people who may have nothing to do with us: only hashes are kept. */
function nameOf(subject: GuessSubject): string {
  const text = 'email' in subject ? subject.email : networkOf(subject.address);
  // No accountId and no name of a browser has a space in it.
  const before =
    'accountId' in subject ? `${subject.accountId} ` : 'browser' in subject ? `${subject.browser} ` : '';
  return `${subject.kind}:${tokenHash(before + text)}`;
}

/** Who has an IPv6 address has the 2^64 addresses of its network (RFC 4291 section 2.5.1). */
export function networkOf(address: Address | undefined): string {
  if (address === undefined) return 'unknown';
  const { family, words } = address;
  return family === 4 ? String(words[3]) : `${words[0]}:${words[1]}`;
}
