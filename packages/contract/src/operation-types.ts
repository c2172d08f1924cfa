import type { Account, AccountChange, AccountListParameters, AccountRequest } from './management/accounts.ts';
import type { Acting, ActingRequest } from './management/acting.ts';
import type { AuditEvent, AuditEventListParameters } from './management/audit-events.ts';
import type { Checklist } from './management/checklist.ts';
import type { Client, ClientChange, ClientListParameters, ClientRequest } from './management/clients.ts';
import type { ExplanationRequest, RequestExplanation } from './management/explanations.ts';
import type { Invitation, InvitationRequest } from './management/invitations.ts';
import type {
  Key,
  KeyExtension,
  KeyInspection,
  KeyRenewalInfo,
  KeyRequest,
  KeyRetirement,
  KeyRevocation,
} from './management/keys.ts';
import type { LiveEvent, LiveEventParameters } from './management/live-events.ts';
import type { Member, MemberChange } from './management/members.ts';
import type {
  NetworkAddressTest,
  NetworkEntryRequest,
  NetworkWhitelistContent,
  NetworkWhitelistRequest,
} from './management/network-whitelist.ts';
import type {
  FailureParameters,
  RefusedAddresses,
  RefusedAddressParameters,
  RequestFailures,
} from './management/request-failures.ts';
import type { RequestStatistics, StatisticsParameters } from './management/request-statistics.ts';
import type { RequestEntry, RequestListParameters } from './management/requests.ts';
import type {
  PermissionEntry,
  Role,
  RoleChange,
  RoleListParameters,
  RoleRequest,
} from './management/roles.ts';
import type { SecurityPolicy, SecurityPolicyChange } from './management/security-policy.ts';
import type { ServiceHealth } from './management/service-health.ts';
import type { Source } from './management/source.ts';
import type { OperationSchemas } from './operation-schemas.ts';
import type { OperationId } from './operations.ts';
import type { Page } from './pages.ts';
import type { Payment, PaymentRequest } from './payments.ts';
import type { PageParameters, QueryParameter } from './query-parameters.ts';
import type { SignatureTest } from './signature-test.ts';
import type { Whoami } from './whoami.ts';
import type { z } from 'zod';

/** The types of every operation: what its body is, what its query can say, and what it answers. */
export interface OperationTypes {
  getWhoami: { answer: Whoami };
  testSignature: { answer: SignatureTest };
  testSignatureByPost: { body: unknown; answer: SignatureTest };
  testSignatureByPut: { body: unknown; answer: SignatureTest };
  testSignatureByPatch: { body: unknown; answer: SignatureTest };
  testSignatureByDelete: { answer: SignatureTest };
  createPayment: { body: PaymentRequest; answer: Payment };
  listPayments: { query: PageParameters; answer: Page<Payment> };
  getPayment: { answer: Payment };
  cancelPayment: { answer: Payment };
  listClients: { query: ClientListParameters; answer: Page<Client> };
  addClient: { body: ClientRequest; answer: Client };
  getClient: { answer: Client };
  updateClient: { body: ClientChange; answer: Client };
  disableClient: { answer: Client };
  enableClient: { answer: Client };
  revokeClient: { answer: Client };
  restoreClient: { answer: Client };
  getNetworkWhitelist: { answer: NetworkWhitelistContent };
  addNetworkEntry: { body: NetworkEntryRequest; answer: NetworkWhitelistContent };
  replaceNetworkWhitelist: { body: NetworkWhitelistRequest; answer: NetworkWhitelistContent };
  testNetworkAddress: {
    query: { readonly address: QueryParameter<string> & { readonly isRequired: true } };
    answer: NetworkAddressTest;
  };
  removeNetworkEntry: { answer: NetworkWhitelistContent };
  listKeys: { query: PageParameters; answer: Page<Key> };
  addKey: { body: KeyRequest; answer: Key };
  getKey: { answer: Key };
  retireKey: { body: KeyRetirement; answer: Key };
  extendKey: { body: KeyExtension; answer: Key };
  revokeKey: { body: KeyRevocation; answer: Key };
  getKeyRenewalInfo: { answer: KeyRenewalInfo };
  inspectKey: { body: { readonly publicKey: string }; answer: KeyInspection };
  listRoles: { query: RoleListParameters; answer: Page<Role> };
  addRole: { body: RoleRequest; answer: Role };
  getRole: { answer: Role };
  updateRole: { body: RoleChange; answer: Role };
  removeRole: { answer: Role };
  listPermissions: { answer: Page<PermissionEntry> };
  listRequests: { query: RequestListParameters; answer: Page<RequestEntry> };
  getRequest: { answer: RequestEntry };
  getRequestExplanation: { answer: RequestExplanation };
  explainRequest: { body: ExplanationRequest; answer: RequestExplanation };
  getRequestStatistics: { query: StatisticsParameters; answer: RequestStatistics };
  listRequestFailures: { query: FailureParameters; answer: RequestFailures };
  listRefusedAddresses: { query: RefusedAddressParameters; answer: RefusedAddresses };
  getChecklist: { answer: Checklist };
  streamEvents: { query: LiveEventParameters; answer: LiveEvent };
  getSource: { answer: Source };
  listAuditEvents: { query: AuditEventListParameters; answer: Page<AuditEvent> };
  getAuditEvent: { answer: AuditEvent };
  listAccounts: { query: AccountListParameters; answer: Page<Account> };
  addAccount: { body: AccountRequest; answer: Account };
  getAccount: { answer: Account };
  updateAccount: { body: AccountChange; answer: Account };
  getServiceHealth: { answer: ServiceHealth };
  listMembers: { query: PageParameters; answer: Page<Member> };
  changeMember: { body: MemberChange; answer: Member };
  removeMember: { answer: Member };
  listInvitations: { query: PageParameters; answer: Page<Invitation> };
  inviteMember: { body: InvitationRequest; answer: Invitation };
  resendInvitation: { answer: Invitation };
  revokeInvitation: { answer: Invitation };
  getSecurityPolicy: { answer: SecurityPolicy };
  updateSecurityPolicy: { body: SecurityPolicyChange; answer: SecurityPolicy };
  startActing: { body: ActingRequest; answer: Acting };
  endActing: { answer: Acting };
}

/** What the table of schemas must be for these types to be true: the compiler holds the two together. */
export type SchemasOfTypes = {
  readonly [Id in OperationId]: OperationSchemas &
    QueryOf<OperationTypes[Id]> &
    BodyOf<OperationTypes[Id]> & { readonly answer: z.ZodType<OperationTypes[Id]['answer']> };
};

type QueryOf<Types> = Types extends { query: infer Query }
  ? { readonly query: Query }
  : { readonly query?: never };
type BodyOf<Types> = Types extends { body: infer Body }
  ? { readonly body: z.ZodType<Body> }
  : { readonly body?: never };
