import type { MemberRole, Permission } from '@countersign/contract';
import type { RegisteredClient, UsableKey } from '@countersign/gate';

/** Who calls: a program that has signed its request, or a person who is signed in. */
export type Caller = ClientCaller | PersonCaller;

interface AnyCaller {
  /** The account that the request is about: the client's own, or the one that the person has named. */
  readonly accountId: string;
  readonly permissions: ReadonlySet<Permission>;
  /** Where the request comes from, in canonical text; empty when it is unknown. */
  readonly sourceAddress: string;
}

/** A program: proved by the signature, allowed by network and role. */
export interface ClientCaller extends AnyCaller {
  readonly kind: 'client';
  readonly client: RegisteredClient;
  /** The key that signed. */
  readonly key: UsableKey;
  /** `created` minus now. */
  readonly clockDifferenceSeconds: number;
}

/** A person: proved by the session, allowed by the role in the account. */
export interface PersonCaller extends AnyCaller {
  readonly kind: 'person';
  readonly person: { readonly userId: string; readonly name: string; readonly email: string };
  readonly sessionId: string;
  readonly hasSecondFactor: boolean;
  readonly memberRole: MemberRole;
  /** Why the person acts for the account, as somebody of the operator; undefined of a member. */
  readonly actingReason: string | undefined;
}

/** The client that calls an operation which no person can call. */
export function clientCaller({ caller }: { readonly caller: Caller }): ClientCaller {
  if (caller.kind === 'client') return caller;
  throw new Error('A person has reached an operation that is for clients.');
}

/** The person who calls an operation which no client can call. */
export function personCaller({ caller }: { readonly caller: Caller }): PersonCaller {
  if (caller.kind === 'person') return caller;
  throw new Error('A client has reached an operation that is for people.');
}
