import type { ServiceHealth } from '@countersign/contract';
import type { PublicKeyPolicy } from '@countersign/signature/node';
import type { Database } from '../../storage/transaction.ts';
import type { ExplanationOutcome, ExplanationTask } from '../../explanations/explainer.ts';
import type { EventStreams } from '../../live/event-streams.ts';
import type { People } from '../../identity/identity.ts';
import type { Idempotency } from '../idempotency.ts';

/** What explaining a pasted request needs. */
export interface ExplainingParts {
  /** Resolves with undefined when there is no room for one more. */
  readonly explain: (task: ExplanationTask, owner: string) => Promise<ExplanationOutcome | undefined>;
  /** What the service itself decides by. */
  readonly options: () => Pick<ExplanationTask['options'], 'window' | 'nonce' | 'baseUrls'>;
}

/** What the management API needs. */
export interface ManagementParts {
  readonly database: Database;
  readonly idempotency: Idempotency;
  /** Which keys may be registered. */
  readonly keyPolicy: PublicKeyPolicy;
  /** Called after each change, before its answer: the next request on this node is decided by what it changed. */
  readonly followChange: () => Promise<void>;
  readonly explaining: ExplainingParts;
  /** How the node is doing. */
  readonly health: () => ServiceHealth;
  readonly eventStreams: Pick<EventStreams, 'hasRoom' | 'stream'>;
  /** Sends and counts invitations; undefined where there is no portal, and so no person that could ask for one. */
  readonly people: Pick<People, 'invite' | 'countInvitation'> | undefined;
}
