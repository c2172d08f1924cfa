import type { Address } from '@countersign/contract';
import { isPostgres } from '../../storage/dialect.ts';
import type { Database } from '../../storage/transaction.ts';
import { inTransaction } from '../../storage/transaction.ts';
import { tokenHash } from './tokens.ts';

/**
 * The subject that failures are counted for: a source address, or an email address whether or not it belongs to
 * a person.
 *
 * Guesses within the person's own session (`proof`) are counted separately: strangers must not prevent a
 * signed-in person, who may have a key to revoke, from giving a fresh proof. So are guesses in a `browser` in
 * which the person has signed in before, so that strangers cannot lock the person out there. A `second-factor`
 * in any other browser comes after the first, so strangers who only guess passwords must not lock it. Passkeys
 * (`passkey-from`), which can't be guessed, are counted per address, but separately from the guesses from
 * there: a person who shares an address with a guesser can still sign in with one.
 */
export type GuessSubject =
  | { readonly kind: 'address'; readonly address: Address | undefined }
  | { readonly kind: 'passkey-from'; readonly address: Address | undefined }
  | { readonly kind: 'person'; readonly email: string }
  | { readonly kind: 'second-factor'; readonly email: string }
  | { readonly kind: 'proof'; readonly email: string }
  | { readonly kind: 'browser'; readonly email: string; readonly browser: string }
  | { readonly kind: 'mail-to'; readonly email: string }
  | { readonly kind: 'invited'; readonly email: string; readonly accountId: string }
  | { readonly kind: 'mail-from'; readonly address: Address | undefined };

/**
 * The number of free failures. After that, each one doubles the wait, up to an hour. A day without failures
 * resets the count.
 *
 * A person gets few, because attackers guess passwords and six-digit codes; an address gets more, because
 * offices share one.
 */
const freeFailures: Readonly<Record<GuessSubject['kind'], number>> = {
  person: 5,
  'second-factor': 5,
  proof: 5,
  browser: 5,
  address: 50,
  'passkey-from': 50,
  // Emails requested: to one person, and from one address.
  'mail-to': 3,
  // Invitations from one account to one person, including withdrawn ones.
  invited: 5,
  'mail-from': 20,
};
const firstWaitMs = 30_000;
const longestWaitMs = 3_600_000;
const forgottenAfterMs = 86_400_000;

/** Subjects that are counted separately from the source address. */
const countedSeparately: ReadonlySet<GuessSubject['kind']> = new Set([
  'second-factor',
  'proof',
  'browser',
  'passkey-from',
]);

/**
 * Returns everything that an attempt counts for: the source address too, unless the subject is counted
 * separately.
 */
export function countedSubjects(
  address: Address | undefined,
  subject: GuessSubject | undefined,
): readonly GuessSubject[] {
  if (subject === undefined) return [{ kind: 'address', address }];
  return countedSeparately.has(subject.kind) ? [subject] : [{ kind: 'address', address }, subject];
}

/** An attempt that counts as a failure until it succeeds. */
export interface CountedAttempt {
  /** Subtracts the attempt after success. Earlier failures stay, because the person may have more to prove. */
  takeBack(): Promise<void>;
}

/** The attempt came too soon to be considered. */
export interface TooManyAttempts {
  readonly retryAfterSeconds: number;
}

/**
 * Counts an attempt before it is checked, so that simultaneous attempts gain nothing over successive ones. The
 * counts are in the database, which all nodes share.
 */
export async function countAttempt(
  database: Database,
  subjects: readonly GuessSubject[],
  nowMs: number,
): Promise<CountedAttempt | TooManyAttempts> {
  const rows = subjects
    .map((subject) => ({ name: nameOf(subject), free: freeFailures[subject.kind] }))
    // In a fixed order, so that two transactions cannot deadlock.
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  try {
    const counted = await inTransaction(database, async (transaction) => {
      await removeSomeForgotten(transaction, nowMs);
      const all: Counted[] = [];
      for (const row of rows) all.push(await add(transaction, row, nowMs));
      return all;
    });
    return { takeBack: () => takeBack(database, counted) };
  } catch (error) {
    // The rollback has undone the counts for the other subjects.
    if (!(error instanceof LockedError)) throw error;
    return { retryAfterSeconds: Math.ceil((await longestWaitMsOf(database, rows, nowMs)) / 1000) };
  }
}

