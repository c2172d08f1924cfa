import type { PublicKeyPolicy } from '@countersign/signature/node';
import type { Database } from '../../storage/transaction.ts';
import type { Idempotency } from '../idempotency.ts';

/** What the management API needs. */
export interface ManagementParts {
  readonly database: Database;
  readonly idempotency: Idempotency;
  /** Which keys may be registered. */
  readonly keyPolicy: PublicKeyPolicy;
  /** Called after each change, before its answer: the next request on this node is decided by what it changed. */
  readonly followChange: () => Promise<void>;
}
