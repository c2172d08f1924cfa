/*
 * The queries of the registry, for everything that changes or shows it. Each change is one transaction, or a part of
 * the transaction that it is given, and notes what it changed so that every node follows.
 */
export { type AccountRecord, addAccount, listAccounts } from './store/accounts.ts';
export { readChanges, readVersion, recordChange, type RegistryChange } from './store/changes.ts';
export { type ClientRecord, listClients, readClient, readClients } from './store/client-records.ts';
export {
  addClient,
  addKey,
  type NewClient,
  revokeKey,
  setClientNetwork,
  setClientRoles,
  setClientStatus,
  type StoreContext,
} from './store/clients.ts';
export type { KeyRecord } from './store/keys.ts';
export type { NetworkInput, NetworkRecord } from './store/networks.ts';
export { readRoles, type RoleRecord } from './store/roles.ts';