/**
 * Resets a person's failures after a complete sign-in.
 *
 * @param browser the known browser in which it happened: failures in other browsers stay counted
 */
export async function forgetFailures(database: Database, email: string, browser?: string): Promise<void> {
  const elsewhere = [
    { kind: 'person', email },
    { kind: 'second-factor', email },
  ] as const;
  const counted = browser === undefined ? elsewhere : [{ kind: 'browser', email, browser } as const];
  await forget(database, [...counted, { kind: 'proof', email }]);
}

/**
 * Resets guesses at a person's password after a reset. A reset proves no second factor, so guesses at that stay
 * counted.
 */
export async function forgetPasswordFailures(database: Database, email: string): Promise<void> {
  await forget(database, [{ kind: 'person', email }]);
}

async function forget(database: Database, subjects: readonly GuessSubject[]): Promise<void> {
  await database.deleteFrom('sign_in_failures').where('subject', 'in', subjects.map(nameOf)).execute();
}

interface Limited {
  readonly name: string;
  readonly free: number;
}

interface Counted {
  readonly name: string;
  /** The time until which this attempt blocks others. */
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

/** Removes more rows than an attempt adds, but few enough that nothing waits. */
async function removeSomeForgotten(transaction: Database, nowMs: number): Promise<void> {
  const some = transaction
    .selectFrom('sign_in_failures')
    .select('subject')
    .where('forgotten_at_ms', '<=', nowMs)
    .orderBy('forgotten_at_ms')
    .limit(removedAtOnce);
  await transaction
    .deleteFrom('sign_in_failures')
    // Skip rows that another attempt is removing or counting, so that two attempts cannot deadlock.
    .where('subject', 'in', isPostgres(transaction) ? some.forUpdate().skipLocked() : some)
    .execute();
}

const removedAtOnce = 100;

/**
 * Checks and counts in one statement, so that simultaneous attempts wait for each other's result. An expired
 * row that has not been removed yet counts from zero.
 */
async function add(transaction: Database, { name, free }: Limited, nowMs: number): Promise<Counted> {
  const row = await transaction
    .insertInto('sign_in_failures')
    .values({ subject: name, failures: 1, locked_until_ms: 0, forgotten_at_ms: nowMs + forgottenAfterMs })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet((kept) => ({
          failures: kept
            .case()
            .when('sign_in_failures.forgotten_at_ms', '<=', nowMs)
            .then(1)
            .else(kept('sign_in_failures.failures', '+', 1))
            .end(),
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
    // Keep a lock that another failure has set since.
    await database
      .updateTable('sign_in_failures')
      .set({ locked_until_ms: 0 })
      .where('subject', '=', name)
      .where('locked_until_ms', '=', lockedUntilMs)
      .execute();
  }
}

/**
 * Returns the name under which a subject is stored. Addresses and emails are personal data, often of people
 * unrelated to the service, so only hashes are stored.
 */
function nameOf(subject: GuessSubject): string {
  const text = 'email' in subject ? subject.email : networkOf(subject.address);
  // Neither account IDs nor browser names contain a space.
  const before =
    'accountId' in subject ? `${subject.accountId} ` : 'browser' in subject ? `${subject.browser} ` : '';
  return `${subject.kind}:${tokenHash(before + text)}`;
}

/** Names an IPv4 address, or a whole IPv6 /64: its owner can use all 2^64 addresses (RFC 4291 section 2.5.1). */
export function networkOf(address: Address | undefined): string {
  if (address === undefined) return 'unknown';
  const { family, words } = address;
  return family === 4 ? String(words[3]) : `${words[0]}:${words[1]}`;
}
