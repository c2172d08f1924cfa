import type { NetworkWhitelist } from '@countersign/contract/network';
import type { Permission } from '@countersign/contract/permissions';
import type { VerificationKey } from '@countersign/signature/node';

/** A key of a client that verifies signatures now: neither revoked, nor before its start, nor after its end. */
export interface UsableKey extends VerificationKey {
  readonly keyId: string;
  /** `SHA256:...`, the fingerprint that people compare. */
  readonly fingerprint: string;
  /** Whether it has not signed a valid request yet, as far as is known here. */
  readonly isPending: boolean;
  /** When it stops verifying, in milliseconds since 1970; undefined for no end. */
  readonly endsAtMs: number | undefined;
}

/** A client as the checks see it. A change makes a new object, so an unchanged object is an unchanged client. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  /** Whether signatures may leave out `date`, as an earlier signer does (profile section 2.3). */
  readonly acceptWithoutDate: boolean;
  /** Whether a refusal of a test of its signature is explained to whoever sent it. */
  readonly allowExplanations: boolean;
  readonly keys: readonly UsableKey[];
  readonly network: NetworkWhitelist;
  /** The names of the roles, sorted. */
  readonly roles: readonly string[];
  /** What the roles permit together. */
  readonly permissions: ReadonlySet<Permission>;
}

/** A valid request, as far as it proves a key. */
export interface KeyUse {
  readonly sourceAddress: string;
  readonly requestId: string;
}

/** What operators look at. */
export interface RegistryFigures {
  /** Clients that may call. */
  readonly clientCount: number;
  /** Those of them of which only the name is known so far; 0 once the registry has warmed up. */
  readonly unreadCount: number;
  /** Time since the last successful look at storage began; infinite where there was none. */
  readonly ageMs: number;
}

/** Knows every client. Answers from memory, so that a stranger's unknown `keyid` costs no query. */
export interface Registry {
  /** Disabled clients too; revoked and archived ones never. Undefined also for one that is yet to be read. */
  clientById(clientId: string): RegisteredClient | undefined;
  /** Whether it exists and is yet to be read from storage: so it can be after a start with very many clients. */
  isUnread(clientId: string): boolean;
  /** Reads it before the others. Rejects when storage does not answer. */
  read(clientId: string): Promise<void>;
  /** Whether the last successful look at storage began at most a second ago. */
  isFresh(): boolean;
  /** Looks at storage now: what was committed before is seen then. Rejects when storage does not answer. */
  refresh(): Promise<void>;
  /**
   * Sees a change that this process has just committed, so that the next request is decided by it. Never rejects: when
   * storage does not answer, nothing counts as fresh any more until it does.
   */
  followChange(): Promise<void>;
  /**
   * Told of each request that has passed every check, after its answer. The first of a key is noted in storage: the key
   * has proved that it is in use, and the one that it replaces begins to end. All others cost nothing.
   */
  keyUsed(client: RegisteredClient, key: UsableKey, use: KeyUse): void;
  figures(): RegistryFigures;
  close(): Promise<void>;
}
