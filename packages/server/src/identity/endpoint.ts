import type { IncomingMessage } from 'node:http';
import { type SignInStep, stepUpMinutes } from '@countersign/contract';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { type ClientAddress, ProblemError } from '@countersign/gate';
import type { Database } from '../storage/transaction.ts';
import type { Identity } from './identity.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { Mailer } from './mail/mailer.ts';
import type { PortalAddresses } from './portal-addresses.ts';
import type { FoundSession } from './sessions.ts';

/** What the endpoints are made of. */
export interface PeopleParts {
  readonly database: Database;
  /** Loaded when it is needed first: a service that nobody signs in to does not wait for it. */
  readonly identity: () => Promise<Identity>;
  /** What cookies of known browsers are made with. */
  readonly browserKey: () => Promise<Buffer>;
  readonly identityProvider: IdentityProvider | undefined;
  readonly mailer: Mailer;
  readonly addresses: PortalAddresses;
  readonly serviceName: string;
  readonly isDemonstration: boolean;
  /** The demo owner's credentials, where they may be shown. */
  readonly demonstration: () => { readonly email: string; readonly password: string } | undefined;
  /** Lets something go on after the answer, so that the answer's time says nothing of it. It is ended before the service. */
  readonly inBackground: (work: () => Promise<void>) => void;
  readonly logger: Logger;
}

/** One request on its way. */
export interface PeopleRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly nowMs: number;
  readonly source: ClientAddress;
  /** The public base URL that it was sent to. */
  readonly baseUrl: string;
  readonly query: URLSearchParams;
  /** The id in the path, where there is one. */
  readonly id: string;
  /** `Set-Cookie` lines for the answer. */
  readonly setCookies: string[];
  /** The session of the cookie; undefined when nobody is signed in. */
  readonly session: FoundSession | undefined;
}

/** What an endpoint answers: JSON, nothing, or the way to another page. */
export type PeopleAnswer =
  | { readonly status: 200; readonly body: unknown }
  | { readonly status: 202 | 204 }
  | { readonly status: 302; readonly location: string };

/** One of `/portal/auth/…`. */
export interface Endpoint<Input = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/portal/auth/`; `{id}` stands for one segment. */
  readonly path: string;
  /** Who may call it: anybody, somebody who is signed in, or somebody who has just proved again who it is. */
  readonly needs: 'nothing' | 'session' | 'fresh-proof';
  /** Other sites may lead here: the way back from the identity provider. */
  readonly isReachedFromElsewhere?: true;
  /** The body that it takes; none unless set. */
  readonly body?: z.ZodType<Input>;
  readonly answer: (request: PeopleRequest, input: Input, parts: PeopleParts) => Promise<PeopleAnswer>;
}

/** An endpoint, with the type of its body looked after, for a table of all. */
export function endpoint<Input>(one: Endpoint<Input>): Endpoint {
  return one as Endpoint;
}

/** An answer with a body. */
export function ok(body: unknown): PeopleAnswer {
  return { status: 200, body };
}

/** Where the sign-in goes on. */
export function nextStep(next: SignInStep['next']): PeopleAnswer {
  return ok({ next } satisfies SignInStep);
}

/** The session of a request to an endpoint that nobody reaches without one. */
export function sessionOf({ session }: PeopleRequest): FoundSession {
  if (session === undefined)
    throw new Error('An endpoint for people who are signed in was reached without a session.');
  return session;
}

/**
 * Refuses a session in which its person has not proved lately who it is.
 *
 * @throws ProblemError `step_up_required`
 */
export function requireFreshProof({ provedAtMs, stepUpMethods }: FoundSession, nowMs: number): void {
  if (provedAtMs < nowMs - stepUpMinutes * 60_000)
    throw new ProblemError('step_up_required', { members: { methods: stepUpMethods } });
}
