import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration/load.ts';
import { BaseUrls } from '@countersign/gate';
import type { Database } from '../storage/transaction.ts';
import { addMember } from './add-member.ts';
import { type AnsweringParts, answerPeople, peoplePath } from './answer-people.ts';
import { readCookie, sessionCookie } from './cookies.ts';
import { demoCredentials } from './demo-people.ts';
import { peopleEndpoints } from './endpoints/endpoints.ts';
import { countAttempt } from './guess-limit.ts';
import type { Identity } from './identity.ts';
import { hasIdentityProvider, openIdentityProvider } from './identity-provider.ts';
import { folderMailer } from './mail/folder-mailer.ts';
import { browserKeyOf } from './known-browsers.ts';
import { invitationLetter } from './mail/letters.ts';
import type { Mailer } from './mail/mailer.ts';
import { smtpMailer } from './mail/smtp-mailer.ts';
import type { People } from './people.ts';
import { peopleSecret } from './people-secret.ts';
import { portalAddresses, portalLink, type PortalAddresses } from './portal-addresses.ts';
import { RequestLimit } from './request-limit.ts';
import { findSessionByToken } from './sessions.ts';
import { newSetUpLink } from './set-up-links.ts';
import { tokenHash } from './tokens.ts';

/** What the service gives to the part of it that knows people. */
export interface OpenPeopleOptions {
  readonly settings: Configuration;
  /** The settings with what follows from the port. Asked when somebody comes: then the service listens. */
  readonly configuration: () => Configuration;
  readonly database: Database;
  readonly nowMs: () => number;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
  /** Told of each answer, for the metrics. */
  readonly onAnswered: (outcome: string, durationMs: number) => void;
}

/** Opens what signs people in. Little is loaded for it before somebody comes. */
export function openPeople(options: OpenPeopleOptions): People {
  const { settings, database, nowMs, logger } = options;
  const mailer = openMailer(settings, logger);
  const background = new BackgroundWork(logger);
  const hasProvider = hasIdentityProvider(settings);
  const answering = once(() => answeringParts(options, mailer, background));
  const baseUrl = (): string => answering().people.addresses.baseUrl;
  return {
    mail: mailer.kind,
    findSession: (cookieHeader, now) =>
      findSessionByToken(database, readCookie(cookieHeader, sessionCookie), now, hasProvider),
    answer: (request, response, sourceOf) => {
      if (!(request.url ?? '').startsWith(peoplePath)) return false;
      void answerPeople(request, response, sourceOf(request), answering());
      return true;
    },
    countInvitation: async (transaction, { accountId, email }, now) => {
      const counted = await countAttempt(transaction, [{ kind: 'invited', accountId, email }], now);
      return 'retryAfterSeconds' in counted ? counted.retryAfterSeconds : 0;
    },
    invite: async (invitation) => {
      const link = portalLink(baseUrl(), 'invitation', invitation.token);
      try {
        await mailer.send(invitationLetter(invitation, link, settings.serviceName));
      } catch (error) {
        logger.error({ error }, 'the mail of an invitation could not be sent');
        return { link, isMailed: false };
      }
      const isMailed = mailer.kind === 'smtp';
      if (isMailed) await noteMailed(database, invitation.token, logger);
      return { link, isMailed };
    },
    setUpLink: async () => {
      const token = await newSetUpLink(database, nowMs(), settings.nodes > 1);
      return token === undefined ? undefined : portalLink(baseUrl(), 'set-up', token);
    },
    portalUrl: () => portalLink(baseUrl(), ''),
    addMember: async (member) => addMember(database, await answering().people.identity(), member, nowMs()),
    close: async () => {
      await background.end();
      await mailer.close();
    },
  };
}

function answeringParts(
  { configuration, database, nowMs, logger, isStopping, onAnswered }: OpenPeopleOptions,
  mailer: Mailer,
  background: BackgroundWork,
): AnsweringParts {
  const complete = configuration();
  const addresses = portalAddresses(complete.publicBaseUrls);
  const secret = lazily(() => peopleSecret(database, complete.portalSecret?.reveal()));
  return {
    people: {
      database,
      identity: lazily(async () => openIdentity(complete.serviceName, database, addresses, await secret())),
      browserKey: lazily(async () => browserKeyOf(await secret())),
      identityProvider: openIdentityProvider(complete),
      mailer,
      addresses,
      serviceName: complete.serviceName,
      isDemonstration: complete.demonstration,
      demonstration: () => demoCredentials(complete),
      inBackground: (work) => background.begin(work),
      logger,
    },
    endpoints: peopleEndpoints,
    limit: new RequestLimit(),
    baseUrls: new BaseUrls(complete.publicBaseUrls),
    problemTypeBase: complete.problemTypeBase,
    nowMs,
    isStopping,
    onAnswered,
  };
}

/** Whoever has a link that went by mail alone has the address; not noted, it counts as shown to the inviter. */
async function noteMailed(database: Database, token: string, logger: Logger): Promise<void> {
  try {
    await database
      .updateTable('invitations')
      .set({ is_mailed: 1 })
      .where('token_hash', '=', tokenHash(token))
      .execute();
  } catch (error) {
    logger.warn({ error }, 'it could not be noted that an invitation was mailed');
  }
}

/** What goes on after answers, so that their time tells nothing. */
class BackgroundWork {
  readonly #running = new Set<Promise<void>>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  begin(work: () => Promise<void>): void {
    const done: Promise<void> = work()
      .catch((error: unknown) => this.#logger.error({ error }, 'what was to be done after an answer failed'))
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async end(): Promise<void> {
    await Promise.all(this.#running);
  }
}

function openMailer({ mailUrl, mailFrom = '', dataFolder }: Configuration, logger: Logger): Mailer {
  return mailUrl === undefined
    ? folderMailer(join(dataFolder, 'mail'), logger)
    : smtpMailer(mailUrl, mailFrom);
}

async function openIdentity(
  serviceName: string,
  database: Database,
  { baseUrl, passkeyOrigins }: PortalAddresses,
  secret: string,
): Promise<Identity> {
  const { Identity } = await import('./identity.ts');
  return new Identity({ database, secret, serviceName, baseUrl, origins: passkeyOrigins });
}

/** Makes something when it is asked for first; when that fails, the next one tries again. */
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

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
