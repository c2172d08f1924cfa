import type { NetworkWhitelist } from '@countersign/contract/network';
import type { Permission } from '@countersign/contract/permissions';
import type { VerificationKey } from '@countersign/signature/node';
import type { OwnRequestLimits } from './limits/request-limit.ts';

/** A client's key that verifies signatures now: not revoked, started, and not ended. */
export interface UsableKey extends VerificationKey {
  readonly keyId: string;
  /** `SHA256:...`, the fingerprint that people compare. */
  readonly fingerprint: string;
  /** True if, as far as this node knows, the key has not signed a valid request yet. */
  readonly isPending: boolean;
  /** The time it stops verifying, in milliseconds since 1970; undefined for no end. */
  readonly endsAtMs: number | undefined;
}

/** A client as the checks see it. Every change creates a new object, so the same object means an unchanged client. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  /** True if every request of its account is refused. Default false. */
  readonly isAccountSuspended?: boolean | undefined;
  /** Accepts signatures without `date`, as earlier signers send them (profile section 2.3). */
  readonly acceptWithoutDate: boolean;
  /** Explains a failed signature test to whoever sent it. */
  readonly allowExplanations: boolean;
  /** How many requests it may make, where that differs from the service's own limit. */
  readonly ownLimits?: OwnRequestLimits | undefined;
  readonly keys: readonly UsableKey[];
  readonly network: NetworkWhitelist;
  /** Role names, sorted. */
  readonly roles: readonly string[];
  /** Everything the roles permit together. */
  readonly permissions: ReadonlySet<Permission>;
}

/** The facts about a valid request that prove its key is in use. */
export interface KeyUse {
  readonly sourceAddress: string;
  readonly requestId: string;
}

/** The figures for operators. */
export interface RegistryFigures {
  /** Clients that may call. */
  readonly clientCount: number;
  /** The number of those known only by name so far; 0 once the registry has warmed up. */
  readonly unreadCount: number;
  /** Time since the start of the last successful read of storage; infinite if there was none. */
  readonly ageMs: number;
}

/** The part of a registry that decisions ask. */
export type ClientLookup = Pick<
  Registry,
  'clientById' | 'standIn' | 'isReading' | 'isUnread' | 'read' | 'isFresh' | 'refresh'
>;

/** Knows every client. Answers from memory, so that a stranger's unknown `keyid` costs no query. */
export interface Registry {
  /**
   * Returns a client, disabled ones too, but never revoked or archived ones. Undefined also while a client is unread.
   */
  clientById(clientId: string): RegisteredClient | undefined;
  /**
   * Returns some other client for one that does not exist: always the same, if there are any clients. Reading its keys in
   * the place of missing ones takes as long as reading a client's own. Nothing that they verify counts.
   */
  standIn?(clientId: string): Pick<RegisteredClient, 'keys'> | undefined;
  /**
   * Returns true while clients are still being read from storage, as after a start with very many of them. A request that
   * no key verifies then waits for `read`, whoever it names: waiting only for those that exist would tell who does.
   */
  isReading(clientId: string): boolean;
  /** Returns true if the client exists but has not been read from storage yet. */
  isUnread(clientId: string): boolean;
  /**
   * Reads this client before the others; another one if it is read already or does not exist, so that both take as long.
   * Rejects if storage is unavailable.
   */
  read(clientId: string): Promise<void>;
  /** Returns true if the last successful read of storage began at most a second ago. */
  isFresh(): boolean;
  /** Reads storage now, and so sees everything committed before. Rejects if storage is unavailable. */
  refresh(): Promise<void>;
  /**
   * Reads a change that this process has just committed, so that it applies to the next request. Never rejects: if
   * storage is unavailable, the registry is stale until it is back.
   */
  followChange(): Promise<void>;
  /** Decides anew what roles permit, after the deployment's own permissions have changed. */
  rereadPermissions(): Promise<void>;
  /**
   * Reports a request that passed every check, after its answer. A key's first use is stored: it proves that the key is
   * in use, so the key it replaces begins to end. All later uses cost nothing.
   */
  keyUsed(client: RegisteredClient, key: UsableKey, use: KeyUse): void;
  figures(): RegistryFigures;
  close(): Promise<void>;
}
