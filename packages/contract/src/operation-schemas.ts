import type { z } from 'zod';
import {
  accountChangeSchema,
  accountListParameters,
  accountRequestSchema,
  accountSchema,
} from './management/accounts.ts';
import { actingRequestSchema, actingSchema } from './management/acting.ts';
import {
  auditEventListParameters,
  auditEventListSchema,
  auditEventSchema,
} from './management/audit-events.ts';
import { checklistSchema } from './management/checklist.ts';
import {
  clientChangeSchema,
  clientListParameters,
  clientRequestSchema,
  clientSchema,
} from './management/clients.ts';
import { explanationRequestSchema, requestExplanationSchema } from './management/explanations.ts';
import { invitationRequestSchema, invitationSchema } from './management/invitations.ts';
import {
  keyExtensionSchema,
  keyInspectionRequestSchema,
  keyInspectionSchema,
  keyRenewalInfoSchema,
  keyRequestSchema,
  keyRetirementSchema,
  keyRevocationSchema,
  keySchema,
} from './management/keys.ts';
import { liveEventParameters, liveEventSchema } from './management/live-events.ts';
import { memberChangeSchema, memberSchema } from './management/members.ts';
import {
  networkAddressTestSchema,
  networkEntryRequestSchema,
  networkTestParameters,
  networkWhitelistRequestSchema,
  networkWhitelistSchema,
} from './management/network-whitelist.ts';
import {
  failureParameters,
  refusedAddressesSchema,
  refusedAddressParameters,
  requestFailuresSchema,
} from './management/request-failures.ts';
import { requestStatisticsSchema, statisticsParameters } from './management/request-statistics.ts';
import { requestEntrySchema, requestListParameters, requestListSchema } from './management/requests.ts';
import {
  permissionEntrySchema,
  roleChangeSchema,
  roleListParameters,
  roleRequestSchema,
  roleSchema,
} from './management/roles.ts';
import { securityPolicyChangeSchema, securityPolicySchema } from './management/security-policy.ts';
import { serviceHealthSchema } from './management/service-health.ts';
import { sourceSchema } from './management/source.ts';
import type { SchemasOfTypes } from './operation-types.ts';
import type { OperationId } from './operations.ts';
import { pageSchema } from './pages.ts';
import { paymentListSchema, paymentRequestSchema, paymentSchema } from './payments.ts';
import { pageParameters, type QueryParameters } from './query-parameters.ts';
import { signatureTestBodySchema, signatureTestSchema } from './signature-test.ts';
import { whoamiSchema } from './whoami.ts';

/** What an operation takes and gives. */
export interface OperationSchemas {
  /** The parameters of its query; none when left out. */
  readonly query?: QueryParameters;
  /** Its body; none when left out. */
  readonly body?: z.ZodType;
  /** Whether the body may be left out, and then is an empty object. */
  readonly isBodyOptional?: true;
  /** The status of its answer; 200 when left out. */
  readonly status?: 201;
  /** Of a stream, one of its events. */
  readonly answer: z.ZodType;
  /** Whether the answer is a stream of server-sent events. */
  readonly isStream?: true;
}

const client = { answer: clientSchema };
const key = { answer: keySchema };
const whitelist = { answer: networkWhitelistSchema };
const role = { answer: roleSchema };
const account = { answer: accountSchema };
const signatureTest = { answer: signatureTestSchema };
const explanation = { answer: requestExplanationSchema };
const member = { answer: memberSchema };
const invitation = { answer: invitationSchema };
const securityPolicy = { answer: securityPolicySchema };
const acting = { answer: actingSchema };

