import type { AuditAction, AuditActorKind, MemberRole, RevocationReason } from '@countersign/contract';
import type { ColumnType } from 'kysely';

/*
 * The tables, as the queries see them. Types are chosen so that SQLite and PostgreSQL run the same statements: ids
 * and names are text, times are whole milliseconds since 1970, switches are 0 or 1.
 */

/** A value that is set when the row is made, and never again. */
type Fixed<Value> = ColumnType<Value, Value, never>;

/** A value that the database fills in when a row is made without it. */
type Defaulted<Value> = ColumnType<Value, Value | undefined, Value>;

/** Milliseconds since 1970. */
type TimeMs = number;

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

export interface ClientsTable {
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

export interface ClientKeysTable {
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
export interface LastUsesTable {
  subject: Fixed<LastUseSubject>;
  /** A clientId, a keyId, or a clientId, a space and a whitelist entry. */
  subject_id: Fixed<string>;
  used_at_ms: TimeMs;
  /** Where a client called from then; null for the others. */
  source_address: Defaulted<string | null>;
}

export type LastUseSubject = 'client' | 'key' | 'network';

export interface NetworkEntriesTable {
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
export interface RolePermissionsTable {
  role_id: Fixed<string>;
  permission: Fixed<string>;
}

export interface ClientRolesTable {
  client_id: Fixed<string>;
  role_id: Fixed<string>;
}

/** One row: the version of the registry. Updating it first makes writers wait for each other. */
export interface RegistryVersionTable {
  singleton: Fixed<1>;
  version: number;
}

/** What a change of the registry is about; that of members is looked up with each request of theirs. */
export type RegistrySubject = 'client' | 'role' | 'account' | 'member';

/** What changed, by version without gaps; old rows are removed, and a reader that missed some reads everything. */
export interface RegistryChangesTable {
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
export interface RequestExplanationsTable {
  request_id: Fixed<string>;
  account_id: Fixed<string>;
  /** JSON. */
  explanation: Fixed<string>;
}

export interface PaymentsTable {
  payment_id: Fixed<string>;
  account_id: Fixed<string>;
  client_id: Fixed<string>;
  amount: Fixed<number>;
  currency: Fixed<string>;
  reference: Fixed<string>;
  description: Fixed<string | null>;
  /** `pending` also stands for completed: that follows from `completes_at_ms` when it is read. */
  status: ColumnType<'pending' | 'cancelled', 'pending', 'cancelled'>;
  created_at_ms: Fixed<TimeMs>;
  completes_at_ms: Fixed<TimeMs>;
  cancelled_at_ms: TimeMs | null;
}

export interface IdempotencyKeysTable {
  /** A hash of client, operation and key. */
  record_id: Fixed<string>;
  /** A hash of the request; an equal key with another hash is refused. */
  fingerprint: Fixed<string>;
  /** The answer; headers and body are JSON. */
  status: number;
  headers: string;
  body: string;
  expires_at_ms: Fixed<TimeMs>;
}

/** One row: up to which second signatures may have been used, for a guard outside of the database. */
export interface GuardMarkTable {
  singleton: Fixed<1>;
  /** The epoch that may raise the mark; empty before the first one. */
  epoch: string;
  /** Unix seconds. */
  reserved_seconds: number;
  /** The guard that decides for this database; empty before the first one. */
  claimed_by: string;
  /** Up to here, another guard may have accepted signatures. Unix seconds. */
  horizon_seconds: number;
}

/** The replay guard in the database; only on PostgreSQL. */
export interface UsedSignaturesTable {
  /** 16 bytes of a hash of keyid and signature. */
  id: Fixed<Buffer>;
  client_id: Fixed<string>;
  /** `created` of the signature. Unix seconds. */
  created_seconds: Fixed<number>;
  /** By the clock of the server. */
  first_used_at: Fixed<Date>;
}

/** An epoch is a time in which the database cannot have forgotten used signatures. Only on PostgreSQL. */
export interface GuardEpochsTable {
  epoch: Fixed<string>;
  /** Whether every node has said what it had accepted before the epoch. */
  is_settled: 0 | 1;
  /** Signatures created up to this second are refused when they are not known. Unix seconds. */
  horizon_seconds: number;
}

/** What a node that has lived through the beginning of an epoch says of the time before. Only on PostgreSQL. */
export interface GuardTestimoniesTable {
  epoch: Fixed<string>;
  node_id: Fixed<string>;
  /** The latest `created` that the node had accepted. Unix seconds. */
  accepted_seconds: number;
}

/** The people who sign in to the portal. */
export interface PersonsTable {
  user_id: Fixed<string>;
  name: string;
  /** In lower case. */
  email: string;
  /** Whether it came by mail that somebody may be this person, or the identity provider has vouched for it. */
  is_email_verified: 0 | 1;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
}

/** How a person proves who it is: by a password, or by somebody who vouches for it. */
export interface PersonCredentialsTable {
  credential_id: Fixed<string>;
  user_id: Fixed<string>;
  /** `credential` for a password, `oidc` for the identity provider. */
  provider_id: Fixed<string>;
  /** The person's own id for a password; the subject that the identity provider names. */
  provider_account_id: Fixed<string>;
  /** Argon2id with its parameters and salt; null where there is no password. */
  password_hash: string | null;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
}

/** A row for each browser in which a person has signed in, with every factor that it needs. */
export interface PersonSessionsTable {
  session_id: Fixed<string>;
  user_id: Fixed<string>;
  /** SHA-256 of the token in the cookie. */
  token_hash: Fixed<string>;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  /** When the person did something there last, by what the page says. */
  last_seen_at_ms: TimeMs;
  /** The session ends then, whatever is done in it. */
  expires_at_ms: TimeMs;
  source_address: Fixed<string | null>;
  user_agent: Fixed<string | null>;
  /** When the password was given last, or the identity provider has asked who it is; null for never. */
  password_proved_at_ms: TimeMs | null;
  /** When a second factor or a passkey was given last; null for never. */
  factor_proved_at_ms: TimeMs | null;
}

/** The authenticator app of a person. */
export interface PersonSecondFactorsTable {
  user_id: Fixed<string>;
  /** Encrypted with the secret of the service. */
  secret: string;
  created_at_ms: TimeMs;
  /** The time step of the newest code that was used: neither it nor an older one is taken again (RFC 6238 section 5.2). */
  last_used_step: number;
}

/** Recovery codes that are left; a used one is deleted. */
export interface PersonRecoveryCodesTable {
  user_id: Fixed<string>;
  /** SHA-256. */
  code_hash: Fixed<string>;
}

export interface PersonPasskeysTable {
  passkey_id: Fixed<string>;
  user_id: Fixed<string>;
  name: string;
  /** As the authenticator names it; base64url. */
  credential_id: Fixed<string>;
  /** A COSE key; Base64. */
  public_key: Fixed<string>;
  counter: number;
  device_type: Fixed<string>;
  is_backed_up: Fixed<0 | 1>;
  transports: Fixed<string | null>;
  aaguid: Fixed<string | null>;
  created_at_ms: Fixed<TimeMs>;
  last_used_at_ms: TimeMs | null;
}

/** What was begun and must be ended by the same browser, and links that work once. */
export interface PersonVerificationsTable {
  verification_id: Fixed<string>;
  /** What it is for, and a hash of its token. */
  identifier: string;
  value: string;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  expires_at_ms: TimeMs;
}

/** Links that make the first person; there are none once there is a person. */
export interface SetUpLinksTable {
  token_hash: Fixed<string>;
  created_at_ms: Fixed<TimeMs>;
}

/** How often somebody has guessed wrong lately, by address and by person. */
export interface SignInFailuresTable {
  /** `address` or `person`, and a hash. */
  subject: Fixed<string>;
  failures: number;
  /** Nothing is looked at before that time. */
  locked_until_ms: TimeMs;
  /** From then on the row counts for nothing. */
  forgotten_at_ms: TimeMs;
}

/** One row: what cookies are signed and secrets of authenticator apps encrypted with, unless a setting says otherwise. */
export interface PeopleSecretTable {
  singleton: Fixed<1>;
  secret: Fixed<string>;
}

/** Which people belong to which account, and as what. */
export interface MembersTable {
  account_id: Fixed<string>;
  user_id: Fixed<string>;
  role: MemberRole;
  created_at_ms: Fixed<TimeMs>;
}

export interface InvitationsTable {
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
export interface ActingSessionsTable {
  session_id: Fixed<string>;
  account_id: string;
  reason: string;
  started_at_ms: TimeMs;
  ends_at_ms: TimeMs;
}

/** What an account asks of its members; an account without a row asks nothing. */
export interface SecurityPoliciesTable {
  account_id: Fixed<string>;
  is_second_factor_required: 0 | 1;
  /** Sessions of members end after so many hours; null for the limit of the service. */
  session_hours_max: number | null;
}

/** All tables. */
export interface Schema {
  guard_mark: GuardMarkTable;
  used_signatures: UsedSignaturesTable;
  guard_epochs: GuardEpochsTable;
  guard_testimonies: GuardTestimoniesTable;
  accounts: AccountsTable;
  clients: ClientsTable;
  client_keys: ClientKeysTable;
  network_entries: NetworkEntriesTable;
  roles: RolesTable;
  role_permissions: RolePermissionsTable;
  client_roles: ClientRolesTable;
  registry_version: RegistryVersionTable;
  registry_changes: RegistryChangesTable;
  last_uses: LastUsesTable;
  audit_events: AuditEventsTable;
  request_records: RequestRecordsTable;
  request_counts: RequestCountsTable;
  request_explanations: RequestExplanationsTable;
  payments: PaymentsTable;
  idempotency_keys: IdempotencyKeysTable;
  persons: PersonsTable;
  person_credentials: PersonCredentialsTable;
  person_sessions: PersonSessionsTable;
  person_second_factors: PersonSecondFactorsTable;
  person_recovery_codes: PersonRecoveryCodesTable;
  person_passkeys: PersonPasskeysTable;
  person_verifications: PersonVerificationsTable;
  set_up_links: SetUpLinksTable;
  sign_in_failures: SignInFailuresTable;
  people_secret: PeopleSecretTable;
  members: MembersTable;
  invitations: InvitationsTable;
  acting_sessions: ActingSessionsTable;
  security_policies: SecurityPoliciesTable;
}
