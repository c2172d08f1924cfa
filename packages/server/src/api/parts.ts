import type { DeploymentPermissions, ServiceHealth } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { PublicKeyPolicy } from '@countersign/signature/node';
import type { Transaction } from 'kysely';
import type { ExplanationOutcome, ExplanationTask } from '../explanations/explainer.ts';
import type { People } from '../identity/identity.ts';
import type { EventStreams } from '../live/event-streams.ts';
import type { StoreContext } from '../registry/store/context.ts';
import type { Schema } from '../storage/schema.ts';
import type { Database } from '../storage/transaction.ts';
import type { ApiRequest } from './handler.ts';
import type { Idempotency } from './idempotency.ts';

/** What the service gives to the API. */
export interface ApiOptions {
  readonly database: Database;
  /** The keys that may be registered. */
  readonly keyPolicy: PublicKeyPolicy;
  /** The permissions that the deployment adds; none unless set. */
  readonly addedPermissions?: DeploymentPermissions;
  /** Called after each change and before its answer, so that this node decides the next request by the change. */
  readonly followChange: () => Promise<void>;
  readonly explaining: ExplainingParts;
  readonly health: () => ServiceHealth;
  readonly eventStreams: Pick<EventStreams, 'hasRoom' | 'stream'>;
  /** Sends and counts invitations; undefined without a portal, where nobody could ask for one. */
  readonly people: Pick<People, 'invite' | 'countInvitation' | 'newInvitationToken'> | undefined;
  /** A payment stays pending for so long. */
  readonly paymentsCompleteAfterSeconds: number;
}

/** What explaining a pasted request needs. */
export interface ExplainingParts {
  /** Resolves with undefined if there is no room for one more. */
  readonly explain: (task: ExplanationTask, owner: string) => Promise<ExplanationOutcome | undefined>;
  /** What the service itself decides by. */
  readonly options: () => Pick<ExplanationTask['options'], 'window' | 'nonce' | 'baseUrls'>;
}

/** What handlers work with. */
export interface ApiParts extends ApiOptions {
  readonly idempotency: Idempotency;
  readonly change: Change;
}

/**
 * Makes a change that a caller asks for: in one transaction, in the caller's name, once for an `Idempotency-Key`. This node
 * follows it before the answer.
 *
 * @throws ProblemError `precondition_required` and those of `Idempotency`
 */
export type Change = <Body>(
  request: ApiRequest,
  work: (transaction: Transaction<Schema>, context: StoreContext) => Promise<Answer<Body>>,
) => Promise<Answer<Body>>;
