import type { OperationId } from '@countersign/contract';
import type { Handler } from '../handler.ts';
import { changeAccount, createAccount, getAccount, listAccounts } from './accounts.ts';
import { endActing, startActing } from './acting.ts';
import { getAuditEvent, listAuditEvents } from './audit-events.ts';
import { changeClientSettings, changeClientState, createClient, getClient, listClients } from './clients.ts';
import { explainPasted, getRequestExplanation } from './explanations.ts';
import { inviteMember, listInvitations, resendInvitation, revokeInvitation } from './invitations.ts';
import { changeMember, listMembers, removeMember } from './members.ts';
import { changeSecurityPolicy, getSecurityPolicy } from './security-policy.ts';
import { listRefusedAddresses, listRequestFailures } from './failures.ts';
import {
  createKey,
  endKeyForEver,
  endKeyLater,
  getKey,
  getRenewalInfo,
  giveKeyMoreTime,
  inspectKey,
  listKeys,
} from './keys.ts';
import { streamEvents } from './live-events.ts';
import { addEntry, getWhitelist, removeEntry, replaceWhitelist, testAddress } from './network-whitelist.ts';
import { getChecklist, getServiceHealth, getSource } from './overview.ts';
import type { ManagementParts } from './parts.ts';
import { getRequest, listRequests } from './requests.ts';
import { changeRole, createRole, getRole, listPermissions, listRoles, removeRole } from './roles.ts';
import { getRequestStatistics } from './statistics.ts';

/** The operations of the management API. */
export type ManagementOperationId = Exclude<
  OperationId,
  'getWhoami' | `testSignature${string}` | 'createPayment' | 'listPayments' | 'getPayment' | 'cancelPayment'
>;

/** The handlers of the management API. Those that change something see to it that this node follows before they answer. */
export function managementHandlers(parts: ManagementParts): Readonly<Record<ManagementOperationId, Handler>> {
  const changing =
    (handler: Handler): Handler =>
    async (request) => {
      const answer = await handler(request);
      await parts.followChange();
      return answer;
    };
  return {
    listClients: listClients(parts),
    addClient: changing(createClient(parts)),
    getClient: getClient(parts),
    updateClient: changing(changeClientSettings(parts)),
    disableClient: changing(changeClientState(parts, 'disable')),
    enableClient: changing(changeClientState(parts, 'enable')),
    revokeClient: changing(changeClientState(parts, 'revoke')),
    restoreClient: changing(changeClientState(parts, 'restore')),
    getNetworkWhitelist: getWhitelist(parts),
    addNetworkEntry: changing(addEntry(parts)),
    replaceNetworkWhitelist: changing(replaceWhitelist(parts)),
    testNetworkAddress: testAddress(parts),
    removeNetworkEntry: changing(removeEntry(parts)),
    listKeys: listKeys(parts),
    addKey: changing(createKey(parts)),
    getKey: getKey(parts),
    retireKey: changing(endKeyLater(parts)),
    extendKey: changing(giveKeyMoreTime(parts)),
    revokeKey: changing(endKeyForEver(parts)),
    getKeyRenewalInfo: getRenewalInfo(parts),
    inspectKey: inspectKey(parts),
    listRoles: listRoles(parts),
    addRole: changing(createRole(parts)),
    getRole: getRole(parts),
    updateRole: changing(changeRole(parts)),
    removeRole: changing(removeRole(parts)),
    listPermissions,
    listRequests: listRequests(parts),
    getRequest: getRequest(parts),
    getRequestExplanation: getRequestExplanation(parts),
    explainRequest: explainPasted(parts),
    getRequestStatistics: getRequestStatistics(parts),
    listRequestFailures: listRequestFailures(parts),
    listRefusedAddresses: listRefusedAddresses(parts),
    getChecklist: getChecklist(parts),
    streamEvents: streamEvents(parts),
    getSource,
    getServiceHealth: getServiceHealth(parts),
    listAuditEvents: listAuditEvents(parts),
    getAuditEvent: getAuditEvent(parts),
    listAccounts: listAccounts(parts),
    addAccount: changing(createAccount(parts)),
    getAccount: getAccount(parts),
    updateAccount: changing(changeAccount(parts)),
    listMembers: listMembers(parts),
    changeMember: changing(changeMember(parts)),
    removeMember: changing(removeMember(parts)),
    listInvitations: listInvitations(parts),
    inviteMember: changing(inviteMember(parts)),
    resendInvitation: changing(resendInvitation(parts)),
    revokeInvitation: changing(revokeInvitation(parts)),
    getSecurityPolicy: getSecurityPolicy(parts),
    updateSecurityPolicy: changing(changeSecurityPolicy(parts)),
    startActing: changing(startActing(parts)),
    endActing: changing(endActing(parts)),
  };
}
