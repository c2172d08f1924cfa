import type { AuditAction, AuditActorKind, MemberRole, RevocationReason } from '@countersign/contract';
import type { ColumnType } from 'kysely';
// oxlint-disable-next-line unicorn/require-module-specifiers -- it declares the tables of people, which some queries join
import type {} from '../identity/identity.ts';
import type { Defaulted, Fixed, TimeMs } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    accounts: AccountsTable;
    clients: ClientsTable;
    client_keys: ClientKeysTable;
    last_uses: LastUsesTable;
    network_entries: NetworkEntriesTable;
    roles: RolesTable;
    role_permissions: RolePermissionsTable;
    client_roles: ClientRolesTable;
    registry_version: RegistryVersionTable;
    registry_changes: RegistryChangesTable;
    audit_events: AuditEventsTable;
    request_records: RequestRecordsTable;
    request_counts: RequestCountsTable;
    request_explanations: RequestExplanationsTable;
    members: MembersTable;
    invitations: InvitationsTable;
    acting_sessions: ActingSessionsTable;
    security_policies: SecurityPoliciesTable;
  }
}

/** `revoked` can be restored for some days; `archived` is a tombstone that keeps the clientId taken for ever. */
export type ClientStatus = 'active' | 'disabled' | 'revoked' | 'archived';

/** A `pending` key is registered and was not used yet; `retiring` ends at `ends_at_ms`; the last two are final. */
export type KeyStatus = 'pending' | 'active' | 'retiring' | 'expired' | 'revoked';

export interface AccountsTable {
  account_id: Fixed<string>;
  name: string;
  /** The name as it is searched in, without differences of case and accents. */
  search_name: Defaulted<string>;
  created_at_ms: Fixed<TimeMs>;
  /** Whether the permissions for accounts count for its clients. */
  is_operator: Defaulted<0 | 1>;
  /** After so many days a key of its clients stops verifying; null for no limit. */
  key_age_days_max: Defaulted<number | null>;
  updated_at_ms: Defaulted<TimeMs>;
  /** The registry version of its last change. */
  version: Defaulted<number>;
}

interface ClientsTable {
  /** The `keyid` of its signatures; unique in all accounts and for ever. */
  client_id: Fixed<string>;
  account_id: Fixed<string>;
  name: string;
  /** The name as it is searched in, without differences of case and accents. */
  search_name: Defaulted<string>;
  status: ClientStatus;
  accept_without_date: 0 | 1;
  allow_explanations: Defaulted<0 | 1>;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  /** When it was revoked; null otherwise. */
  revoked_at_ms: TimeMs | null;
  /** The registry version of its last change. */
  version: number;
}

interface ClientKeysTable {
  key_id: Fixed<string>;
  client_id: Fixed<string>;
  account_id: Fixed<string>;
  /** The public key as SubjectPublicKeyInfo in PEM. */
  spki_pem: Fixed<string>;
  /** Once in an account, revoked keys included. */
  fingerprint: Fixed<string>;
  modulus_bits: Fixed<number>;
  status: KeyStatus;
  created_at_ms: Fixed<TimeMs>;
  /** The key is not usable before this time; null for no limit. */
  starts_at_ms: TimeMs | null;
  /** The key is not usable from this time on; null for no limit. */
  ends_at_ms: TimeMs | null;
  revoked_at_ms: TimeMs | null;
  revocation_reason: Defaulted<RevocationReason | null>;
  /** The key that begins to end when this one has signed its first valid request. */
  replaces_key_id: ColumnType<string | null, string | null | undefined, never>;
  /** How long that key then verifies. */
  overlap_ms: ColumnType<number | null, number | null | undefined, never>;
  first_used_at_ms: Defaulted<TimeMs | null>;
}

/** When clients, keys and whitelist entries were last used; apart from them, because it is no change of the registry. */
interface LastUsesTable {
  subject: Fixed<LastUseSubject>;
  /** A clientId, a keyId, or a clientId, a space and a whitelist entry. */
  subject_id: Fixed<string>;
  used_at_ms: TimeMs;
  /** Where a client called from then; null for the others. */
  source_address: Defaulted<string | null>;
}

export type LastUseSubject = 'client' | 'key' | 'network';

interface NetworkEntriesTable {
  client_id: Fixed<string>;
  /** Canonical text, as `readNetworkEntry` of the contract gives it. */
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
  updated_at_ms: Defaulted<TimeMs>;
  /** The registry version of its last change. */
  version: Defaulted<number>;
}

/** The permissions of an account's own roles. Those of built-in roles stand in the contract, not here. */
interface RolePermissionsTable {
  role_id: Fixed<string>;
  permission: Fixed<string>;
}

