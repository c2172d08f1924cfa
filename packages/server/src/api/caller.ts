import type { MemberRole, Permission } from '@countersign/contract';
import type { RegisteredClient, UsableKey } from '@countersign/gate';

/** The caller: an application that signed its request, or a person who is signed in. */
export type Caller = ClientCaller | PersonCaller;

interface AnyCaller {
  /** The account that the request is about: the client's own, or the one that the person named. */
  readonly accountId: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The request's source address, in canonical text; empty if it is unknown. */
  readonly sourceAddress: string;
}

/** An application, proven by its signature and allowed by network and role. */
export interface ClientCaller extends AnyCaller {
  readonly kind: 'client';
  readonly client: RegisteredClient;
  /** The key that signed. */
  readonly key: UsableKey;
  /** `created` minus now. */
  readonly clockDifferenceSeconds: number;
}

/** A person, proven by the session and allowed by the role in the account. */
export interface PersonCaller extends AnyCaller {
  readonly kind: 'person';
  readonly person: { readonly userId: string; readonly name: string; readonly email: string };
  readonly sessionId: string;
  readonly hasSecondFactor: boolean;
  readonly memberRole: MemberRole;
  /** The reason why a member of the operator acts for the account; undefined for the account's own members. */
  readonly actingReason: string | undefined;
}

/** Returns the caller of an operation that people can't call. */
export function clientCaller({ caller }: { readonly caller: Caller }): ClientCaller {
  if (caller.kind === 'client') return caller;
  throw new Error('A person has reached an operation that is for clients.');
}

/** Returns the caller of an operation that clients can't call. */
export function personCaller({ caller }: { readonly caller: Caller }): PersonCaller {
  if (caller.kind === 'person') return caller;
  throw new Error('A client has reached an operation that is for people.');
}
