/**
 * The data plane: frames a request, decides it, reads its body, and writes the response. It knows nothing
 * about storage, people or the management API, which are behind its doors. The registry, the replay guard and
 * the observer are interfaces.
 *
 * @module
 */
export {
  type Authorizer,
  type AuthorizerParts,
  createAuthorizer,
  type HandedOver,
  type HeaderPairs,
  type Verdict,
} from './authorizers/authorizer.ts';
export {
  type AuthorizerListenerParts,
  type AuthorizerMisuse,
  createAuthorizerListener,
  type HttpAuthorizer,
} from './authorizers/authorizer-listener.ts';
export { type AuthorizerProtocolName, authorizerProtocols } from './authorizers/protocols.ts';
export { admitClient, type ClientMeans, isFreshNow, type ProvedClient } from './decision/admit-client.ts';
export { decide, type Decision, type DecisionMeans } from './decision/decide.ts';
export type { OtherProfiles } from './decision/profiled-request.ts';
export { directoryUrlOf, keyDirectoryPath, type SignatureAgent } from './decision/signature-agent.ts';
export type {
  Admission,
  Door,
  FailedRequest,
  Rejection,
  RequestHead,
  Route,
  Sender,
  UnseenBody,
  WaitingClient,
} from './door.ts';
export { createGate, createUpgradeCheck, type GateParts, type SocketGateParts } from './gate.ts';
export type { Answer, EventStream, StreamOutput } from './http/answer.ts';
export {
  ConnectionBudget,
  type ConnectionFigures,
  type ConnectionLimits,
  type Overload,
} from './http/connection-budget.ts';
export { BaseUrls, originsOf, problemOfBaseUrls } from './http/base-urls.ts';
export type { ClientAddress } from './http/client-address.ts';
export { readCookie } from './http/cookies.ts';
export { type ReceivedHead, valuesOf } from './http/framing.ts';
export {
  attach,
  type Attachment,
  createListener,
  endSwitched,
  type ListenerLimits,
  profileListenerLimits,
  type Unparsable,
} from './http/listener.ts';
export { namedClientId } from './http/named-client.ts';
export type { Spooling } from './http/body.ts';
export { inMemory, type ReceivedBody, type SharedSpool, Spool } from './http/spool.ts';
export { ProblemError } from './http/problem-error.ts';
export type { LimitedCaller, SharedBuckets } from './limits/client-limit.ts';
export { createLimits, type LimitTables } from './limits/limits.ts';
export {
  type LimitInForce,
  limitsInForce,
  type OwnRequestLimits,
  type RequestLimit,
  type ServiceRequestLimit,
} from './limits/request-limit.ts';
export { bucketSecretLength, makeSharedBuckets, SharedBucketTable } from './limits/shared-buckets.ts';
export { type BucketPolicy, BucketTable, secondsToFill } from './limits/token-bucket.ts';
export { type ForwardingKey, type ForwardingSigner } from './proxy/forwarded-signature.ts';
export type { CrossOrigin } from './proxy/cross-origin.ts';
export { createGateway, type Routing } from './proxy/gateway.ts';
export {
  problemOfUpstreamAddress,
  upstreamDefaults,
  type UpstreamSettings,
  type UpstreamTls,
} from './proxy/upstream-settings.ts';
export type { OpenApiFinding } from './routes/openapi-finding.ts';
export { noPermission, summaryOf } from './routes/openapi-permissions.ts';
export type { OpenApiReading } from './routes/openapi-reading.ts';
export { type OpenApiOptions, routesOfOpenApi } from './routes/openapi-routes.ts';
export type { DescribedRule } from './routes/openapi-rules.ts';
export { readPathPattern, shapeOf } from './routes/path-pattern.ts';
export {
  nameOf,
  ordinaryRoute,
  type PermissionRule,
  permissionOf,
  type RouteMatch,
  type RouteMode,
  type RouteRule,
  RouteTable,
  safeMethods,
} from './routes/route-table.ts';
export type { AnsweredRequest, Observer, RequestRecord, RequestSpan, Tracing } from './request-record.ts';
export type {
  ClientLookup,
  KeyUse,
  RegisteredClient,
  Registry,
  RegistryFigures,
  UsableKey,
} from './registry.ts';
export { syncFolder } from './replay/guard-files.ts';
export { PersistentReplayGuard } from './replay/persistent-guard.ts';
export { isNearClock, rangeToReserve, type SecondRange, SecondRanges } from './replay/second-ranges.ts';
export { PersistentSharedGuard } from './replay/persistent-shared-guard.ts';
export { monotonicMsOfProcess, type SharedGuardPolicy, SharedReplayGuard } from './replay/shared-guard.ts';
export type { SharedGuardMemory } from './replay/shared-memory.ts';
export { keysUsableAt, readStoredKey, readVerificationKey, type StoredKey } from './stored-key.ts';
