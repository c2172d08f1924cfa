import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MemberRole, StepUpMethod } from '@countersign/contract';
import type { ClientAddress } from '@countersign/gate';
import type { Database } from '../storage/transaction.ts';
import type { NewMember } from './add-member.ts';

/** What the rest of the service knows of people and how they sign in: nothing else of it is visible outside of this folder. */
export interface People {
  /**
   * The session that a request's `Cookie` header names, with its sign-in finished; undefined otherwise, whatever the header
   * holds. It says nothing of its person being there: open pages ask by themselves.
   *
   * @throws StorageError when the storage does not answer
   */
  findSession(cookieHeader: string | undefined, nowMs: number): Promise<PersonSession | undefined>;
  /** Answers `/portal/auth/…`, and gives false when the path is another one. Never rejects. */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    sourceOf: (request: IncomingMessage) => ClientAddress,
  ): boolean;
  /**
   * Counts an invitation of an account to an address, in the transaction that makes it; gives the seconds to wait, 0 when it
   * may be made: one that is withdrawn and made again must fill nobody's mailbox.
   */
  countInvitation(
    transaction: Database,
    invitation: { readonly accountId: string; readonly email: string },
    nowMs: number,
  ): Promise<number>;
  /** Mails the link of an invitation. The link is to be shown to the inviter only when no mail could be sent. */
  invite(invitation: InvitationMail): Promise<{ readonly link: string; readonly isMailed: boolean }>;
  /** Where mails go: to a mail server, or into a folder because none is set. */
  readonly mail: 'smtp' | 'folder';
  /** When there is nobody yet: a link that makes the first person, for the console. It replaces the one before. */
  setUpLink(): Promise<string | undefined>;
  /** Where people find the portal. */
  portalUrl(): string;
  /** Makes a member without an invitation, for the demonstration; gives the userId. */
  addMember(member: NewMember): Promise<string>;
  close(): Promise<void>;
}

/** A signed-in person's session. */
export interface PersonSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  /** When the person signed in, which began the session. */
  readonly startedAtMs: number;
  /** When the person last gave what a step-up asks of it; 0 when that was never in this session. */
  readonly provedAtMs: number;
  /** Whether the person has an authenticator app or a passkey. */
  readonly hasSecondFactor: boolean;
  /** With what the person can give a fresh proof. */
  readonly stepUpMethods: readonly StepUpMethod[];
  readonly expiresAtMs: number;
}

/** What the mail of an invitation says. */
export interface InvitationMail {
  readonly invitationId: string;
  readonly email: string;
  readonly accountName: string;
  readonly inviterName: string;
  readonly role: MemberRole;
  /** The token of the link; only its hash is kept. */
  readonly token: string;
  readonly expiresAtMs: number;
}
