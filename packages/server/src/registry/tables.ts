import type {
  AccountStatus,
  AuditAction,
  AuditActorKind,
  RoleHolders,
  PendingChangeStatus,
  RevocationReason,
} from '@countersign/contract';
import type { ColumnType } from 'kysely';
import type { Defaulted, Fixed, TimeMs } from '../storage/schema.ts';
// oxlint-disable-next-line unicorn/require-module-specifiers -- it declares tables that registry queries join
import type {} from './person-tables.ts';
// oxlint-disable-next-line unicorn/require-module-specifiers -- likewise
import type {} from './request-tables.ts';
// oxlint-disable-next-line unicorn/require-module-specifiers -- likewise
import type {} from './saved-view-tables.ts';
// oxlint-disable-next-line unicorn/require-module-specifiers -- likewise
import type {} from './webhook-tables.ts';
// oxlint-disable-next-line unicorn/require-module-specifiers -- likewise
import type {} from './stream-tables.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    accounts: AccountsTable;
    clients: ClientsTable;
    client_keys: ClientKeysTable;
    client_directories: ClientDirectoriesTable;
    last_uses: LastUsesTable;
    network_entries: NetworkEntriesTable;
    roles: RolesTable;
    role_permissions: RolePermissionsTable;
    client_roles: ClientRolesTable;
    client_tags: ClientTagsTable;
    registry_version: RegistryVersionTable;
    registry_changes: RegistryChangesTable;
    audit_events: AuditEventsTable;
    audit_chain: AuditChainTable;
    members: MembersTable;
    invitations: InvitationsTable;
    acting_sessions: ActingSessionsTable;
    security_policies: SecurityPoliciesTable;
    pending_changes: PendingChangesTable;
    demo_data: DemoDataTable;
  }
}

/** `revoked` can be restored for some days; `archived` is a tombstone that keeps the clientId reserved forever. */
export type ClientStatus = 'active' | 'disabled' | 'revoked' | 'archived';

/** A `pending` key is registered but unused; `retiring` ends at `ends_at_ms`; the last two are final. */
export type KeyStatus = 'pending' | 'active' | 'retiring' | 'expired' | 'revoked';

export interface AccountsTable {
  account_id: Fixed<string>;
  name: string;
  /** The name in searchable form, without differences in case and accents. */
  search_name: Defaulted<string>;
  created_at_ms: Fixed<TimeMs>;
  /** 1 if its clients can use the permissions for accounts. */
  is_operator: Defaulted<0 | 1>;
  /** Its clients' keys stop verifying after this many days; null for no limit. */
  key_age_days_max: Defaulted<number | null>;
  /** The rate limit of each of its clients, per minute and at once; null for the service's limit. */
  requests_per_minute_max: Defaulted<number | null>;
  requests_burst_max: Defaulted<number | null>;
  status: Defaulted<AccountStatus>;
  /** Explains why the account is not active; null for an active account. */
  status_reason: Defaulted<string | null>;
  status_changed_at_ms: Defaulted<TimeMs | null>;
  updated_at_ms: Defaulted<TimeMs>;
  /** The registry version of its last change. */
  version: Defaulted<number>;
}

interface ClientsTable {
  /** The `keyid` in its signatures; unique across all accounts, forever. */
  client_id: Fixed<string>;
  account_id: Fixed<string>;
  name: string;
  /** The name in searchable form, without differences in case and accents. */
  search_name: Defaulted<string>;
  status: ClientStatus;
  accept_without_date: 0 | 1;
  /** The name of a profile other than the closed ones. */
  profile: string | null;
  allow_explanations: Defaulted<0 | 1>;
  /** The rate limit, per minute and at once; null for the account's limit. */
  requests_per_minute_max: Defaulted<number | null>;
  requests_burst_max: Defaulted<number | null>;
  /** Texts by key, as JSON. */
  metadata: Defaulted<string>;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  /** The time of revocation; null if not revoked. */
  revoked_at_ms: TimeMs | null;
  /** When a temporary client goes away, and its keys end at the latest; null for all others. */
  expires_at_ms: ColumnType<TimeMs | null, TimeMs | null | undefined, never>;
  /** The registry version of its last change. */
  version: number;
}

