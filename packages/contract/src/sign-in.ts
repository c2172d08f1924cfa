import type { AccountStatus } from './account-status.ts';
import type { MemberRole } from './member-roles.ts';
import type { Permission } from './permissions.ts';

/*
 * What the portal and the service exchange below `/portal/auth/`. It isn't part of the management API: only the portal of
 * the same service uses it.
 */

/** How a person can prove again who they are. */
export type StepUpMethod = 'password' | 'totp' | 'recovery-code' | 'passkey' | 'identity-provider';

/** What the sign-in page shows to everybody. */
export interface Features {
  readonly serviceName: string;
  /** The company's own identity provider, if one is configured. */
  readonly oidc?: { readonly name: string };
  /** Whether mails reach people. Otherwise the inviter sees the links, and a folder keeps them. */
  readonly isMailConfigured: boolean;
  readonly isDemonstration: boolean;
  /** The demo owner's credentials; only in a demonstration that only this machine can reach. */
  readonly demonstration?: { readonly email: string; readonly password: string };
  /** How long requests are kept, and how many of all accounts together; 0 for no limit. */
  readonly requestsKept: { readonly days: number; readonly max: number };
  /** Whether nobody can sign in yet. */
  readonly needsSetUp: boolean;
  /** The public base URL, for snippets. */
  readonly baseUrl: string;
  /** Whether this page can use passkeys. Pages opened by IP address can't. */
  readonly arePasskeysPossible: boolean;
}

export interface SignedInPerson {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly hasTotp: boolean;
  readonly passkeyCount: number;
  /** People without a password sign in through the identity provider. */
  readonly hasPassword: boolean;
}

/** An account that the person belongs to or acts for. */
export interface SignedInAccount {
  readonly accountId: string;
  readonly name: string;
  readonly role: MemberRole;
  /** Whether it is the operator's account. */
  readonly isOperator: boolean;
  readonly permissions: readonly Permission[];
  readonly isSecondFactorRequired: boolean;
  readonly status: AccountStatus;
  /** Why it is suspended or closed. */
  readonly statusReason?: string;
  /** Whether it contains clients and requests that the demonstration has made up. */
  readonly hasDemoData: boolean;
  /** Set when the person isn't a member but acts for a customer for a while. */
  readonly acting?: { readonly reason: string; readonly endsAt: string };
}

/** When the session ends. Seconds, because the page's clock may be wrong. */
export interface SessionEnds {
  /** If the person does nothing more. */
  readonly idleSecondsLeft: number;
  /** In any case. */
  readonly secondsLeft: number;
}

export type SignInState =
  | { readonly state: 'signed-out'; readonly features: Features }
  | {
      /** The password was right; one of `methods` has to follow. */
      readonly state: 'second-factor';
      readonly features: Features;
      readonly methods: readonly StepUpMethod[];
    }
  | {
      readonly state: 'signed-in';
      readonly features: Features;
      readonly person: SignedInPerson;
      readonly accounts: readonly SignedInAccount[];
      readonly sessionEnds: SessionEnds;
    };

/** Where the sign-in continues. */
export interface SignInStep {
  readonly next: 'portal' | 'second-factor';
}

export interface InvitationOffer {
  readonly accountName: string;
  readonly email: string;
  readonly role: MemberRole;
  /** Whether somebody with this address can sign in already. */
  readonly isKnownPerson: boolean;
  readonly inviterName: string;
}

/** A passkey as its owner sees it. */
export interface Passkey {
  readonly passkeyId: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt?: string;
}

export interface ProfileSession {
  readonly sessionId: string;
  readonly isCurrent: boolean;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly sourceAddress?: string;
  readonly userAgent?: string;
}

/** What people see about themselves. */
export interface Profile {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly hasPassword: boolean;
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  readonly passkeys: readonly Passkey[];
  readonly sessions: readonly ProfileSession[];
}

/** An authenticator app's secret, to be scanned or typed in. */
export interface TotpSecret {
  /** Base32, for typing. */
  readonly secret: string;
  /** For a QR code. */
  readonly otpauthUrl: string;
}

/** Shown once. Each code works once. */
export interface RecoveryCodes {
  readonly recoveryCodes: readonly string[];
}

/** How long the fresh proof counts. */
export interface StepUpAnswer {
  readonly provedUntil: string;
}

/** Length limits. The service also rejects passwords that are easy to guess. */
export const passwordLimits = { charactersMin: 12, charactersMax: 128 } as const;

/** How many minutes a fresh proof counts. */
export const stepUpMinutes = 10;

/**
 * Why the identity provider led back to the sign-in page, as `problem` in its query: the provider identified nobody, could
 * not be reached, identified somebody unknown here, or it took too long.
 */
export type ProviderProblem =
  | 'provider-refused'
  | 'provider-unavailable'
  | 'person-unknown'
  | 'sign-in-expired';

/**
 * Why the identity provider gave no fresh proof, as `problem` in the query of the page it led back to. Besides the above:
 * somebody else signed in there, or the provider didn't say when it authenticated the person (`auth_time`), or that was
 * too long ago.
 */
export type StepUpProblem =
  | Exclude<ProviderProblem, 'person-unknown'>
  | 'other-person'
  | 'proof-not-dated'
  | 'proof-not-fresh';
