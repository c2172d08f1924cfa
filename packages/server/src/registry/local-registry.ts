import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PublicKeyPolicy } from '@countersign/signature/node';
import { openDatabase } from '../storage/database.ts';
import type { Database } from '../storage/transaction.ts';
import { RegistryError } from './registry-error.ts';
import {
  type AccountRecord,
  addAccount,
  addClient,
  addKey,
  type ClientRecord,
  listAccounts,
  listClients,
  type NetworkInput,
  readClient,
  revokeKey,
  setClientNetwork,
  setClientRoles,
  setClientStatus,
  type StoreContext,
} from './store.ts';

export { StorageError, type StorageErrorCode } from '../storage/storage-error.ts';
export { RegistryError, type RegistryErrorCode } from './registry-error.ts';
export type { AccountRecord, ClientRecord, KeyRecord, NetworkInput, NetworkRecord } from './store.ts';

/** The name of the database in the data folder. */
export const databaseFileName = 'countersign.sqlite';

/** Where the registry is, and what it may do. */
export interface LocalRegistryOptions {
  readonly dataFolder: string;
  /** Make an empty registry when there is none; otherwise that is an error. False unless set. */
  readonly createIfMissing?: boolean;
  /** Which keys may be registered; the defaults of the signature package unless set. */
  readonly keyPolicy?: PublicKeyPolicy;
}

/** A client to add on the command line. */
export interface NewLocalClient {
  readonly name: string;
  /** May be left out when there is one account; when there is none, one is made. */
  readonly accountId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly network: readonly NetworkInput[];
  readonly roles: readonly string[];
  readonly acceptWithoutDate?: boolean | undefined;
}

/**
 * The registry of a data folder, for the operator on the same machine. A service that runs on the folder follows each
 * change within a second. Whoever can read and write the folder may do everything.
 *
 * Methods throw `RegistryError` and `StorageError`; nothing is written then. Close it when done.
 */
export interface LocalRegistry {
  listAccounts(): Promise<AccountRecord[]>;
  addAccount(name: string): Promise<AccountRecord>;
  addClient(client: NewLocalClient): Promise<ClientRecord>;
  /** A page of clients in the order of their ids: 100 unless `limit` says otherwise. */
  listClients(page?: { readonly afterClientId?: string; readonly limit?: number }): Promise<ClientRecord[]>;
  showClient(clientId: string): Promise<ClientRecord>;
  disableClient(clientId: string): Promise<ClientRecord>;
  enableClient(clientId: string): Promise<ClientRecord>;
  setNetwork(clientId: string, network: readonly NetworkInput[]): Promise<ClientRecord>;
  setRoles(clientId: string, roles: readonly string[]): Promise<ClientRecord>;
  addKey(clientId: string, publicKey: string): Promise<ClientRecord>;
  /** Revokes a key, named by its keyId or its whole fingerprint, for ever. */
  revokeKey(clientId: string, keyReference: string): Promise<ClientRecord>;
  close(): Promise<void>;
}

/** Opens the registry of a data folder. Safe while the service runs on it. */
export async function openLocalRegistry(options: LocalRegistryOptions): Promise<LocalRegistry> {
  const file = join(options.dataFolder, databaseFileName);
  if (options.createIfMissing !== true && !existsSync(file)) {
    throw new RegistryError(
      'registry_missing',
      `There is no registry in ${options.dataFolder}: give the data folder of the service, or start the service once.`,
    );
  }
  const database = await openDatabase({ file });
  const context = (): StoreContext => ({ nowMs: Date.now(), keyPolicy: options.keyPolicy ?? {} });
  return {
    listAccounts: () => listAccounts(database),
    addAccount: (name) => addAccount(database, name, Date.now()),
    addClient: (client) => addToAccount(database, client, context()),
    listClients: (page) => listClients(database, { limit: 100, ...page }),
    showClient: (clientId) => readClient(database, clientId),
    disableClient: (clientId) => setClientStatus(database, clientId, 'disabled', Date.now()),
    enableClient: (clientId) => setClientStatus(database, clientId, 'active', Date.now()),
    setNetwork: (clientId, network) => setClientNetwork(database, clientId, network, Date.now()),
    setRoles: (clientId, roles) => setClientRoles(database, clientId, roles, Date.now()),
    addKey: (clientId, publicKey) => addKey(database, clientId, publicKey, context()),
    revokeKey: (clientId, keyReference) => revokeKey(database, clientId, keyReference, Date.now()),
    close: () => database.destroy(),
  };
}

/** Adds a client to the account that is named, to the only one there is, or to a new first one. */
async function addToAccount(
  database: Database,
  client: NewLocalClient,
  context: StoreContext,
): Promise<ClientRecord> {
  return database.transaction().execute(async (transaction) => {
    const accountId = client.accountId ?? (await onlyAccount(transaction, context.nowMs));
    return addClient(transaction, { ...client, accountId }, context);
  });
}

async function onlyAccount(database: Database, nowMs: number): Promise<string> {
  const [first, second] = await listAccounts(database);
  if (second !== undefined) {
    throw new RegistryError(
      'account_ambiguous',
      'There are several accounts: give the accountId of one of them.',
    );
  }
  return first?.accountId ?? (await addAccount(database, 'Default account', nowMs)).accountId;
}
