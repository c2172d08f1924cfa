export { isProblemCode, isSignatureProblem, problems, type Problem, type ProblemCode } from './problems.ts';
export { profileChecks, type ProfileCheck, type ProfileCheckName } from './profile-checks.ts';
export {
  builtInRoles,
  countsIn,
  isBuiltInRole,
  isClientPermission,
  isPermission,
  isPermitted,
  operatorPermissions,
  permissions,
  personPermissions,
  type BuiltInRole,
  type CallerId,
  type Permission,
  type PermissionDescription,
  type Requirement,
  type RoleDescription,
} from './permissions.ts';
export {
  isMemberRole,
  leadingRole,
  memberRoles,
  memberRolesOf,
  type MemberRole,
  type MemberRoleDescription,
} from './member-roles.ts';
export {
  passwordLimits,
  stepUpMinutes,
  type Features,
  type InvitationOffer,
  type Passkey,
  type Profile,
  type ProfileSession,
  type ProviderProblem,
  type RecoveryCodes,
  type SignedInAccount,
  type SignedInPerson,
  type SignInState,
  type SignInStep,
  type StepUpAnswer,
  type StepUpMethod,
  type StepUpProblem,
  type TotpSecret,
} from './sign-in.ts';
export { operations, type Operation, type OperationId } from './operations.ts';
export { operationSchemas, type OperationSchemas } from './operation-schemas.ts';
export {
  callOperation,
  createClient,
  request,
  type ApiClient,
  type ClientOptions,
  type RequestSigner,
  type SendRequest,
  type SignedCall,
} from './client.ts';
export { ApiError, type ApiErrorCode, type MemberError, type ProblemDocument } from './client/api-error.ts';
export type { AnswerOf, ApiAnswer, ApiInput, InputOf } from './client/call.ts';
export { openApiDocument, type OpenApiOptions } from './openapi.ts';
export { commonProblemCodes, signInProblemCodes } from './openapi/operation-problems.ts';
export type {
  JsonSchema,
  OpenApiContent,
  OpenApiDocument,
  OpenApiHeader,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSecurityScheme,
  Reference,
} from './openapi/document.ts';
export { firstIdAt, isId, newId } from './ids.ts';
export { isClientId } from './names.ts';
export { isReadableName } from './readable-text.ts';
export * from './network.ts';
export { currencies } from './currencies.ts';
export { pageLimits, type Page } from './pages.ts';
export {
  pageParameters,
  type ExportFormat,
  type PageParameters,
  type QueryParameter,
  type QueryParameters,
  type QueryValues,
} from './query-parameters.ts';
export {
  paymentListSchema,
  paymentRequestSchema,
  paymentSchema,
  type Payment,
  type PaymentList,
  type PaymentRequest,
  type PaymentStatus,
} from './payments.ts';
export { signatureTestSchema, type SignatureTest } from './signature-test.ts';
export { whoamiSchema, type Whoami } from './whoami.ts';
export {
  accountChangeSchema,
  accountListParameters,
  accountRequestSchema,
  accountSchema,
  type Account,
  type AccountChange,
  type AccountRequest,
} from './management/accounts.ts';
export {
  actingMinutes,
  actingRequestSchema,
  actingSchema,
  type Acting,
  type ActingRequest,
} from './management/acting.ts';
export {
  auditActions,
  auditEventListParameters,
  auditEventSchema,
  type AuditAction,
  type AuditActor,
  type AuditActorKind,
  type AuditEvent,
  type AuditTarget,
  type AuditTargetType,
} from './management/audit-events.ts';
export {
  clientChangeSchema,
  clientListParameters,
  clientRequestSchema,
  clientSchema,
  restorableDays,
  type Client,
  type ClientChange,
  type ClientNetwork,
  type ClientRequest,
  type ClientStatus,
} from './management/clients.ts';
export { checklistSchema, type Checklist } from './management/checklist.ts';
export {
  explanationRequestSchema,
  requestExplanationSchema,
  type ExplanationFinding,
  type ExplanationRequest,
  type RequestExplanation,
  type ExplanationCheck,
  type FindingCertainty,
  type FindingEvidence,
} from './management/explanations.ts';
export {
  invitationDays,
  invitationRequestSchema,
  invitationSchema,
  type Invitation,
  type InvitationRequest,
} from './management/invitations.ts';
export { keyTimes } from './management/key-times.ts';
export {
  keyExtensionSchema,
  keyInspectionRequestSchema,
  keyInspectionSchema,
  keyRenewalInfoSchema,
  keyRequestSchema,
  keyRetirementSchema,
  keyRevocationSchema,
  keySchema,
  revocationReasons,
  type Key,
  type KeyInspection,
  type KeyRenewalInfo,
  type KeyRequest,
  type KeyRotation,
  type KeyStatus,
  type RevocationReason,
} from './management/keys.ts';
export {
  isNetworkLabel,
  networkAddressTestSchema,
  networkEntryRequestSchema,
  networkLimits,
  networkTestParameters,
  networkWhitelistRequestSchema,
  networkWhitelistSchema,
  type NetworkAddressTest,
  type NetworkEntryRequest,
  type NetworkWhitelistContent,
  type NetworkWhitelistRequest,
  type WhitelistEntry,
} from './management/network-whitelist.ts';
export { liveEventParameters, liveEventSchema, type LiveEvent } from './management/live-events.ts';
export {
  failureLimits,
  failureParameters,
  refusedAddressesSchema,
  refusedAddressParameters,
  requestFailuresSchema,
  type FailureGroup,
  type RefusedAddress,
  type RefusedAddresses,
  type RequestFailures,
} from './management/request-failures.ts';
export {
  requestStatisticsSchema,
  statisticsLimits,
  statisticsParameters,
  type RequestStatistics,
  type StatisticsGrouping,
  type StatisticsInterval,
  type StatisticsPoint,
  type StatisticsSeries,
} from './management/request-statistics.ts';
export {
  requestEntrySchema,
  requestListParameters,
  requestListSchema,
  type RequestEntry,
} from './management/requests.ts';
export {
  securityPolicyChangeSchema,
  securityPolicySchema,
  type SecurityPolicy,
  type SecurityPolicyChange,
} from './management/security-policy.ts';
export { memberChangeSchema, memberSchema, type Member, type MemberChange } from './management/members.ts';
export { serviceHealthSchema, type ServiceHealth } from './management/service-health.ts';
export { sourceSchema, type Source } from './management/source.ts';
export {
  permissionEntrySchema,
  roleChangeSchema,
  roleListParameters,
  roleRequestSchema,
  roleSchema,
  type PermissionEntry,
  type Role,
  type RoleChange,
  type RoleRequest,
} from './management/roles.ts';
