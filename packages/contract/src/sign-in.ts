import type { MemberRole } from './member-roles.ts';
import type { Permission } from './permissions.ts';

/*
 * What the portal and the service say to each other below `/portal/auth/`. It is no part of the management API: nobody
 * but the portal of the same service calls it.
 */

/** With what a person can prove again who it is. */
export type StepUpMethod = 'password' | 'totp' | 'recovery-code' | 'passkey' | 'identity-provider';

/** What is the same for everybody who looks at the sign-in page. */
export interface Features {
  readonly serviceName: string;
  /** Sign-in through the company's own identity provider, where that is set up. */
  readonly oidc?: { readonly name: string };
  /** Whether mails reach people; otherwise links are shown to the inviter and written to a folder. */
  readonly isMailConfigured: boolean;
  readonly isDemonstration: boolean;
  /** The demo owner's credentials; only in a demonstration that listens on this machine alone. */
  readonly demonstration?: { readonly email: string; readonly password: string };
  /** Whether there is nobody yet who could sign in. */
  readonly needsSetUp: boolean;
  /** The public base URL, for snippets. */
  readonly baseUrl: string;
  /** Whether passkeys can be used here: a page that is called by an IP address cannot have any. */
  readonly arePasskeysPossible: boolean;
}

/** The person who is signed in. */
export interface SignedInPerson {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly hasTotp: boolean;
  readonly passkeyCount: number;
  /** Without a password of its own: it signs in through the identity provider. */
  readonly hasPassword: boolean;
}

/** An account that the person is a member of, or acts for. */
export interface SignedInAccount {
  readonly accountId: string;
  readonly name: string;
  readonly role: MemberRole;
  /** Whether it is the account of the service's operator. */
  readonly isOperator: boolean;
  readonly permissions: readonly Permission[];
  readonly isSecondFactorRequired: boolean;
  /** Set where the person is no member, but acts for a customer for a while. */
  readonly acting?: { readonly reason: string; readonly endsAt: string };
}

/** Who is signed in, and as what. */
export type SignInState =
  | { readonly state: 'signed-out'; readonly features: Features }
  | {
      /** The password was right, and one of these is to come. */
      readonly state: 'second-factor';
      readonly features: Features;
      readonly methods: readonly StepUpMethod[];
    }
  | {
      readonly state: 'signed-in';
      readonly features: Features;
      readonly person: SignedInPerson;
      readonly accounts: readonly SignedInAccount[];
    };

/** Where a step of the sign-in leads. */
export interface SignInStep {
  readonly next: 'portal' | 'second-factor';
}

/** What an invitation offers. */
export interface InvitationOffer {
  readonly accountName: string;
  readonly email: string;
  readonly role: MemberRole;
  /** Whether the address belongs to somebody who can sign in already. */
  readonly isKnownPerson: boolean;
  readonly inviterName: string;
}

/** A passkey, as its owner sees it. */
export interface Passkey {
  readonly passkeyId: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt?: string;
}

/** One of the person's sessions. */
export interface ProfileSession {
  readonly sessionId: string;
  readonly isCurrent: boolean;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly sourceAddress?: string;
  readonly userAgent?: string;
}

/** What a person sees of itself. */
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

/** What an authenticator app is to be given. */
export interface TotpSecret {
  /** Base32, for typing. */
  readonly secret: string;
  /** For a QR code. */
  readonly otpauthUrl: string;
}

/** Shown once; each works once. */
export interface RecoveryCodes {
  readonly recoveryCodes: readonly string[];
}

/** Until when the fresh proof counts. */
export interface StepUpAnswer {
  readonly provedUntil: string;
}

/** What passwords have to be like; the service also refuses those that are guessed first. */
export const passwordLimits = { charactersMin: 12, charactersMax: 128 } as const;

/** How long a fresh proof counts, in minutes. */
export const stepUpMinutes = 10;

/**
 * Why the way through the identity provider led back to the sign-in page, in its query as `problem`: the provider did not
 * vouch for anybody, or could not be reached; nobody here has the address; or it took too long.
 */
export type ProviderProblem =
  | 'provider-refused'
  | 'provider-unavailable'
  | 'person-unknown'
  | 'sign-in-expired';

/**
 * Why the way through the identity provider gave no fresh proof, in the query of the page that it led back to as `problem`:
 * besides the above, somebody else has proved who they are; or the provider did not say when it asked the person
 * (`auth_time`), or had asked before this.
 */
export type StepUpProblem =
  | Exclude<ProviderProblem, 'person-unknown'>
  | 'other-person'
  | 'proof-not-dated'
  | 'proof-not-fresh';
