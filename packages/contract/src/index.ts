export { isProblemCode, isSignatureProblem, problems, type Problem, type ProblemCode } from './problems.ts';
export {
  builtInRoles,
  isBuiltInRole,
  isPermission,
  operatorPermissions,
  permissions,
  type BuiltInRole,
  type Permission,
  type PermissionDescription,
  type RoleDescription,
} from './permissions.ts';
export { operations, type Operation, type OperationId } from './operations.ts';
export { operationSchemas, type OperationSchemas } from './operation-schemas.ts';
export {
  createClient,
  type ApiClient,
  type ClientOptions,
  type RequestSigner,
  type SignedCall,
} from './client.ts';
export { ApiError, type ApiErrorCode, type ProblemDocument } from './client/api-error.ts';
export type { ApiAnswer, ApiInput } from './client/call.ts';
export { openApiDocument, type OpenApiOptions } from './openapi.ts';
export { commonProblemCodes } from './openapi/operation-problems.ts';
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
export { isClientId, isReadableName } from './names.ts';
export { formatAddress, parseAddress, type Address, type AddressWords } from './network/address.ts';
export { readNetworkEntry, type NetworkEntry, type NetworkEntryReading } from './network/network-entry.ts';
export { NetworkWhitelist } from './network/network-whitelist.ts';
export { sourceAddress } from './network/source-address.ts';
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
  accountRequestSchema,
  accountSchema,
  type Account,
  type AccountChange,
  type AccountRequest,
} from './management/accounts.ts';
export {
  auditActions,
  auditEventListParameters,
  auditEventSchema,
  type AuditAction,
  type AuditActor,
  type AuditActorKind,
  type AuditEvent,
  type AuditTarget,
} from './management/audit-events.ts';
export {
  clientChangeSchema,
  clientListParameters,
  clientRequestSchema,
  clientSchema,
  restorableDays,
  type Client,
  type ClientChange,
  type ClientRequest,
  type ClientStatus,
} from './management/clients.ts';
export {
  explanationRequestSchema,
  requestExplanationSchema,
  type ExplanationFinding,
  type ExplanationRequest,
  type RequestExplanation,
} from './management/explanations.ts';
export {
  keyExtensionSchema,
  keyInspectionRequestSchema,
  keyInspectionSchema,
  keyRenewalInfoSchema,
  keyRequestSchema,
  keyRetirementSchema,
  keyRevocationSchema,
  keySchema,
  keyTimes,
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
export {
  requestEntrySchema,
  requestListParameters,
  requestListSchema,
  type RequestEntry,
} from './management/requests.ts';
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
