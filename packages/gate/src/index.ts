/**
 * The data plane: frames a request, decides about it, reads its body, and writes the answer. Knows no storage, no people and no
 * management API; registry, replay guard, log and metrics are interfaces.
 *
 * @module
 */
export { accept, type AccessChecks, type AccessDependencies, admit } from './decision/checks.ts';
export type { Admission, Attempt, Denial } from './decision/decision.ts';
export { type AnswerContext, sendJson, sendProblem, sendStream, sendText } from './http/answer.ts';
export { BaseUrls, problemOfBaseUrls, type PublicOrigins } from './http/base-urls.ts';
export { readBody } from './http/body.ts';
export { type ClientAddress, clientAddress } from './http/client-address.ts';
export { type Framed, readFrame, valuesOf } from './http/framing.ts';
export {
  createListener,
  type ListenerLimits,
  profileListenerLimits,
  type RequestListener,
  type Unparsable,
} from './http/listener.ts';
export { ProblemError } from './http/problem-error.ts';
export { ClientLimit, type SharedBuckets } from './limits/client-limit.ts';
export { FailureLimit } from './limits/failure-limit.ts';
export { createLimits } from './limits/limits.ts';
export { type BucketPolicy, BucketTable, secondsToFill } from './limits/token-bucket.ts';
export type { KeyUse, RegisteredClient, Registry, RegistryFigures, UsableKey } from './registry.ts';
export { PersistentReplayGuard } from './replay/persistent-guard.ts';
export { syncFolder } from './replay/guard-files.ts';
