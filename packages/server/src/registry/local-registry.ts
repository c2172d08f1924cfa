import { userInfo } from 'node:os';
import type { RevocationReason } from '@countersign/contract';
import { messageProfiles } from '@countersign/signature/messages/request';
import type { PublicKeyPolicy } from '@countersign/signature/node';
import { backUpDatabase } from '../storage/backup.ts';
import type { Database } from '../storage/transaction.ts';
import { RegistryError } from './registry-error.ts';
import { existingDatabaseFile, openPlace, type RegistryPlace } from './registry-place.ts';
import {
  type AccountRecord,
  type AccountUpdate,
  addAccount,
  listAccounts,
  type NewAccount,
  updateAccount,
} from './store/accounts.ts';
import { changeRegistry } from './store/changes.ts';
import type { ProfileChoice } from './store/client-profile.ts';
import { type ClientMetadata, type ClientRecord, listClients, readClient } from './store/client-records.ts';
import { moveClient } from './store/client-states.ts';
import { addClient, type ClientUpdate, updateClient } from './store/clients.ts';
import type { Actor, StoreContext } from './store/context.ts';
import { type DemoDataRecord, listDemoAccounts, removeDemoData } from './store/demo-data.ts';
import { refreshDirectory } from './store/directory-refresh.ts';
import { profileAlgorithmsOf } from './store/key-algorithm.ts';
import { addKey, type NewKey, revokeKey } from './store/key-changes.ts';
import { type NetworkInput, type NetworkRecord, setClientNetwork } from './store/networks.ts';
import { clearPortalNetworks } from './store/clear-portal-networks.ts';

export { StorageError, type StorageErrorCode } from '../storage/storage-error.ts';
export { RegistryError, type RegistryErrorCode } from './registry-error.ts';
export { moveRegistry, type MovedRows, type MoveProgress, type RegistryMove } from './move-registry.ts';
export { databaseFileName, type RegistryPlace } from './registry-place.ts';
export type { AccountRecord, AccountUpdate, NewAccount } from './store/accounts.ts';
export type { ClientRecord } from './store/client-records.ts';
export type { DemoDataRecord } from './store/demo-data.ts';
export type { NewKey } from './store/key-changes.ts';
export type { KeyRecord } from './store/key-state.ts';
export type { NetworkInput, NetworkRecord } from './store/networks.ts';

/** The registry's location and settings. */
export type LocalRegistryOptions = RegistryPlace & {
  /** Creates an empty registry if the data folder has none; otherwise a missing registry is an error. Default false. */
  readonly createIfMissing?: boolean;
  /** Rules for keys that may be registered. Defaults to the signature package's rules. */
  readonly keyPolicy?: PublicKeyPolicy;
};

/** A client to add from the command line. */
export interface NewLocalClient extends ProfileChoice {
  readonly name: string;
  /** Optional if there is only one account. If there is none, one is created. */
  readonly accountId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly publicKey?: string | undefined;
  /** The only algorithm that the key is for. Default what the key says, or the usual one of its kind. */
  readonly algorithm?: string | undefined;
  readonly network: readonly NetworkInput[];
  readonly roles: readonly string[];
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: ClientMetadata | undefined;
  readonly allowExplanations?: boolean | undefined;
  /** When the client and its keys expire for good; undefined for a client that stays. */
  readonly expiresAtMs?: number | undefined;
  /** When its key expires; undefined for never. */
  readonly keyEndsAtMs?: number | undefined;
}

export type ClientLabels = Pick<ClientUpdate, 'tags' | 'metadata'>;

/**
 * Gives the operator direct access to the registry in a data folder or database, on the same machine. Services
 * that use it follow each change within a second. Anyone who can read and write the folder, or knows the
 * database URL, can do everything.
 *
 * Methods throw `RegistryError` and `StorageError`, and write nothing in that case. Close it when done.
 */
export interface LocalRegistry {
  listAccounts(): Promise<AccountRecord[]>;
  /** Adds an account, from just a name or from full details. */
  addAccount(account: string | NewAccount): Promise<AccountRecord>;
  /** Changes an account. Only this method can make an account the operator's. */
  updateAccount(accountId: string, change: AccountUpdate): Promise<AccountRecord>;
  addClient(client: NewLocalClient): Promise<ClientRecord>;
  /** Lists a page of clients in id order; `limit` defaults to 100. */
  listClients(page?: { readonly afterClientId?: string; readonly limit?: number }): Promise<ClientRecord[]>;
  showClient(clientId: string): Promise<ClientRecord>;
  disableClient(clientId: string): Promise<ClientRecord>;
  enableClient(clientId: string): Promise<ClientRecord>;
  /** Revokes a client and all its keys. It can be restored for 7 days. */
  revokeClient(clientId: string): Promise<ClientRecord>;
  /** Restores a revoked client, disabled and without keys. */
  restoreClient(clientId: string): Promise<ClientRecord>;
  setNetwork(clientId: string, network: readonly NetworkInput[]): Promise<ClientRecord>;
  setRoles(clientId: string, roles: readonly string[]): Promise<ClientRecord>;
  /** Changes tags and metadata: tags replace the previous ones, and null removes an entry of the metadata. */
  label(clientId: string, labels: ClientLabels): Promise<ClientRecord>;
  /** Adds a key, from just its text or from full details. */
  addKey(clientId: string, key: string | NewKey): Promise<ClientRecord>;
  /** Revokes a key permanently. The reference is its keyId or its full fingerprint. */
  revokeKey(clientId: string, keyReference: string, reason?: RevocationReason): Promise<ClientRecord>;
  /** Has a client's directory of keys fetched within seconds by a running service, at most once a minute. */
  refreshDirectory(clientId: string): Promise<ClientRecord>;
  /** Lets an account's people use the portal from everywhere, and returns the networks that were allowed before. */
  clearPortalNetworks(accountId: string): Promise<readonly NetworkRecord[]>;
  /** Removes the demo data of all accounts, and returns how much was removed. */
  removeDemoData(): Promise<DemoDataRecord>;
  close(): Promise<void>;
}

