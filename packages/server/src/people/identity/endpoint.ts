import { type Features, type SignInStep, stepUpMinutes } from '@countersign/contract';
import { type ClientAddress, ProblemError, type RequestHead } from '@countersign/gate';
import type { Logger } from 'pino';
import { z } from 'zod';
import { crossSiteReason, type RequestOrigin } from '../sessions/same-origin.ts';
import type { Database } from '../../storage/transaction.ts';
import type { BreachedPasswords } from './breached-passwords.ts';
import type { Cookies } from './cookies.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { MailLanguage } from './mail/mail-language.ts';
import type { Mailer } from './mail/mailer.ts';
import type { PasswordHasher } from './passwords.ts';
import type { DemoCredentials } from './people.ts';
import type { PortalAddresses } from './portal-addresses.ts';
import type { FoundSession, SessionRules } from './sessions.ts';

/** Everything that the endpoints need. */
export interface PeopleParts {
  readonly database: Database;
  /** Encrypts authenticator apps' secrets and signs the cookies of known browsers. */
  readonly secret: () => Promise<string>;
  readonly passwords: PasswordHasher;
  /** Undefined unless the operator has a list. */
  readonly breachedPasswords: BreachedPasswords | undefined;
  readonly identityProvider: IdentityProvider | undefined;
  readonly mailer: Mailer;
  readonly addresses: PortalAddresses;
  readonly serviceName: string;
  /** Chooses the language of a page from those that there are, by a request for it. */
  readonly languageOf: (head: RequestHead, available: readonly string[]) => string;
  /** The setting: owners and the operator's people are signed out after this many minutes without activity. */
  readonly ownerIdleMinutes: number;
  /**
   * True if the operator's people need a second factor in the operator's account, and when they act for a
   * customer.
   */
  readonly doOperatorsNeedSecondFactor: boolean;
  readonly isDemonstration: boolean;
  readonly requestsKept: Features['requestsKept'];
  /** Returns the demo owner's credentials if the sign-in page may show them. */
  readonly demoCredentials: () => DemoCredentials | undefined;
  /**
   * Runs work after the response, so that the response time reveals nothing about it. Finishes before the
   * service stops.
   */
  readonly inBackground: (work: () => Promise<void>) => void;
  readonly logger: Logger;
}

export function sessionRules({
  identityProvider,
  ownerIdleMinutes,
}: Pick<PeopleParts, 'identityProvider' | 'ownerIdleMinutes'>): SessionRules {
  return { hasIdentityProvider: identityProvider !== undefined, ownerIdleMinutes };
}

/** One request to an endpoint, with everything that the endpoints need. */
export interface Call extends PeopleParts {
  readonly requestId: string;
  readonly nowMs: number;
  readonly source: ClientAddress;
  /** The public base URL that it was sent to. */
  readonly baseUrl: string;
  readonly query: URLSearchParams;
  /** The ID in the path; empty for a path without one. */
  readonly id: string;
  readonly userAgent: string;
  /** The language of the page: the one that the person chose, else one that the browser prefers. */
  readonly language: MailLanguage;
  /** Also collects the `Set-Cookie` lines, whether the endpoint succeeds or not. */
  readonly cookies: Cookies;
  /** Undefined without a session. */
  readonly session: FoundSession | undefined;
}

/** A call to an endpoint that needs a session. */
export interface SignedInCall extends Call {
  readonly session: FoundSession;
}

/** JSON, nothing, or a redirect. */
export type PeopleAnswer =
  | { readonly status: 200; readonly body: unknown }
  | { readonly status: 202 | 204 }
  | { readonly status: 302; readonly location: string };

/** The callers of an endpoint: anyone, a person with a session, or a person with a fresh proof. */
type Needs = 'nothing' | 'session' | 'fresh-proof';

/** An endpoint of `/portal/auth/…`. */
export interface Endpoint<Input = unknown, Needed extends Needs = Needs> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/portal/auth/`; `{id}` stands for one segment. */
  readonly path: string;
  readonly needs: Needed;
  /** Other sites may lead here: this is the way back from the identity provider. */
  readonly isReachedFromElsewhere?: true;
  /** The schema of the JSON body. Endpoints without one accept no body. */
  readonly body?: z.ZodType<Input>;
  /** @throws ProblemError */
  readonly answer: (
    call: Needed extends 'nothing' ? Call : SignedInCall,
    input: Input,
  ) => Promise<PeopleAnswer>;
}

/** Types an endpoint by its own needs and body, and returns it as an entry for the table of all endpoints. */
export function endpoint<Input, Needed extends Needs>(one: Endpoint<Input, Needed>): Endpoint {
  return one as unknown as Endpoint;
}

/** The body of a request without parameters. */
export const emptyBody: z.ZodType<Record<string, never>> = z.strictObject({});

export function ok(body: unknown): PeopleAnswer {
  return { status: 200, body };
}

/** Returns the step with which the sign-in continues. */
export function nextStep(next: SignInStep['next']): PeopleAnswer {
  return ok({ next } satisfies SignInStep);
}

/** @throws ProblemError `cross_site_request` if another site made the request */
export function checkOrigin(
  { isReachedFromElsewhere }: Endpoint,
  origin: RequestOrigin,
  ownOrigins: ReadonlySet<string>,
): void {
  const reason = isReachedFromElsewhere ? undefined : crossSiteReason(origin, ownOrigins);
  if (reason !== undefined)
    throw new ProblemError('cross_site_request', { detail: reason, members: { reason } });
}

/** @throws ProblemError `session_required`, `step_up_required` */
export function checkSession({ needs }: Endpoint, session: FoundSession | undefined, nowMs: number): void {
  if (needs === 'nothing') return;
  if (session === undefined) throw new ProblemError('session_required');
  if (needs === 'fresh-proof') requireFreshProof(session, nowMs);
}

/** @throws ProblemError `step_up_required` if the person's last proof is too old */
export function requireFreshProof(
  { provedAtMs, stepUpMethods }: Pick<FoundSession, 'provedAtMs' | 'stepUpMethods'>,
  nowMs: number,
): void {
  if (provedAtMs < nowMs - stepUpMinutes * 60_000)
    throw new ProblemError('step_up_required', { members: { methods: stepUpMethods } });
}
