/*
 * The queries of the registry, for everything that changes or shows it. Each change is one transaction, or a part of
 * the transaction that it is given, and notes what it changed so that every node follows, and who changed it.
 */
export {
  type AccountRecord,
  type AccountUpdate,
  addAccount,
  hasAccount,
  listAccounts,
  type NewAccount,
  readAccount,
  searchAccounts,
  updateAccount,
} from './store/accounts.ts';
export { type AccountRules, readAccountRules } from './store/account-rules.ts';
export { type AccountAccess, readAccess } from './store/account-access.ts';
export { type ActingRecord, endActing, startActing } from './store/acting.ts';
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
export { openEntries, readChecklist } from './store/checklist.ts';
export { isArchived, restorableMs } from './store/client-change.ts';
export {
  type ClientRecord,
  listClientIds,
  listClients,
  readClient,
  readClients,
} from './store/client-records.ts';
export { searchClients } from './store/client-search.ts';
export { archiveClients, moveClient } from './store/client-states.ts';
export { addClient, type NewClient, updateClient } from './store/clients.ts';
export type { Actor, ChangeContext, StoreContext } from './store/context.ts';
export {
  type ExplanationRow,
  insertExplanations,
  readExplanation,
  trimExplanations,
} from './store/explanations.ts';
export {
  addInvitation,
  type InvitationRecord,
  listInvitations,
  removeInvitation,
  renewInvitation,
} from './store/invitations.ts';
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
export {
  type LastUse,
  networkUseId,
  readClientUses,
  readLastUses,
  writeLastUses,
} from './store/last-uses.ts';
export { changeMember, listMembers, type MemberRecord, removeMember } from './store/members.ts';
export {
  addNetworkEntry,
  type NetworkInput,
  type NetworkRecord,
  readWhitelist,
  removeNetworkEntry,
  setClientNetwork,
} from './store/networks.ts';
export {
  addRequestCounts,
  countRequests,
  type RequestCount,
  type RequestCountRow,
  spanMs,
  trimRequestCounts,
} from './store/request-counts.ts';
export { groupFailures, listRefusedAddresses } from './store/request-failures.ts';
export {
  insertRequestRecords,
  listNewRequestIds,
  listRequestRecords,
  readRequestRecord,
  readRequestRecords,
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
export { type PolicyRecord, readPolicy, updatePolicy } from './store/security-policies.ts';
