export { type AccountStatus, accountStatuses, countsInStatus } from './account-status.ts';
export {
  isProblemCode,
  isSignatureProblem,
  problemCodesMetBy,
  problems,
  profileChecks,
  type Problem,
  type ProblemCode,
  type ProfileCheck,
  type ProfileCheckName,
} from './problems.ts';
export {
  builtInRoles,
  countsIn,
  canBePermissionOf,
  isBuiltInRole,
  isClientPermission,
  isPermission,
  isPermitted,
  operatorPermissions,
  permissionPattern,
  permissions,
  permissionsFor,
  permissionsOfRole,
  personPermissions,
  problemOfDeploymentPermission,
  type BuiltInRole,
  type CallerId,
  type DeploymentPermissions,
  type OwnPermission,
  type Permission,
  type PermissionDescription,
  type Requirement,
  type RoleDescription,
  type RoleHolders,
} from './permissions.ts';
export {
  defaultRequestFilters,
  readRequestFilters,
  readSavedQuery,
  requestFiltersQuery,
  type RequestFilters,
  type SavedQuery,
} from './request-filters.ts';
export {
  periods,
  queryText,
  readTimeRange,
  writeTimeRange,
  type Period,
  type RollingPeriod,
  type TimeRange,
} from './time-range.ts';
export { isMemberRole, leadingRole, memberRoles, memberRolesOf, type MemberRole } from './member-roles.ts';
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
  type SessionEnds,
  type SignedInAccount,
  type SignedInPerson,
  type SignInState,
  type SignInStep,
  type StepUpAnswer,
  type StepUpMethod,
  type StepUpProblem,
  type TotpSecret,
} from './sign-in.ts';
export { operations, type Operation, type OperationId, type OperationTable } from './operations.ts';
export {
  operationSchemas,
  type AnswerOf,
  type BodyOf,
  type OperationSchemas,
  type QueryOf,
  type QueryValuesOf,
} from './operation-schemas.ts';
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
export type { ApiAnswer, ApiInput, InputOf } from './client/call.ts';
export { openApiDocument, type OpenApiOptions } from './openapi.ts';
export type * from './openapi/document.ts';
export { webhookEventCatalogue } from './openapi/webhook-catalogue.ts';
export { isMetadataKey, isMetadataValue, isTag } from './client-labels.ts';
export * from './alert-conditions.ts';
export { firstIdAt, isClientId, isId, newId } from './ids.ts';
export {
  asciiLower,
  meetsConditions,
  readRequestSearch,
  requestSearchMax,
  requestSorts,
  searchNameOf,
  type RequestCondition,
  type RequestSearch,
  type RequestSort,
  type SearchedRequest,
} from './request-search.ts';
export { isNetworkLabel, isReadableName } from './readable-text.ts';
export * from './network.ts';
export { type AnalyticsFact, analyticsFacts } from './analytics-facts.ts';
export * from './limits.ts';
export {
  type AuditAction,
  auditActions,
  auditActionsOf,
  auditFamilies,
  type AuditFamily,
  auditFamilyOf,
} from './audit-actions.ts';
export {
  type KeyDueStage,
  keyDueStages,
  type NoticeKind,
  type NoticeKindDescription,
  noticeKindNames,
  noticeKinds,
  webhookFailingDays,
  webhookFailingStages,
} from './notice-kinds.ts';
export {
  permissionsForEvents,
  type WebhookDataName,
  type WebhookEventDescription,
  type WebhookEventType,
  webhookEventTypeNames,
  webhookEventTypesIn,
  webhookEventTypes,
} from './webhook-event-types.ts';
export { type WebhookFailure, webhookFailures } from './webhook-failures.ts';
export { isWebhookHeaderValue, problemsOfHeaderNames } from './webhook-headers.ts';
export {
  type WebhookData,
  webhookData,
  type WebhookEvent,
  webhookEvent,
  webhookEventExamples,
} from './schemas/webhook-events.ts';
export { currencies } from './currencies.ts';
export { queries, schemas, type QueryName, type SchemaName } from './schemas.ts';
export type { CountedPage, Page, Shape } from './schemas/parts.ts';
export type {
  ExportFormat,
  QueryParameter,
  QueryParameters,
  QueryValues,
} from './schemas/query-parameters.ts';
export type * from './schemas/accounts.ts';
export type * from './schemas/alert-rules.ts';
export type * from './schemas/audit-events.ts';
export type * from './schemas/caller.ts';
export { bulkActions, type BulkAction } from './bulk-actions.ts';
export type * from './schemas/client-changes.ts';
export type * from './schemas/client-imports.ts';
export type * from './schemas/clients.ts';
export type * from './schemas/explanations.ts';
export type * from './schemas/keys.ts';
export type * from './schemas/network-whitelist.ts';
export type * from './schemas/notices.ts';
export type * from './schemas/payments.ts';
export { type PendingChangeStatus, pendingChangeStatuses } from './pending-change-statuses.ts';
export type * from './schemas/pending-changes.ts';
export type * from './schemas/people.ts';
export type * from './schemas/readiness.ts';
export type * from './schemas/request-analytics.ts';
export type * from './schemas/request-statistics.ts';
export type * from './schemas/requests.ts';
export type * from './schemas/roles.ts';
export type * from './schemas/saved-views.ts';
export type * from './schemas/webhooks.ts';
