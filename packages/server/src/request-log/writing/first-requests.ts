import { newId, type WebhookData } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { type LastUse, writeLastUses } from '../../registry/store/last-uses.ts';
import { queueEvent } from '../../registry/store/queue-event.ts';
import type { Schema } from '../../storage/schema.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { findFirstAccepted } from '../records/first-accepted.ts';

/**
 * Records last uses, a few hundred at most. A client's first one queues the event of its first request, in the transaction
 * that records the use: so exactly once, on whichever node, also if a node crashes.
 */
export async function writeUses(database: Database, uses: readonly LastUse[]): Promise<void> {
  const unused = await withoutUsed(
    database,
    uses.filter(({ subject }) => subject === 'client'),
  );
  // On their own: writing others in the same transaction could deadlock with another node's.
  for (const use of unused)
    await inTransaction(database, async (transaction) => {
      if (await isFirst(transaction, use)) await queueFirstRequest(transaction, use);
    });
  await writeLastUses(database, uses);
}

/** Leaves out clients that have had requests, so that nothing more is written for these. */
async function withoutUsed(database: Database, uses: readonly LastUse[]): Promise<readonly LastUse[]> {
  if (uses.length === 0) return [];
  const rows = await database
    .selectFrom('last_uses')
    .select('subject_id')
    .where('subject', '=', 'client')
    .where(
      'subject_id',
      'in',
      uses.map(({ subjectId }) => subjectId),
    )
    .execute();
  const used = new Set(rows.map((row) => row.subject_id));
  return uses.filter(({ subjectId }) => !used.has(subjectId));
}

/** Records a use, unless another one was recorded before. */
async function isFirst(
  transaction: Transaction<Schema>,
  { subject, subjectId, usedAtMs, sourceAddress }: LastUse,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('last_uses')
    .values({ subject, subject_id: subjectId, used_at_ms: usedAtMs, source_address: sourceAddress ?? null })
    .onConflict((conflict) => conflict.columns(['subject', 'subject_id']).doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

async function queueFirstRequest(
  transaction: Transaction<Schema>,
  { subjectId: clientId, usedAtMs, sourceAddress = '' }: LastUse,
): Promise<void> {
  const client = await transaction
    .selectFrom('clients')
    .select('account_id')
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (client === undefined) return;
  const first = await firstInLog(transaction, clientId);
  const atMs = first?.received_at_ms ?? usedAtMs;
  const data: WebhookData<'firstRequest'> = {
    clientId,
    ...(first && { ...first.key, requestId: first.request_id }),
    at: new Date(atMs).toISOString(),
    sourceAddress: first?.source_address ?? sourceAddress,
  };
  await queueEvent(transaction, {
    eventId: newId('event', atMs),
    type: 'client.first_request',
    accountId: client.account_id,
    clientId,
    happenedAtMs: atMs,
    data,
  });
}

interface FirstInLog {
  readonly request_id: string;
  readonly received_at_ms: number;
  readonly source_address: string;
  readonly key: { readonly keyId?: string; readonly fingerprint?: string };
}

/** The use that is recorded is the last one of about a second. Finds the first accepted request, if the log has it. */
async function firstInLog(
  transaction: Transaction<Schema>,
  clientId: string,
): Promise<FirstInLog | undefined> {
  const first = await findFirstAccepted(transaction, { clientId });
  if (first === undefined) return undefined;
  const { key_fingerprint: fingerprint, ...request } = first;
  if (fingerprint === null) return { ...request, key: {} };
  const key = await transaction
    .selectFrom('client_keys')
    .select('key_id')
    .where('client_id', '=', clientId)
    .where('fingerprint', '=', fingerprint)
    .orderBy('key_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { ...request, key: { fingerprint, ...(key && { keyId: key.key_id }) } };
}
