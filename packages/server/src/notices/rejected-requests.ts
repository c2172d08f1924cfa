import { firstIdAt } from '@countersign/contract';
import { sql } from 'kysely';
import type { Database } from '../storage/transaction.ts';

/** A rejected request that a notice shows. */
export interface ShownRequest {
  readonly request_id: string;
  readonly received_at_ms: number;
  readonly outcome: string;
  readonly is_proved: 0 | 1;
  readonly source_address: string;
}

/** A client's rejected requests. */
export interface RejectionFilter {
  readonly clientId: string;
  readonly outcomes: readonly string[];
  /** True for those with valid signatures, which strangers cannot send. Default all. */
  readonly onlyProved?: boolean;
  /** True for those that the gate rejected: an operation's answer can have the same code, but no reason. Default all. */
  readonly onlyByGate?: boolean;
  readonly fromMs: number;
  /** Default no end. */
  readonly beforeMs?: number;
}

/** Finds a client's first or last rejected request; undefined if the log has none. */
export async function findRejection(
  database: Database,
  { clientId, outcomes, onlyProved = false, onlyByGate = false, fromMs, beforeMs }: RejectionFilter,
  order: 'asc' | 'desc',
): Promise<ShownRequest | undefined> {
  let query = database
    .selectFrom('request_records')
    .select(['request_id', 'received_at_ms', 'outcome', 'is_proved', 'source_address'])
    .where('client_id', '=', clientId)
    .where('request_id', '>=', firstIdAt('request', fromMs))
    // A literal, not a parameter, so that the index of such requests is used.
    .where(sql<boolean>`outcome <> 'accepted'`)
    .where('outcome', 'in', outcomes)
    .where('is_observed', '=', 0);
  if (beforeMs !== undefined) query = query.where('request_id', '<', firstIdAt('request', beforeMs));
  if (onlyProved) query = query.where('is_proved', '=', 1);
  if (onlyByGate) query = query.where('reason', 'is not', null);
  return query.orderBy('request_id', order).limit(1).executeTakeFirst();
}

export function shownFailure(row: ShownRequest): {
  readonly requestId: string;
  readonly outcome: string;
  readonly isProved: boolean;
  readonly sourceAddress: string;
} {
  return {
    requestId: row.request_id,
    outcome: row.outcome,
    isProved: row.is_proved === 1,
    sourceAddress: row.source_address,
  };
}
