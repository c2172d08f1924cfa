import type { Permission } from '@countersign/contract';
import type { RegisteredClient, UsableKey } from '@countersign/gate';
import type { PersonCaller } from '../people/sessions/person-caller.ts';

/** The caller: an application that signed its request, or a person who is signed in. */
export type Caller = ClientCaller | PersonCaller;

/** An application, proved by its signature and allowed by network and role. */
export interface ClientCaller {
  readonly kind: 'client';
  readonly client: RegisteredClient;
  /** The client's account, which the request is about. */
  readonly accountId: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The request's source address, in canonical text; empty if it is unknown. */
  readonly sourceAddress: string;
  /** The key that signed. */
  readonly key: UsableKey;
  /** `created` minus now. */
  readonly clockDifferenceSeconds: number;
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