/** Opens a registry. Safe while services use it. */
export async function openLocalRegistry(options: LocalRegistryOptions): Promise<LocalRegistry> {
  const database = await openPlace(options);
  const actor = operatorOnThisMachine();
  const { keyPolicy = {} } = options;
  const context = (): StoreContext => ({ nowMs: Date.now(), keyPolicy, actor, profileAlgorithms });
  return {
    listAccounts: () => listAccounts(database),
    addAccount: (account) =>
      addAccount(database, typeof account === 'string' ? { name: account } : account, context()),
    updateAccount: (accountId, change) => updateAccount(database, accountId, change, context()),
    addClient: (client) => addToAccount(database, client, context()),
    listClients: (page) => listClients(database, { limit: 100, ...page }),
    showClient: (clientId) => readClient(database, clientId),
    disableClient: (clientId) => moveClient(database, clientId, 'disable', context()),
    enableClient: (clientId) => moveClient(database, clientId, 'enable', context()),
    revokeClient: (clientId) => moveClient(database, clientId, 'revoke', context()),
    restoreClient: (clientId) => moveClient(database, clientId, 'restore', context()),
    setNetwork: (clientId, network) => setClientNetwork(database, clientId, network, context()),
    setRoles: (clientId, roles) => updateClient(database, clientId, { roles }, context()),
    label: (clientId, { tags, metadata }) => updateClient(database, clientId, { tags, metadata }, context()),
    addKey: (clientId, key) =>
      addKey(database, clientId, typeof key === 'string' ? { publicKey: key } : key, context()),
    revokeKey: (clientId, keyReference, reason = 'unspecified') =>
      revokeKey(database, clientId, keyReference, { reason }, context()),
    refreshDirectory: (clientId) => refreshDirectory(database, clientId, context()),
    clearPortalNetworks: (accountId) => clearPortalNetworks(database, accountId, context()),
    removeDemoData: () => removeAllDemoData(database, context()),
    close: () => database.destroy(),
  };
}

/** Only those of the library: an operator's own profiles are in the service's settings. */
const profileAlgorithms = profileAlgorithmsOf(Object.values(messageProfiles));

/**
 * Copies a data folder's database to a new file. Safe while services use it.
 *
 * @returns the copy's size in bytes
 */
export async function backUpRegistry(dataFolder: string, copy: string): Promise<number> {
  return backUpDatabase(existingDatabaseFile(dataFolder), copy);
}

async function removeAllDemoData(database: Database, context: StoreContext): Promise<DemoDataRecord> {
  const sum = { clients: 0, members: 0, requests: 0, auditEvents: 0 };
  for (const accountId of await listDemoAccounts(database)) {
    const removed = await removeDemoData(database, accountId, context);
    for (const name of ['clients', 'members', 'requests', 'auditEvents'] as const) sum[name] += removed[name];
  }
  return sum;
}

/**
 * Returns the machine's user for the audit log: anyone who can open the registry is trusted without
 * authentication.
 */
function operatorOnThisMachine(): Actor {
  try {
    return { kind: 'operator-cli', id: userInfo().username };
  } catch {
    // The user has no entry in the user database, as in some containers.
    return { kind: 'operator-cli', id: 'unknown' };
  }
}

/** Adds a client to the named account, to the only account, or to a newly created first one. */
async function addToAccount(
  database: Database,
  client: NewLocalClient,
  context: StoreContext,
): Promise<ClientRecord> {
  return changeRegistry(database, async (transaction) => {
    const accountId = client.accountId ?? (await onlyAccount(transaction, context));
    return addClient(transaction, { ...client, accountId }, context);
  });
}

/**
 * Returns true for an operator account without clients: it is for the provider's people, and not a place for
 * clients.
 */
async function isForPeopleOnly(
  database: Database,
  { accountId, isOperator }: AccountRecord,
): Promise<boolean> {
  if (!isOperator) return false;
  const ofAccount = database.selectFrom('clients').select('client_id').where('account_id', '=', accountId);
  return (await ofAccount.limit(1).executeTakeFirst()) === undefined;
}

async function onlyAccount(database: Database, context: StoreContext): Promise<string> {
  const accounts = await listAccounts(database, { limit: 3 });
  const meant: AccountRecord[] = [];
  for (const account of accounts) if (!(await isForPeopleOnly(database, account))) meant.push(account);
  const [first = accounts[0], second] = meant;
  if (second !== undefined) {
    throw new RegistryError('account_ambiguous', 'There are several accounts: specify an accountId.');
  }
  if (first !== undefined) return first.accountId;
  // A first account that is created implicitly belongs to the operator.
  return (await addAccount(database, { name: 'Default account', isOperator: true }, context)).accountId;
}