/** The schemas of every operation: those that validate are those that are documented. */
export const operationSchemas: Readonly<Record<OperationId, OperationSchemas>> = {
  getWhoami: { answer: whoamiSchema },
  testSignature: signatureTest,
  testSignatureByPost: { ...signatureTest, body: signatureTestBodySchema, isBodyOptional: true },
  testSignatureByPut: { ...signatureTest, body: signatureTestBodySchema, isBodyOptional: true },
  testSignatureByPatch: { ...signatureTest, body: signatureTestBodySchema, isBodyOptional: true },
  testSignatureByDelete: signatureTest,
  createPayment: { body: paymentRequestSchema, status: 201, answer: paymentSchema },
  listPayments: { query: { ...pageParameters }, answer: paymentListSchema },
  getPayment: { answer: paymentSchema },
  cancelPayment: { answer: paymentSchema },
  listClients: { query: { ...clientListParameters }, answer: pageSchema(clientSchema) },
  addClient: { ...client, body: clientRequestSchema, status: 201 },
  getClient: client,
  updateClient: { ...client, body: clientChangeSchema },
  disableClient: client,
  enableClient: client,
  revokeClient: client,
  restoreClient: client,
  getNetworkWhitelist: whitelist,
  addNetworkEntry: { ...whitelist, body: networkEntryRequestSchema, status: 201 },
  replaceNetworkWhitelist: { ...whitelist, body: networkWhitelistRequestSchema },
  testNetworkAddress: { query: { ...networkTestParameters }, answer: networkAddressTestSchema },
  removeNetworkEntry: whitelist,
  listKeys: { query: { ...pageParameters }, answer: pageSchema(keySchema) },
  addKey: { ...key, body: keyRequestSchema, status: 201 },
  getKey: key,
  retireKey: { ...key, body: keyRetirementSchema, isBodyOptional: true },
  extendKey: { ...key, body: keyExtensionSchema },
  revokeKey: { ...key, body: keyRevocationSchema },
  getKeyRenewalInfo: { answer: keyRenewalInfoSchema },
  inspectKey: { body: keyInspectionRequestSchema, answer: keyInspectionSchema },
  listRoles: { query: { ...roleListParameters }, answer: pageSchema(roleSchema) },
  addRole: { ...role, body: roleRequestSchema, status: 201 },
  getRole: role,
  updateRole: { ...role, body: roleChangeSchema },
  removeRole: role,
  listPermissions: { answer: pageSchema(permissionEntrySchema) },
  listRequests: { query: { ...requestListParameters }, answer: requestListSchema },
  getRequest: { answer: requestEntrySchema },
  getRequestExplanation: explanation,
  explainRequest: { ...explanation, body: explanationRequestSchema },
  getRequestStatistics: { query: { ...statisticsParameters }, answer: requestStatisticsSchema },
  listRequestFailures: { query: { ...failureParameters }, answer: requestFailuresSchema },
  listRefusedAddresses: { query: { ...refusedAddressParameters }, answer: refusedAddressesSchema },
  getChecklist: { answer: checklistSchema },
  streamEvents: { query: { ...liveEventParameters }, answer: liveEventSchema, isStream: true },
  getSource: { answer: sourceSchema },
  listAuditEvents: { query: { ...auditEventListParameters }, answer: auditEventListSchema },
  getAuditEvent: { answer: auditEventSchema },
  listAccounts: { query: { ...accountListParameters }, answer: pageSchema(accountSchema) },
  addAccount: { ...account, body: accountRequestSchema, status: 201 },
  getAccount: account,
  updateAccount: { ...account, body: accountChangeSchema },
  getServiceHealth: { answer: serviceHealthSchema },
  listMembers: { query: { ...pageParameters }, answer: pageSchema(memberSchema) },
  changeMember: { ...member, body: memberChangeSchema },
  removeMember: member,
  listInvitations: { query: { ...pageParameters }, answer: pageSchema(invitationSchema) },
  inviteMember: { ...invitation, body: invitationRequestSchema, status: 201 },
  resendInvitation: invitation,
  revokeInvitation: invitation,
  getSecurityPolicy: securityPolicy,
  updateSecurityPolicy: { ...securityPolicy, body: securityPolicyChangeSchema },
  startActing: { ...acting, body: actingRequestSchema, status: 201 },
  endActing: acting,
} satisfies SchemasOfTypes;
