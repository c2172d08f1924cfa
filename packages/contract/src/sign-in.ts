import type { AccountStatus } from './account-status.ts';
import type { Permission } from './permissions.ts';

/*
 * The messages between the portal and the service below `/portal/auth/`. They aren't part of the
 * management API: only the portal of the same service uses them.
 */

/** The ways in which a person can prove again who they are. */
export type StepUpMethod = 'password' | 'totp' | 'recovery-code' | 'passkey' | 'identity-provider';

/** What the sign-in page shows to everybody. */
export interface Features {
  readonly serviceName: string;
  /** The company's own identity provider, if one is configured. */
  readonly oidc?: { readonly name: string };
  /** Whether mail delivery works. Otherwise the inviter sees the links, and a folder keeps the mails. */
  readonly isMailConfigured: boolean;
  readonly isDemonstration: boolean;
  /** The demo owner's credentials; only in a demonstration that only this machine can reach. */
  readonly demonstration?: { readonly email: string; readonly password: string };
  /** How long requests are kept, and how many for all accounts together; 0 for no limit. */
  readonly requestsKept: { readonly days: number; readonly max: number };
  /** True if no person can sign in yet. */
  readonly needsSetUp: boolean;
  /** The public base URL, for snippets. */
  readonly baseUrl: string;
  /** True if this page can use passkeys. Pages opened by IP address can't. */
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
  /** The name of a built-in role, or of one of the account's own. */
  readonly role: string;
  /** True if it is the operator's account. */
  readonly isOperator: boolean;
  readonly permissions: readonly Permission[];
  readonly isSecondFactorRequired: boolean;
  /** True if risky changes wait for a second person. */
  readonly isSecondPersonRequired: boolean;
  readonly status: AccountStatus;
  /** The reason why it is suspended or closed. */
  readonly statusReason?: string;
  /** The days after which the account has its requests removed, if it has chosen a number. The service's limit counts too. */
  readonly requestsKeptDays?: number;
  /** True if it contains clients and requests that the demonstration generated. */
  readonly hasDemoData: boolean;
  /**
   * The address that the request came from, if the account can't be used from there; empty if it is unknown. Then
   * nothing is permitted.
   */
  readonly blockedAddress?: string;
  /** Set while the person isn't a member but acts for a customer. */
  readonly acting?: { readonly reason: string; readonly endsAt: string };
}

/** When the session ends. In seconds from now, because the page's clock may be wrong. */
export interface SessionEnds {
  /** Without further activity. */
  readonly idleSecondsLeft: number;
  /** At the latest. */
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

/** The URL at which the sign-in continues. */
export interface SignInStep {
  readonly next: 'portal' | 'second-factor';
}

export interface InvitationOffer {
  readonly accountName: string;
  readonly email: string;
  /** The name of a built-in role, or of one of the account's own. */
  readonly role: string;
  /** True if a person with this address can already sign in. */
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

/** The person's own profile. */
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

/** An authenticator app's secret, to scan or type. */
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

/** How long the fresh proof is valid. */
export interface StepUpAnswer {
  readonly provedUntil: string;
}

/** Length limits. The service also rejects passwords that are easy to guess. */
export const passwordLimits = { charactersMin: 12, charactersMax: 128 } as const;

/** The number of minutes for which a fresh proof is valid. */
export const stepUpMinutes = 10;

/**
 * Why the identity provider redirected back to the sign-in page, as `problem` in its query: the provider
 * identified nobody, could not be reached, identified an unknown person, or it took too long.
 */
export type ProviderProblem =
  | 'provider-refused'
  | 'provider-unavailable'
  | 'person-unknown'
  | 'sign-in-expired';

/**
 * Why the identity provider gave no fresh proof, as `problem` in the query of the page it redirected to.
 * Besides the above: another person signed in there, or the provider didn't say when it authenticated the
 * person (`auth_time`), or that was too long ago.
 */
export type StepUpProblem =
  | Exclude<ProviderProblem, 'person-unknown'>
  | 'other-person'
  | 'proof-not-dated'
  | 'proof-not-fresh';
