/*
 * The queries of the registry, for everything that changes or shows it. Each change is one transaction, or a part of
 * the transaction that it is given, and notes what it changed so that every node follows, and who changed it.
 */
export {
  type AccountRecord,
  type AccountRules,
  type AccountUpdate,
  addAccount,
  hasAccount,
  listAccounts,
  type NewAccount,
  readAccount,
  readAccountRules,
  updateAccount,
} from './store/accounts.ts';
export { type AccountKey, readAccountKeys } from './store/account-keys.ts';
export { listAuditEvents, readAuditEvent } from './store/audit.ts';
export {
  changeRegistry,
  readChanges,
  readState,
  readVersion,
  recordChange,
  type RegistryChange,
  registryChannel,
} from './store/changes.ts';
export { isArchived, restorableMs } from './store/client-change.ts';
export {
  type ClientRecord,
  listClientIds,
  listClients,
  readClient,
  readClients,
} from './store/client-records.ts';
export { searchClients } from './store/client-search.ts';
export { archiveClients, type ClientTransition, moveClient } from './store/client-states.ts';
export { addClient, type NewClient, updateClient } from './store/clients.ts';
export type { Actor, ChangeContext, StoreContext } from './store/context.ts';
export {
  type ExplanationRow,
  insertExplanations,
  readExplanation,
  trimExplanations,
} from './store/explanations.ts';
export {
  addKey,
  expireKeys,
  extendKey,
  type NewKey,
  proveKey,
  retireKey,
  revokeKey,
} from './store/key-changes.ts';
export { rotationOf, rotationTimes } from './store/key-rotation.ts';
export { isCurrentKey, keyEndMs, type KeyRecord, keyStatusAt } from './store/key-state.ts';
export { findKeyOwner } from './store/keys.ts';
export { type LastUse, networkUseId, readLastUses, writeLastUses } from './store/last-uses.ts';
export {
  addNetworkEntry,
  type NetworkInput,
  type NetworkRecord,
  readWhitelist,
  removeNetworkEntry,
  setClientNetwork,
} from './store/networks.ts';
export {
  insertRequestRecords,
  listRequestRecords,
  readRequestRecord,
  type RequestRow,
} from './store/request-records.ts';
export { trimRequestRecords } from './store/request-trimming.ts';
export {
  addRole,
  type FullRole,
  listBuiltInRoles,
  listRoles,
  readRole,
  removeRole,
  updateRole,
} from './store/role-changes.ts';
export { readRoles, type RoleRecord } from './store/roles.ts';