interface ClientKeysTable {
  key_id: Fixed<string>;
  client_id: Fixed<string>;
  account_id: Fixed<string>;
  /** The public key as SubjectPublicKeyInfo in PEM. */
  spki_pem: Fixed<string>;
  /** Unique within an account, including revoked keys. */
  fingerprint: Fixed<string>;
  modulus_bits: Fixed<number>;
  /** The only algorithm that the key is used with; null for the usual one of its kind. Changes only with a directory. */
  algorithm: Defaulted<string | null>;
  status: KeyStatus;
  created_at_ms: Fixed<TimeMs>;
  /** The key is not usable before this time; null for no limit. */
  starts_at_ms: TimeMs | null;
  /** The key is not usable from this time on; null for no limit. */
  ends_at_ms: TimeMs | null;
  revoked_at_ms: TimeMs | null;
  revocation_reason: Defaulted<RevocationReason | null>;
  /** The key that starts to end at this key's first valid request. */
  replaces_key_id: ColumnType<string | null, string | null | undefined, never>;
  /** How long that key still verifies afterwards. */
  overlap_ms: ColumnType<number | null, number | null | undefined, never>;
  first_used_at_ms: Defaulted<TimeMs | null>;
  /** The URL that its actor gives it, by which signatures name it; null for all other keys. */
  published_id: Defaulted<string | null>;
  /** 1 for a key that a directory brought: its row is deleted some time after it has ended. */
  is_published: Defaulted<0 | 1>;
}

/** The directories of public keys that clients have their keys from. Only its URL and its first success are changes of the registry. */
interface ClientDirectoriesTable {
  client_id: Fixed<string>;
  account_id: Fixed<string>;
  /** The kind of document: `key-set` or `actor`. */
  form: Fixed<string>;
  /** The URL that is fetched; unique within an account. */
  url: Fixed<string>;
  /** The origin of the URL, whose fetches are limited together. */
  origin: Fixed<string>;
  /** When it is due. Whoever changes this has claimed the fetch. */
  next_fetch_at_ms: TimeMs;
  /** Identifies an attempt; the result of an earlier one no longer counts. */
  last_attempt_at_ms: TimeMs | null;
  /** The beginning of the last attempt that gave keys. Until there is one, the client still has its registered keys. */
  last_success_at_ms: TimeMs | null;
  /** The reason why the last attempt failed, for the owner. */
  problem: string | null;
  /** How many attempts have failed since the last that did not. */
  failures: Defaulted<number>;
  /** When someone last asked to fetch it at once. */
  refreshed_at_ms: Defaulted<TimeMs | null>;
  /** How many of its keys count. */
  key_count: number;
  /** How many entries do not count, by reason, as JSON. */
  skipped: string;
}

/** Last uses of clients, keys, whitelist entries and accounts. A separate table, because a use is not a registry change. */
interface LastUsesTable {
  subject: Fixed<LastUseSubject>;
  /** A clientId, a keyId, an accountId, or a clientId, a space and a whitelist entry. */
  subject_id: Fixed<string>;
  used_at_ms: TimeMs;
  /** The address that a client called from; null for the others. */
  source_address: Defaulted<string | null>;
}

export type LastUseSubject = 'client' | 'key' | 'network' | 'account';

interface NetworkEntriesTable {
  client_id: Fixed<string>;
  /** Canonical text, as returned by the contract's `readNetworkEntry`. */
  entry: Fixed<string>;
  label: string;
  created_at_ms: Fixed<TimeMs>;
}

export interface RolesTable {
  role_id: Fixed<string>;
  /** Null for a built-in role, which every account has and whose id is its name. */
  account_id: Fixed<string | null>;
  name: string;
  created_at_ms: Fixed<TimeMs>;
  summary: Defaulted<string>;
  /** Who can have it. */
  holders: ColumnType<RoleHolders, RoleHolders | undefined, never>;
  updated_at_ms: Defaulted<TimeMs>;
  /** The registry version of its last change. */
  version: Defaulted<number>;
}

/** The permissions of accounts' custom roles. Those of built-in roles are in the contract, not here. */
interface RolePermissionsTable {
  role_id: Fixed<string>;
  permission: Fixed<string>;
}

interface ClientTagsTable {
  client_id: Fixed<string>;
  tag: Fixed<string>;
}

interface ClientRolesTable {
  client_id: Fixed<string>;
  role_id: Fixed<string>;
}

/** One row with the registry's version. Updating it first serializes writers. */
interface RegistryVersionTable {
  singleton: Fixed<1>;
  version: number;
}

/**
 * The subject of a registry change. `member` stands for what no node keeps in memory, and looks up whenever it is used:
 * members and webhooks.
 */
export type RegistrySubject = 'client' | 'role' | 'account' | 'member';

/** Changes by version, without gaps. Old rows are removed; a reader that missed some reloads everything. */
interface RegistryChangesTable {
  version: Fixed<number>;
  subject: Fixed<RegistrySubject>;
  subject_id: Fixed<string>;
  changed_at_ms: Fixed<TimeMs>;
}

