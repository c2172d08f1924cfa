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

/**
 * A client as the checks see it. Every change creates a new object, so an identical object means an unchanged
 * client.
 */
export interface RegisteredClient {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  /** True if its account is suspended, so that all its requests are rejected. Default false. */
  readonly isAccountSuspended?: boolean | undefined;
  /** The name of the profile that its signatures must follow: one of the closed ones, or another that is accepted here. */
  readonly profile: string;
  /** The URL of the directory that its keys come from; undefined for registered keys. A request that names another one is rejected. */
  readonly directoryUrl?: string | undefined;
  /** Explains a failed signature test to its sender. */
  readonly allowExplanations: boolean;
  /** How many requests it may make, if that differs from the service's own limit. */
  readonly ownLimits?: OwnRequestLimits | undefined;
  readonly keys: readonly UsableKey[];
  readonly network: NetworkWhitelist;
  /** Role names, sorted. */
  readonly roles: readonly string[];
  /** The union of the roles' permissions. */
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
  /** The number of clients known only by name so far; 0 once the registry has warmed up. */
  readonly unreadCount: number;
  /** Time since the start of the last successful read of storage; infinite if there was none. */
  readonly ageMs: number;
}

/** The part of a registry that decisions use. */
export type ClientLookup = Pick<
  Registry,
  'clientById' | 'clientByKeyName' | 'standIn' | 'isReading' | 'isUnread' | 'read' | 'isFresh' | 'refresh'
>;

/** Knows every client. Reads from memory, so that a stranger's unknown `keyid` costs no query. */
export interface Registry {
  /**
   * Returns a client, including disabled ones, but never revoked or archived ones. Also undefined while the
   * client is not loaded yet.
   */
  clientById(clientId: string): RegisteredClient | undefined;
  /**
   * Returns a client with another profile than the closed ones by the name of one of its keys, which other profiles use as
   * `keyid`: its JWK thumbprint (RFC 7638), or the URL that the client's actor gives it (ActivityPub). Under the same conditions as `clientById`; none while clients are still being loaded, which could
   * have the same key.
   *
   * @param directoryUrl the directory that the signature names; chooses among several clients with the key
   */
  clientByKeyName?(keyName: string, directoryUrl?: string): RegisteredClient | undefined;
  /**
   * Returns a fixed substitute client for one that does not exist; undefined only if there are no clients.
   * Using its keys instead of missing ones takes the same time as using a client's own. Whatever they verify
   * does not count.
   */
  standIn?(clientId: string): Pick<RegisteredClient, 'keys'> | undefined;
  /**
   * Returns true while clients are still being loaded from storage, as after a start with very many of them.
   * A request that no key verifies then waits for `read`, whichever client it names: waiting only for
   * existing clients would reveal which exist.
   */
  isReading(clientId: string): boolean;
  /** Returns true if the client exists but is not loaded yet. */
  isUnread(clientId: string): boolean;
  /**
   * Loads this client first. If it is already loaded or unknown, loads another one instead, so that timing
   * does not reveal which. Rejects if storage is unavailable.
   */
  read(clientId: string): Promise<void>;
  /** Returns true if the last successful read of storage began at most a second ago. */
  isFresh(): boolean;
  /** Reads storage now, and so sees everything that was committed before. Rejects if storage is unavailable. */
  refresh(): Promise<void>;
  /**
   * Reads a change that this process has just committed, so that it applies to the next request. Never rejects: if
   * storage is unavailable, the registry is stale until it is back.
   */
  followChange(): Promise<void>;
  /** Recomputes what roles permit, after the deployment's own permissions have changed. */
  rereadPermissions(): Promise<void>;
  /**
   * Reports a request that passed every check, after its response. A key's first use is stored: it proves
   * that the key is in use, so the key it replaces begins to end. Later uses cost nothing.
   */
  keyUsed(client: RegisteredClient, key: UsableKey, use: KeyUse): void;
  figures(): RegistryFigures;
  close(): Promise<void>;
}