interface ClientRolesTable {
  client_id: Fixed<string>;
  role_id: Fixed<string>;
}

/** One row: the version of the registry. Updating it first makes writers wait for each other. */
interface RegistryVersionTable {
  singleton: Fixed<1>;
  version: number;
}

/** What a change of the registry is about; that of members is looked up with each request of theirs. */
export type RegistrySubject = 'client' | 'role' | 'account' | 'member';

/** What changed, by version without gaps; old rows are removed, and a reader that missed some reads everything. */
interface RegistryChangesTable {
  version: Fixed<number>;
  subject: Fixed<RegistrySubject>;
  subject_id: Fixed<string>;
  changed_at_ms: Fixed<TimeMs>;
}

/** Who changed what. Written in the transaction of the change, and kept for good. */
export interface AuditEventsTable {
  /** The registry version of the change: events stand in the order in which they were committed. */
  version: Fixed<number>;
  event_id: Fixed<string>;
  happened_at_ms: Fixed<TimeMs>;
  account_id: Fixed<string>;
  /** The client that it is about, if it is about one. */
  client_id: Fixed<string | null>;
  actor_kind: Fixed<AuditActorKind>;
  actor_id: Fixed<string>;
  /** Only of a person. */
  actor_name: ColumnType<string | null, string | null | undefined, never>;
  /** Why somebody of the operator acted for the account; null where nobody did. */
  acting_reason: ColumnType<string | null, string | null | undefined, never>;
  action: Fixed<AuditAction>;
  /** JSON. */
  targets: Fixed<string>;
  before: Fixed<string | null>;
  after: Fixed<string | null>;
  source_address: Fixed<string | null>;
  request_id: Fixed<string | null>;
}

/** What was asked and how it was decided, for some weeks. */
export interface RequestRecordsTable {
  request_id: Fixed<string>;
  received_at_ms: Fixed<TimeMs>;
  account_id: Fixed<string>;
  /** The client that the request named. */
  client_id: Fixed<string>;
  /** Whether its signature was valid. */
  is_proved: Fixed<0 | 1>;
  outcome: Fixed<string>;
  reason: Fixed<string | null>;
  method: Fixed<string>;
  url: Fixed<string>;
  status: Fixed<number>;
  source_address: Fixed<string>;
  key_fingerprint: Fixed<string | null>;
  clock_difference_seconds: Fixed<number | null>;
  duration_us: Fixed<number | null>;
}

/** How many requests there were, by hours for some weeks and by days for more than a year. */
export interface RequestCountsTable {
  account_id: Fixed<string>;
  /** The client that the requests named; empty in the sums of all clients of the account. */
  client_id: Fixed<string>;
  span: Fixed<'hour' | 'day'>;
  /** In UTC. */
  starts_at_ms: Fixed<TimeMs>;
  /** The key that verified them; empty where none did, and in the sums. */
  key_id: Fixed<string>;
  outcome: Fixed<string>;
  count: number;
}

/** Why refused requests failed. Each row goes with the request that it is about. */
interface RequestExplanationsTable {
  request_id: Fixed<string>;
  account_id: Fixed<string>;
  /** JSON. */
  explanation: Fixed<string>;
}

/** Which people belong to which account, and as what. */
interface MembersTable {
  account_id: Fixed<string>;
  user_id: Fixed<string>;
  role: MemberRole;
  created_at_ms: Fixed<TimeMs>;
}

interface InvitationsTable {
  invitation_id: Fixed<string>;
  account_id: Fixed<string>;
  /** In lower case. */
  email: Fixed<string>;
  role: MemberRole;
  /** SHA-256 of the token in the link. */
  token_hash: string;
  /** The userId of the person who invited, or sent it again last. */
  invited_by: string;
  created_at_ms: Fixed<TimeMs>;
  expires_at_ms: TimeMs;
  accepted_at_ms: TimeMs | null;
  /** Whether the link went by mail, and was shown to nobody: then whoever has it has the address. */
  is_mailed: Defaulted<0 | 1>;
}

/** In which customer's account a session acts; it ends with the session. */
interface ActingSessionsTable {
  session_id: Fixed<string>;
  account_id: string;
  reason: string;
  started_at_ms: TimeMs;
  ends_at_ms: TimeMs;
}

/** What an account asks of its members; an account without a row asks nothing. */
interface SecurityPoliciesTable {
  account_id: Fixed<string>;
  is_second_factor_required: 0 | 1;
  /** Sessions of members end after so many hours; null for the limit of the service. */
  session_hours_max: number | null;
}
