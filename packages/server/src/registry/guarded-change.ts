import type { AuditTarget, MemberRole } from '@countersign/contract';

/** A change that waits for a second person in an account that requires one: everything that this person sees. */
export interface GuardedChange {
  readonly accountId: string;
  readonly target: {
    readonly type: AuditTarget['type'];
    readonly id: string;
    readonly name: string;
    /** The client that a key belongs to. */
    readonly clientId?: string;
  };
  /** The members that would be changed, with their old and new values. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
  /** The permissions that it gives. Whoever approves it must have them, as must whoever asks. Default none. */
  readonly grants?: readonly string[] | undefined;
  /** The role that it gives, if only someone who has that role can approve it. */
  readonly leadingRole?: MemberRole | undefined;
}
