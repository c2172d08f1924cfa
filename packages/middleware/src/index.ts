/**
 * Verifies signed requests in front of an API. The closures for Express, Fastify, Hono, Koa and node:http are in entry
 * points of their own.
 *
 * @module
 */
export type { ClientKey, ClientRecord } from './clients/client-record.ts';
export type { ClientSource, RegistryCopy } from './clients/client-source.ts';
export { followRegistry, type FollowRegistryOptions } from './clients/followed-registry.ts';
export type { FindClient } from './clients/looked-up-clients.ts';
export { openServiceRegistry, type ServiceRegistryOptions } from './clients/service-registry.ts';
export { openReplayGuard, type OpenReplayGuard, type ReplayGuardOptions } from './replay-guard.ts';
export type { RequestToPermit, VerifierLimits, VerifierOptions } from './verifier-options.ts';
export { BodyTakenError, createVerifier, type SignedRequest, type Verifier } from './verifier.ts';
