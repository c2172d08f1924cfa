import type { MemberRole, StepUpMethod } from '@countersign/contract';
import type { RequestHead, Route } from '@countersign/gate';
import type { Database } from '../../storage/transaction.ts';

/** Who people are and how they sign in. */
export interface People {
  /**
   * Finds the session that a `Cookie` header names, once its sign-in is complete. Looking it up doesn't count as activity:
   * open pages send requests on their own.
   *
   * @throws StorageError
   */
  findSession(cookieHeader: string | undefined, nowMs: number): Promise<PersonSession | undefined>;
  /**
   * Deletes a person's sessions that have ended, in the transaction that is about to change or take one of their roles: by
   * longer limits, they would be open again.
   */
  removeEndedSessions(transaction: Database, userId: string, nowMs: number): Promise<void>;
  /** Whether the operator's people need a second factor in the operator's account, and when they act for a customer. */
  readonly doOperatorsNeedSecondFactor: boolean;
  /** The route of a request below `/portal/auth/`; undefined for any other path. */
  readonly route: (head: RequestHead) => Route | undefined;
  /**
   * Counts an account's invitation to an address, in the transaction that creates it, so that repeated invitations don't
   * flood a mailbox. Returns the seconds to wait; 0 when it is allowed.
   */
  countInvitation(
    transaction: Database,
    invitation: { readonly accountId: string; readonly email: string },
    nowMs: number,
  ): Promise<number>;
  /** Creates the token of an invitation's link, and the hash to store. */
  newInvitationToken(): { readonly token: string; readonly hash: string };
  /** Mails an invitation's link. Show the link to the inviter only when it could not be mailed. */
  invite(invitation: InvitationMail): Promise<{ readonly link: string; readonly isMailed: boolean }>;
  /** Mails a person notices of their accounts. Rejects when the mail could not be handed over. */
  mailNotices(digest: NoticeDigest): Promise<void>;
  /** Where mails go: to a mail server, or to a folder when none is configured. */
  readonly mail: 'smtp' | 'folder';
  /** Returns a link that creates the first person, for the console; undefined when there is somebody already. */
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
  /** Whether the person has an authenticator app or a passkey. */
  readonly hasSecondFactor: boolean;
  readonly stepUpMethods: readonly StepUpMethod[];
  readonly expiresAtMs: number;
}

export interface InvitationMail {
  readonly invitationId: string;
  readonly email: string;
  readonly accountName: string;
  readonly inviterName: string;
  readonly role: MemberRole;
  /** The link's token, of which only the hash is stored. */
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Notices that one person is mailed together. */
export interface NoticeDigest {
  readonly email: string;
  readonly name: string;
  /** A sentence for each notice. */
  readonly accounts: readonly { readonly accountName: string; readonly lines: readonly string[] }[];
  /** How many more there are. */
  readonly moreCount: number;
}

export interface NewMember {
  readonly name: string;
  readonly email: string;
  /** Undefined for somebody who cannot sign in. */
  readonly password?: string | undefined;
  readonly accountId: string;
  readonly role: MemberRole;
  /** Default now. */
  readonly joinedAtMs?: number | undefined;
}

/** What the demo owner signs in with. */
export interface DemoCredentials {
  readonly email: string;
  readonly password: string;
}
