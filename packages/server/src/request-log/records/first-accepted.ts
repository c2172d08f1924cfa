import { firstIdAt } from '@countersign/contract';
import { passedOutcomes } from '@countersign/contract/problems';
import type { Database } from '../../storage/transaction.ts';

/** A client's first accepted request, in the request log. */
export interface FirstAccepted {
  readonly request_id: string;
  readonly received_at_ms: number;
  readonly source_address: string;
  readonly key_fingerprint: string | null;
}

/** How many requests are looked at: strangers may have sent many others before. */
const lookedAtMax = 10_000;

/**
 * Finds the first accepted request of a client that was received after a time; undefined if the log does not have it, or has
 * too many others before it.
 *
 * @param afterMs default the beginning of the log
 */
export async function findFirstAccepted(
  database: Database,
  { clientId, afterMs }: { readonly clientId: string; readonly afterMs?: number },
): Promise<FirstAccepted | undefined> {
  let requests = database
    .selectFrom('request_records')
    .select(['request_id', 'outcome', 'is_observed'])
    .where('client_id', '=', clientId)
    .orderBy('request_id')
    .limit(lookedAtMax);
  if (afterMs !== undefined) requests = requests.where('request_id', '>=', firstIdAt('request', afterMs + 1));
  return database
    .selectFrom(requests.as('looked_at'))
    .innerJoin('request_records', 'request_records.request_id', 'looked_at.request_id')
    .select(['request_records.request_id', 'received_at_ms', 'source_address', 'key_fingerprint'])
    .where('looked_at.outcome', 'in', [...passedOutcomes])
    .where('looked_at.is_observed', '=', 0)
    .where('is_proved', '=', 1)
    .orderBy('looked_at.request_id')
    .limit(1)
    .executeTakeFirst();
}
