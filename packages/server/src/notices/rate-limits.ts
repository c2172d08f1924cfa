import { limitsInForce, type ServiceRequestLimit } from '@countersign/gate';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { addNotice, type NoticeContent, type NotingContext } from './add-notice.ts';
import { hasRoomToday } from './daily-room.ts';
import { countSince, firstHourAfterQuiet, hoursToLookAt } from './quiet-day.ts';
import { countHours, rateLimitCode, refusedClients } from './refusal-counts.ts';
import { findRejection, shownFailure } from './rejected-requests.ts';
import type { FailingClient } from './told-failures.ts';
import { updateNotice } from './update-notice.ts';

const kind = 'rate_limited';
const outcomes = [rateLimitCode];

/**
 * Makes a notice for each client of an account that exceeded its rate limit after at least a day in which it did not; the
 * same notice counts further rejections within a day. Only requests with valid signatures are limited by client.
 *
 * @param service the limit of clients that have none of their own
 */
export async function noteRateLimits(
  database: Database,
  accountId: string,
  fromMs: number,
  service: ServiceRequestLimit,
  context: NotingContext,
): Promise<void> {
  for (const clientId of await refusedClients(database, { accountId, outcomes, fromMs })) {
    await noteRateLimit(database, { accountId, clientId }, service, context);
    // A file database runs synchronously, so let requests run in between.
    await nextLoopTurn('reports');
  }
}

async function noteRateLimit(
  database: Database,
  client: FailingClient,
  service: ServiceRequestLimit,
  context: NotingContext,
): Promise<void> {
  const { accountId, clientId } = client;
  const hours = await countHours(database, { ...client, outcomes, ...hoursToLookAt(context.nowMs) });
  const firstMs = firstHourAfterQuiet(hours, context.nowMs);
  if (firstMs === undefined) return;
  const limited = { clientId, outcomes, onlyProved: true, onlyByGate: true, fromMs: firstMs };
  const first = await findRejection(database, limited, 'asc');
  const last = await findRejection(database, limited, 'desc');
  if (first === undefined || last === undefined) return;
  const counted = {
    accountId,
    kind,
    mark: `${clientId} ${firstMs}`,
    count: countSince(hours, firstMs),
    lastHappenedAtMs: last.received_at_ms,
  } as const;
  if (await updateNotice(database, counted)) return;
  await inTransaction(database, async (transaction) => {
    if (!(await hasRoomToday(transaction, { accountId, kind }, context))) return;
    const rateLimit = await readLimit(transaction, client, service);
    const content = { failure: shownFailure(first), rateLimit };
    await addNotice(
      transaction,
      { ...counted, clientId, happenedAtMs: first.received_at_ms, content },
      context,
    );
  });
}

async function readLimit(
  database: Database,
  { accountId, clientId }: FailingClient,
  service: ServiceRequestLimit,
): Promise<NonNullable<NoticeContent['rateLimit']>> {
  const columns = ['requests_per_minute_max', 'requests_burst_max'] as const;
  const account = await database
    .selectFrom('accounts')
    .select(columns)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const client = await database
    .selectFrom('clients')
    .select(columns)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  const own = (row: typeof account): { requestsPerMinuteMax?: number; requestsBurstMax?: number } => ({
    ...(typeof row?.requests_per_minute_max === 'number' && {
      requestsPerMinuteMax: row.requests_per_minute_max,
    }),
    ...(typeof row?.requests_burst_max === 'number' && { requestsBurstMax: row.requests_burst_max }),
  });
  const { requestsPerMinuteMax, requestsBurstMax } = limitsInForce(service, {
    account: own(account),
    client: own(client),
  });
  const { value } = requestsPerMinuteMax;
  return {
    requestsPerMinuteMax: value === Number.POSITIVE_INFINITY ? null : value,
    requestsBurstMax: requestsBurstMax.value,
  };
}
