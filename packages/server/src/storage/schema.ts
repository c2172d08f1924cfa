import type { ColumnType } from 'kysely';

/*
 * The tables, as the queries see them. Types are chosen so that SQLite and PostgreSQL run the same statements: ids
 * and names are text, times are whole milliseconds since 1970, switches are 0 or 1.
 */

/** A value that is set when the row is made, and never again. */
type Fixed<Value> = ColumnType<Value, Value, never>;

/** Milliseconds since 1970. */
type TimeMs = number;

/** `revoked` can be restored for some days; `archived` is a tombstone that keeps the clientId taken for ever. */
export type ClientStatus = 'active' | 'disabled' | 'revoked' | 'archived';

/** A `pending` key is registered and was not used yet; `retiring` ends at `ends_at_ms`; the last two are final. */
export type KeyStatus = 'pending' | 'active' | 'retiring' | 'expired' | 'revoked';

export interface AccountsTable {
  account_id: Fixed<string>;
  name: string;
  created_at_ms: Fixed<TimeMs>;
}

export interface ClientsTable {
  /** The `keyid` of its signatures; unique in all accounts and for ever. */
  client_id: Fixed<string>;
  account_id: Fixed<string>;
  name: string;
  status: ClientStatus;
  accept_without_date: 0 | 1;
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
}

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

/** What changed, by version without gaps; old rows are removed, and a reader that missed some reads everything. */
export interface RegistryChangesTable {
  version: Fixed<number>;
  subject: Fixed<'client' | 'role'>;
  subject_id: Fixed<string>;
  changed_at_ms: Fixed<TimeMs>;
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
  status: Fixed<number>;
  /** JSON. */
  headers: Fixed<string>;
  body: Fixed<string>;
  expires_at_ms: Fixed<TimeMs>;
}

/** All tables. */
export interface Schema {
  accounts: AccountsTable;
  clients: ClientsTable;
  client_keys: ClientKeysTable;
  network_entries: NetworkEntriesTable;
  roles: RolesTable;
  role_permissions: RolePermissionsTable;
  client_roles: ClientRolesTable;
  registry_version: RegistryVersionTable;
  registry_changes: RegistryChangesTable;
  payments: PaymentsTable;
  idempotency_keys: IdempotencyKeysTable;
}
