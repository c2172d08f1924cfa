import { runWithTransaction } from '@better-auth/core/context';
import { passkey } from '@better-auth/passkey';
import { base32 } from '@better-auth/utils/base32';
import { createOTP } from '@better-auth/utils/otp';
import { newId } from '@countersign/contract';
import { APIError } from 'better-auth/api';
import { generateRandomString, symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { betterAuth } from 'better-auth/minimal';
import type { Database } from '../storage/transaction.ts';
import { passkeyCookie } from './cookies.ts';
import { identityStorage } from './identity-storage.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

/** What better-auth is made with. */
export interface IdentityOptions {
  readonly database: Database;
  /** At least 32 random characters; secrets of authenticator apps are encrypted with it. */
  readonly secret: string;
  readonly serviceName: string;
  /** The public base URL that passkeys belong to. */
  readonly baseUrl: string;
  /** The origins of that host, from which passkeys may be used. */
  readonly origins: readonly string[];
}

/** A person to be made; with a password hash, or without any password. */
export interface NewPerson {
  readonly name: string;
  readonly email: string;
  /** Whether the person has proved to have the address: it followed a link that was mailed, or the provider vouches for it. */
  readonly isEmailVerified: boolean;
  readonly passwordHash?: string | undefined;
}

/** A session to be made. Times are milliseconds since 1970. */
export interface NewSession {
  readonly userId: string;
  readonly nowMs: number;
  readonly expiresAtMs: number;
  readonly passwordProvedAtMs: number | undefined;
  readonly factorProvedAtMs: number | undefined;
  readonly sourceAddress: string;
  readonly userAgent: string;
}

/** What a passkey ceremony gives: what the browser is to be told, and the cookie that binds the challenge to it. */
export interface PasskeyChallenge {
  readonly options: Readonly<Record<string, unknown>>;
  readonly setCookie: readonly string[];
}

/**
 * What we use of better-auth: how people, their credentials and their sessions are made, the ceremonies of passkeys
 * (WebAuthn), and the codes of authenticator apps (RFC 6238). Its own HTTP interface is not there at all: it has some forty
 * paths, with rules that are not ours.
 */
export class Identity {
  readonly #options: IdentityOptions;
  readonly #storage: ReturnType<typeof identityStorage>;
  readonly #auth: ReturnType<typeof openBetterAuth>;

  constructor(options: IdentityOptions) {
    this.#options = options;
    this.#storage = identityStorage(options.database);
    this.#auth = openBetterAuth(options, this.#storage);
  }

  /** Makes a person, in the transaction that is given. */
  async addPerson(transaction: Database, person: NewPerson, nowMs: number): Promise<string> {
    const { internalAdapter } = await this.#auth.$context;
    const times = { createdAt: new Date(nowMs), updatedAt: new Date(nowMs) };
    return this.#within(transaction, async () => {
      const { name, email, isEmailVerified: emailVerified } = person;
      const user = { name, email, emailVerified, ...times };
      const { id } = await internalAdapter.createUser(user, { method: 'email-password' });
      if (person.passwordHash !== undefined) await this.#addPassword(id, person.passwordHash, nowMs);
      return id;
    });
  }

  /** Notes that somebody else vouches for a person under this name. */
  async linkProvider(
    transaction: Database,
    userId: string,
    providerId: string,
    providerAccountId: string,
    nowMs: number,
  ): Promise<void> {
    const { internalAdapter } = await this.#auth.$context;
    const times = { createdAt: new Date(nowMs), updatedAt: new Date(nowMs) };
    await this.#within(transaction, () =>
      internalAdapter.linkAccount({ userId, providerId, accountId: providerAccountId, ...times }),
    );
  }

  /** Makes a session, in the transaction that is given, and gives the token for its cookie: only a hash of it is kept. */
  async addSession(
    transaction: Database,
    session: NewSession,
  ): Promise<{ readonly sessionId: string; readonly token: string }> {
    const { internalAdapter } = await this.#auth.$context;
    const { userId, nowMs, expiresAtMs, sourceAddress, userAgent } = session;
    const fields = {
      createdAt: new Date(nowMs),
      updatedAt: new Date(nowMs),
      expiresAt: new Date(expiresAtMs),
      ipAddress: sourceAddress,
      userAgent,
      lastSeenAtMs: nowMs,
      passwordProvedAtMs: session.passwordProvedAtMs ?? null,
      factorProvedAtMs: session.factorProvedAtMs ?? null,
    };
    const { id, token } = await this.#within(transaction, () =>
      internalAdapter.createSession(userId, false, fields, true),
    );
    return { sessionId: id, token };
  }

  /** Begins the registration of a passkey of a person. */
  async beginPasskeyRegistration(userId: string, email: string): Promise<PasskeyChallenge> {
    const { headers, response } = await this.#auth.api.generatePasskeyRegistrationOptions({
      query: { context: userId, name: email },
      headers: new Headers({ [personHeader]: userId }),
      returnHeaders: true,
    });
    return { options: { ...response }, setCookie: headers.getSetCookie() };
  }

  /**
   * Ends the registration of a passkey, and keeps it, in the transaction that is given; undefined when the browser's answer
   * does not fit.
   */
  async finishPasskeyRegistration(
    transaction: Database,
    userId: string,
    name: string,
    answer: Record<string, unknown>,
    challenge: string,
  ): Promise<{ readonly passkeyId: string } | undefined> {
    return unlessRefused(async () => {
      const { id } = await this.#within(transaction, () =>
        this.#auth.api.verifyPasskeyRegistration({
          body: { name, response: answer },
          headers: new Headers({ cookie: `${passkeyCookie}=${challenge}`, [personHeader]: userId }),
        }),
      );
      return { passkeyId: id };
    });
  }

  /** Begins a proof by passkey; of whom, the passkey says. */
  async beginPasskeyProof(): Promise<PasskeyChallenge> {
    const { headers, response } = await this.#auth.api.generatePasskeyAuthenticationOptions({
      headers: new Headers(),
      returnHeaders: true,
    });
    return { options: { ...response, userVerification: 'required' }, setCookie: headers.getSetCookie() };
  }

  /** Whose passkey it is that has answered the challenge, with the user verified; undefined when it is no proof. */
  async finishPasskeyProof(
    answer: Record<string, unknown>,
    challenge: string,
  ): Promise<{ readonly userId: string; readonly credentialId: string } | undefined> {
    const { id: credentialId } = answer;
    if (typeof credentialId !== 'string') return undefined;
    return unlessRefused(async () => {
      const { session } = await this.#auth.api.verifyPasskeyAuthentication({
        // The ceremony looks at every part of it, whatever it is.
        body: { response: answer as unknown as AuthenticationResponse },
        headers: new Headers({ cookie: `${passkeyCookie}=${challenge}` }),
      });
      // It has made a session, by its rules: nobody has its token, and ours is made by our rules.
      const { internalAdapter } = await this.#auth.$context;
      await internalAdapter.deleteSession(session.token);
      return { userId: session.userId, credentialId };
    });
  }

  /** A secret for an authenticator app: to be kept encrypted, and shown once. */
  async newTotpSecret(
    email: string,
  ): Promise<{ readonly encrypted: string; readonly secret: string; readonly otpauthUrl: string }> {
    const secret = generateRandomString(totpSecretCharacters);
    return {
      encrypted: await symmetricEncrypt({ key: this.#options.secret, data: secret }),
      secret: base32.encode(secret, { padding: false }),
      otpauthUrl: createOTP(secret, totp).url(this.#options.serviceName, email),
    };
  }

  /**
   * The time step that a code of an authenticator app belongs to, which must be later than the step that was used last (RFC
   * 6238 section 5.2); the step before now and the one after are taken too. Undefined when the code is wrong.
   */
  async totpStep(
    encrypted: string,
    code: string,
    lastUsedStep: number,
    nowMs: number,
  ): Promise<number | undefined> {
    // With another secret of the service than before, no code is right: then people need a recovery code.
    const secret = await symmetricDecrypt({ key: this.#options.secret, data: encrypted }).catch(
      () => undefined,
    );
    if (secret === undefined) return undefined;
    const otp = createOTP(secret, totp);
    const now = Math.floor(nowMs / (totp.period * 1000));
    let found: number | undefined;
    for (const step of [now - 1, now, now + 1]) {
      if ((await otp.hotp(step)) === code && step > lastUsedStep) found ??= step;
    }
    return found;
  }

  async #addPassword(userId: string, passwordHash: string, nowMs: number): Promise<void> {
    const { internalAdapter } = await this.#auth.$context;
    const times = { createdAt: new Date(nowMs), updatedAt: new Date(nowMs) };
    await internalAdapter.linkAccount({
      userId,
      providerId: passwordProvider,
      accountId: userId,
      password: passwordHash,
      ...times,
    });
  }

  async #within<Result>(transaction: Database, work: () => Promise<Result>): Promise<Result> {
    // Told that a transaction is open, better-auth begins none of its own: on SQLite that would wait for this one for ever.
    const result = await runWithTransaction(identityStorage(transaction)(this.#auth.options), work);
    return result;
  }
}

type AuthenticationResponse = NonNullable<
  Parameters<ReturnType<typeof openBetterAuth>['api']['verifyPasskeyAuthentication']>[0]
>['body']['response'];

/** How better-auth names a credential that is a password. */
const passwordProvider = 'credential';

const totp = { digits: 6, period: 30 } as const;
/** Each has more than 5 random bits; RFC 4226 section 4 asks for 160 bits. */
const totpSecretCharacters = 32;

/** Says to our own part of a ceremony whose it is. The headers are made here: none of a request get so far. */
const personHeader = 'countersign-person';

type Storage = ReturnType<typeof identityStorage>;

function openBetterAuth(options: IdentityOptions, storage: Storage) {
  const { secret, serviceName, baseUrl, origins } = options;
  return betterAuth({
    appName: serviceName,
    baseURL: new URL(baseUrl).origin,
    secret,
    database: storage,
    // Nothing is told to anybody, and it has no log of its own: what it refuses, we answer and log.
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    session: {
      cookieCache: { enabled: false },
      disableSessionRefresh: true,
      additionalFields: {
        lastSeenAtMs: { type: 'number', required: true, input: false, defaultValue: () => Date.now() },
        passwordProvedAtMs: { type: 'number', required: false, input: false },
        factorProvedAtMs: { type: 'number', required: false, input: false },
      },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: { hash: hashPassword, verify: ({ hash, password }) => verifyPassword(password, hash) },
    },
    advanced: {
      // Our cookies have the prefix in their names.
      useSecureCookies: false,
      cookies: {
        [passkeyCookie]: {
          name: passkeyCookie,
          attributes: { secure: true, httpOnly: true, sameSite: 'strict', path: '/' },
        },
      },
      database: { generateId: ({ model }) => newId(idPrefixes[model] ?? model) },
    },
    plugins: [
      passkey({
        rpID: new URL(baseUrl).hostname,
        rpName: serviceName,
        origin: [...origins],
        advanced: { webAuthnChallengeCookie: passkeyCookie },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          // Whose passkey it becomes, we say: sessions are ours.
          requireSession: false,
          resolveUser: async ({ ctx, context }) => {
            const userId = ctx.headers?.get(personHeader);
            if (!userId || userId !== context) throw refused();
            return { id: userId, name: nameIn(ctx.query) ?? userId };
          },
          afterVerification: async ({ ctx, verification, user }) => {
            if (ctx.headers?.get(personHeader) !== user.id) throw refused();
            if (verification.registrationInfo?.userVerified !== true) throw refused();
          },
        },
        authentication: {
          // A passkey stands for two factors only when its owner was asked for a finger, a face or a PIN.
          afterVerification: async ({ verification }) => {
            if (!verification.authenticationInfo.userVerified) throw refused();
          },
        },
      }),
    ],
  });
}

const idPrefixes: Readonly<Record<string, string>> = {
  user: 'person',
  account: 'credential',
};

function nameIn(query: unknown): string | undefined {
  const { name } = (query ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

function refused(): APIError {
  return new APIError('UNAUTHORIZED');
}

/** What better-auth refuses, it throws; what is thrown by the storage stays an error. */
async function unlessRefused<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof APIError) return undefined;
    throw error;
  }
}
