import type { Permission } from '@countersign/contract';

/** A person who calls an operation, authenticated by the session and authorized by the role in the account. */
export interface PersonCaller {
  readonly kind: 'person';
  readonly person: { readonly userId: string; readonly name: string; readonly email: string };
  readonly sessionId: string;
  readonly hasSecondFactor: boolean;
  /** The account that the person named. */
  readonly accountId: string;
  /** As members store it: the name of a built-in role, or the ID of one of the account's own. */
  readonly memberRole: string;
  /** The reason why a member of the operator acts for the account; undefined for the account's own members. */
  readonly actingReason: string | undefined;
  readonly permissions: ReadonlySet<Permission>;
  /** The request's source address, in canonical text; empty if it is unknown. */
  readonly sourceAddress: string;
}
