import { randomBytes } from 'node:crypto';
import { readCookie } from '@countersign/gate';
import type { Logger } from 'pino';
import type { Configuration } from '../../configuration/load.ts';
import type { Database } from '../../storage/transaction.ts';
import { sessionCookie } from '../sessions/session-cookie.ts';
import { type PeopleParts, sessionRules } from './endpoint.ts';
import { newSetUpLink } from './endpoints/set-up.ts';
import { openBreachedPasswords } from './breached-passwords.ts';
import { countAttempt } from './guess-limit.ts';
import { RequestLimit, signInRoute } from './sign-in-route.ts';
import { openIdentityProvider } from './identity-provider.ts';
import { invitationLetter } from './mail/letters.ts';
import { mailLanguageOf } from './mail/mail-language.ts';
import { measuredMailer, openMailer } from './mail/mailer.ts';
import { noticeLetter } from './mail/notice-letter.ts';
import { addMember } from './members.ts';
import { type PasswordCost, PasswordHasher } from './passwords.ts';
import type { DemoCredentials, InvitationMail, People } from './people.ts';
import { findPerson } from './persons.ts';
import { portalAddresses, portalLink } from './portal-addresses.ts';
import { findSessionByToken, removeEndedSessionsOfPerson } from './sessions.ts';
import { newToken, tokenHash } from './tokens.ts';

export interface OpenPeopleOptions {
  readonly configuration: Configuration;
  readonly database: Database;
  /** Returns the demo owner's credentials if the sign-in page may show them. */
  readonly demoCredentials: () => DemoCredentials | undefined;
  /** True for a demonstration that only this machine can reach. */
  readonly isLocalDemonstration: boolean;
  /** The cost of hashing a password; the production value by default. */
  readonly passwordCost?: PasswordCost | undefined;
  /** Chooses the language of a page from those that there are, by a request for it. */
  readonly languageOf: PeopleParts['languageOf'];
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly logger: Logger;
  /** Called after each mail. */
  readonly onMail?: (durationMs: number, isFailed: boolean) => void;
}

export function openPeople(options: OpenPeopleOptions): People {
  const { configuration, database, nowMs, monotonicMs, logger } = options;
  const background = new BackgroundWork(logger);
  const parts: PeopleParts = {
    database,
    secret: lazily(() => readSecret(database, configuration)),
    passwords: new PasswordHasher(options.passwordCost),
    breachedPasswords:
      configuration.breachedPasswordsFile === undefined
        ? undefined
        : openBreachedPasswords(configuration.breachedPasswordsFile, logger),
    identityProvider: openIdentityProvider(configuration),
    mailer: measuredMailer(openMailer(configuration, logger), options.onMail),
    addresses: portalAddresses(configuration.publicBaseUrls),
    serviceName: configuration.serviceName,
    languageOf: options.languageOf,
    isDemonstration: configuration.demonstration,
    ownerIdleMinutes: configuration.ownerIdleMinutes,
    // The demonstration prints the operator's password on this machine's console.
    doOperatorsNeedSecondFactor: !(
      configuration.allowOperatorsWithoutSecondFactor || options.isLocalDemonstration
    ),
    requestsKept: { days: configuration.requestsKeptDays, max: configuration.requestsKeptMax },
    demoCredentials: options.demoCredentials,
    inBackground: (work) => background.begin(work),
    logger,
  };
  const limit = new RequestLimit(monotonicMs);
  const { mailer, passwords } = parts;
  const { baseUrl } = parts.addresses;
  return {
    mail: mailer.kind,
    doOperatorsNeedSecondFactor: parts.doOperatorsNeedSecondFactor,
    findSession: (cookieHeader, now) =>
      findSessionByToken(database, readCookie(cookieHeader, sessionCookie), now, sessionRules(parts)),
    removeEndedSessionsOfPerson: (transaction, userId, now) =>
      removeEndedSessionsOfPerson(transaction, userId, now, parts.ownerIdleMinutes),
    route: (head) => signInRoute(head, { people: parts, limit, nowMs }),
    countInvitation: async (transaction, { accountId, email }, now) => {
      const counted = await countAttempt(transaction, [{ kind: 'invited', accountId, email }], now);
      return 'retryAfterSeconds' in counted ? counted.retryAfterSeconds : 0;
    },
    newInvitationToken: () => {
      const token = newToken();
      return { token, hash: tokenHash(token) };
    },
    invite: async (invitation) => {
      const link = portalLink(baseUrl, 'invitation', invitation.token);
      try {
        await mailInvitation(parts, invitation, link);
      } catch (error) {
        logger.error({ error }, 'an invitation could not be sent by email');
        return { link, isMailed: false };
      }
      const isMailed = mailer.kind === 'smtp';
      if (isMailed) await noteMailed(database, invitation.token, logger);
      return { link, isMailed };
    },
    mailNotices: (digest) => mailer.send(noticeLetter(digest, baseUrl, configuration.serviceName)),
    setUpLink: async () => {
      const token = await newSetUpLink(database, nowMs(), configuration.nodes > 1);
      return token === undefined ? undefined : portalLink(baseUrl, 'set-up', token);
    },
    portalUrl: () => portalLink(baseUrl, ''),
    addMember: (member) => addMember(database, passwords, member, member.joinedAtMs ?? nowMs()),
    close: async () => {
      await background.end();
      await mailer.close();
    },
  };
}

/** Returns the configured secret, or one that is created once and stored in the database, where all nodes find it. */
async function readSecret(database: Database, { portalSecret }: Configuration): Promise<string> {
  if (portalSecret !== undefined) return portalSecret.reveal();
  await database
    .insertInto('people_secret')
    .values({ singleton: 1, secret: randomBytes(32).toString('base64url') })
    .onConflict((conflict) => conflict.column('singleton').doNothing())
    .execute();
  const { secret } = await database.selectFrom('people_secret').select('secret').executeTakeFirstOrThrow();
  return secret;
}

/** Writes in the invited person's language, if they use the portal already, else in the inviter's. */
async function mailInvitation(
  { database, mailer, serviceName }: PeopleParts,
  invitation: InvitationMail,
  link: string,
): Promise<void> {
  const invited = await findPerson(database, { email: invitation.email });
  const inviter = await findPerson(database, { userId: invitation.inviterId });
  const language = mailLanguageOf(invited?.language, inviter?.language);
  await mailer.send(invitationLetter(invitation, link, serviceName, language));
}

/** Records that only the invited person has seen the link. If this fails, it counts as shown to the inviter. */
async function noteMailed(database: Database, token: string, logger: Logger): Promise<void> {
  try {
    await database
      .updateTable('invitations')
      .set({ is_mailed: 1 })
      .where('token_hash', '=', tokenHash(token))
      .execute();
  } catch (error) {
    logger.warn({ error }, 'an invitation could not be marked as sent by email');
  }
}

/** Work that continues after responses, so that their timing reveals nothing. */
class BackgroundWork {
  readonly #running = new Set<Promise<void>>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  begin(work: () => Promise<void>): void {
    const done: Promise<void> = work()
      .catch((error: unknown) => this.#logger.error({ error }, 'work after a response failed'))
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async end(): Promise<void> {
    await Promise.all(this.#running);
  }
}

/** Creates a value on first use and tries again after a failure. */
function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
