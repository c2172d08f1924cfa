import type { Checklist } from '@countersign/contract';
import { sql } from 'kysely';
import { type Database, inSnapshot } from '../../storage/transaction.ts';

/** Reads an account's setup progress. Only a limited number of clients and keys is scanned. */
export async function readChecklist(database: Database, accountId: string): Promise<Checklist> {
  return inSnapshot(database, async (transaction) => {
    const clients = transaction
      .selectFrom('clients')
      .select('client_id')
      .where('account_id', '=', accountId)
      .where('status', 'in', ['active', 'disabled']);
    const first = await clients.orderBy('client_id').limit(1).executeTakeFirst();
    if (first === undefined) return { ...nothingDone, ...(await readPast(transaction, accountId)) };
    const open = await transaction
      .selectFrom('network_entries')
      .select('client_id')
      .where('entry', 'in', openEntries)
      .where('client_id', 'in', clients.orderBy('client_id').limit(scannedMax))
      .limit(1)
      .executeTakeFirst();
    return {
      hasClient: true,
      firstClientId: first.client_id,
      hasRestrictedNetwork: open === undefined,
      ...(await readPast(transaction, accountId)),
    };
  });
}

/** The entries, in canonical text, that allow every address or every address of one family. */
export const openEntries: readonly string[] = ['0.0.0.0', '0.0.0.0/0', '::/0'];

const nothingDone = { hasClient: false, hasRestrictedNetwork: false } as const;
const scannedMax = 2000;

async function readPast(
  database: Database,
  accountId: string,
): Promise<Pick<Checklist, 'hasAcceptedRequest' | 'hasRotatedKey'>> {
  const accepted = await database
    .selectFrom('request_counts')
    .select('starts_at_ms')
    .where('account_id', '=', accountId)
    // A literal, not a parameter, so that the index of the sums is used.
    .where(sql<boolean>`client_id = ''`)
    .where('outcome', '=', 'accepted')
    .limit(1)
    .executeTakeFirst();
  const keys = database
    .selectFrom('client_keys')
    .select(['replaces_key_id', 'first_used_at_ms'])
    .where('account_id', '=', accountId)
    .orderBy('key_id', 'desc')
    .limit(scannedMax);
  const rotated = await database
    .selectFrom(keys.as('newest'))
    .select('replaces_key_id')
    .where('replaces_key_id', 'is not', null)
    .where('first_used_at_ms', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return { hasAcceptedRequest: accepted !== undefined, hasRotatedKey: rotated !== undefined };
}