/** The audit log. Events are written in the transaction of the change and kept permanently. */
export interface AuditEventsTable {
  /** The registry version of the change, so events are in commit order. */
  version: Fixed<number>;
  event_id: Fixed<string>;
  happened_at_ms: Fixed<TimeMs>;
  account_id: Fixed<string>;
  /** The client that the event is about, if any. */
  client_id: Fixed<string | null>;
  actor_kind: Fixed<AuditActorKind>;
  actor_id: Fixed<string>;
  /** Set only for a person. */
  actor_name: ColumnType<string | null, string | null | undefined, never>;
  /** The reason why an operator's member acted for the account; null if no one did. */
  acting_reason: ColumnType<string | null, string | null | undefined, never>;
  /** The second person who approved it, as JSON; null if it needed none. */
  approved_by: ColumnType<string | null, string | null | undefined, never>;
  action: Fixed<AuditAction>;
  /** JSON. */
  targets: Fixed<string>;
  before: Fixed<string | null>;
  after: Fixed<string | null>;
  source_address: Fixed<string | null>;
  request_id: Fixed<string | null>;
}

/** The audit log as a hash chain, written a moment after the events. Entries stay if an event is removed. */
interface AuditChainTable {
  /** From 1, without gaps, in the order of versions. */
  position: Fixed<number>;
  /** The version of the event. */
  version: Fixed<number>;
  event_id: Fixed<string>;
  /** As `ChainLink` of the contract describes them. */
  digest: Fixed<string>;
  hash: Fixed<string>;
}

/** The members of accounts, with their roles. */
interface MembersTable {
  account_id: Fixed<string>;
  user_id: Fixed<string>;
  /** The name of a built-in role of people, or the ID of one of the account's own. */
  role: string;
  created_at_ms: Fixed<TimeMs>;
}

interface InvitationsTable {
  invitation_id: Fixed<string>;
  account_id: Fixed<string>;
  /** Lowercase. */
  email: Fixed<string>;
  /** As in `MembersTable`. */
  role: string;
  /** SHA-256 of the token in the link. */
  token_hash: string;
  /** The userId of the person who sent the invitation, or last resent it. */
  invited_by: string;
  created_at_ms: Fixed<TimeMs>;
  expires_at_ms: TimeMs;
  accepted_at_ms: TimeMs | null;
  /** 1 if the link was only mailed and never displayed, so that opening it proves control of the address. */
  is_mailed: Defaulted<0 | 1>;
}

/** The customer accounts that sessions act for. Each row is removed with its session. */
interface ActingSessionsTable {
  session_id: Fixed<string>;
  account_id: string;
  reason: string;
  started_at_ms: TimeMs;
  ends_at_ms: TimeMs;
}

/** Accounts' requirements for their members; an account without a row has none. */
interface SecurityPoliciesTable {
  account_id: Fixed<string>;
  is_second_factor_required: 0 | 1;
  /** Members' sessions end after this many hours; null for the service's limit. */
  session_hours_max: number | null;
  /** The networks from which members may use the account, as JSON of `NetworkRecord[]`; null for everywhere. */
  portal_networks: Defaulted<string | null>;
  /** Requests are kept for this many days; null for the service's limit. */
  requests_kept_days: Defaulted<number | null>;
  /** 1 if risky changes wait for a second person. */
  is_second_person_required: Defaulted<0 | 1>;
}

/** Changes that wait for a second person, and those that did in the last months. */
export interface PendingChangesTable {
  pending_change_id: Fixed<string>;
  account_id: Fixed<string>;
  /** The ID of the operation. */
  operation: Fixed<string>;
  /** The path's parameters, the body, and the version that the requester had seen, as JSON. */
  request: Fixed<string>;
  /** What would be changed, before and after, as JSON: what the second person sees. */
  description: Fixed<string>;
  requested_by: Fixed<string>;
  /** The rest about the requester, as JSON. */
  requester: Fixed<string>;
  requested_at_ms: Fixed<TimeMs>;
  expires_at_ms: Fixed<TimeMs>;
  status: PendingChangeStatus;
  /** The userId of whoever approved, rejected or withdrew it. */
  decided_by: string | null;
  decider_name: string | null;
  decided_at_ms: TimeMs | null;
  reason: string | null;
}

/** The demonstration's data: clients, with everything that belongs to them, people, and audit events. */
interface DemoDataTable {
  account_id: Fixed<string>;
  subject: Fixed<'client' | 'person' | 'event'>;
  subject_id: Fixed<string>;
}
