import type { MemberRole, StepUpMethod } from '@countersign/contract';
import type { RequestHead, Route } from '@countersign/gate';
import type { MailLanguage } from './mail/mail-language.ts';
import type { Database } from '../../storage/transaction.ts';

/** The portal's people and their sign-in. */
export interface People {
  /**
   * Finds the session of a `Cookie` header, once its sign-in is complete. Looking it up doesn't count as
   * activity, because open pages send requests on their own.
   *
   * @throws StorageError
   */
  findSession(cookieHeader: string | undefined, nowMs: number): Promise<PersonSession | undefined>;
  /**
   * Deletes a person's sessions that have ended. Call it in the transaction that changes or removes one of
   * their roles: with longer limits, those sessions would be open again.
   */
  removeEndedSessionsOfPerson(transaction: Database, userId: string, nowMs: number): Promise<void>;
  /**
   * True if the operator's people need a second factor in the operator's account, and when they act for a
   * customer.
   */
  readonly doOperatorsNeedSecondFactor: boolean;
  /** Returns the route of a request below `/portal/auth/`; undefined for any other path. */
  readonly route: (head: RequestHead) => Route | undefined;
  /**
   * Counts an account's invitation to an address, in the transaction that creates it, so that repeated
   * invitations don't flood a mailbox. Returns the seconds to wait; 0 if it is allowed.
   */
  countInvitation(
    transaction: Database,
    invitation: { readonly accountId: string; readonly email: string },
    nowMs: number,
  ): Promise<number>;
  /** Creates the token of an invitation's link, and the hash to store. */
  newInvitationToken(): { readonly token: string; readonly hash: string };
  /** Mails an invitation's link. Show the link to the inviter only if it could not be mailed. */
  invite(invitation: InvitationMail): Promise<{ readonly link: string; readonly isMailed: boolean }>;
  /** Mails a person notices of their accounts. Rejects if the mail could not be handed over. */
  mailNotices(digest: NoticeDigest): Promise<void>;
  /** The destination of mails: a mail server, or a folder if none is configured. */
  readonly mail: 'smtp' | 'folder';
  /** Returns a link that creates the first person, for the console; undefined if there already is a person. */
  setUpLink(): Promise<string | undefined>;
  portalUrl(): string;
  /** Adds a member without an invitation, for the demonstration, and returns their ID. */
  addMember(member: NewMember): Promise<string>;
  close(): Promise<void>;
}

export interface PersonSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  /** When the person signed in. */
  readonly startedAtMs: number;
  /** When the person last gave a proof that counts for a step-up; 0 for never in this session. */
  readonly provedAtMs: number;
  /** True if the person has an authenticator app or a passkey. */
  readonly hasSecondFactor: boolean;
  readonly stepUpMethods: readonly StepUpMethod[];
  readonly expiresAtMs: number;
}

export interface InvitationMail {
  readonly invitationId: string;
  readonly email: string;
  readonly accountName: string;
  readonly inviterName: string;
  /** The email is in the invited person's language, if it is known, else in the inviter's. */
  readonly inviterId: string;
  /** The role's name. */
  readonly role: string;
  /** The link's token. Only its hash is stored. */
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Notices that one person gets in a single mail. */
export interface NoticeDigest {
  readonly email: string;
  readonly name: string;
  readonly language: MailLanguage;
  /** One sentence per notice. */
  readonly accounts: readonly { readonly accountName: string; readonly lines: readonly string[] }[];
  /** The number of further notices. */
  readonly moreCount: number;
}

export interface NewMember {
  readonly name: string;
  readonly email: string;
  /** Undefined for a person who cannot sign in. */
  readonly password?: string | undefined;
  readonly accountId: string;
  readonly role: MemberRole;
  /** Default now. */
  readonly joinedAtMs?: number | undefined;
}

/** The demo owner's credentials. */
export interface DemoCredentials {
  readonly email: string;
  readonly password: string;
}
