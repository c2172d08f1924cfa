import { alertLimits } from '@countersign/contract';
import { type Selectable, sql } from 'kysely';
import type { ClientAddressesTable } from '../../registry/request-tables.ts';
import type { Database } from '../../storage/transaction.ts';

/** An address from which requests of a client were accepted. */
export type ClientAddressRow = Selectable<ClientAddressesTable>;

const unusedMs = alertLimits.addressDays * 86_400_000;

/** Records addresses of clients, a hundred at most. A client that has too many gets no further ones. */
export async function addClientAddresses(
  transaction: Database,
  rows: readonly ClientAddressRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const counts = await transaction
    .selectFrom('client_addresses')
    .select(({ fn }) => ['client_id', fn.countAll<number | string>().as('count')])
    .where('client_id', 'in', [...new Set(rows.map((row) => row.client_id))])
    .groupBy('client_id')
    .execute();
  const full = new Set(
    counts.filter(({ count }) => Number(count) >= alertLimits.addressesMax).map((row) => row.client_id),
  );
  // All nodes write in the same order, so that simultaneous writes don't deadlock.
  const kept = rows
    .filter((row) => !full.has(row.client_id))
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  if (kept.length > 0)
    await transaction
      .insertInto('client_addresses')
      .values(kept)
      .onConflict((conflict) =>
        conflict
          .columns(['client_id', 'address'])
          .doUpdateSet({
            first_at_ms: sql<number>`case
              when excluded.last_at_ms - client_addresses.last_at_ms > ${sql.lit(unusedMs)}
              then excluded.first_at_ms else client_addresses.first_at_ms end`,
            last_at_ms: sql<number>`excluded.last_at_ms`,
          })
          .whereRef('client_addresses.last_at_ms', '<', 'excluded.last_at_ms'),
      )
      .execute();
  for (const row of rows.filter(({ client_id: clientId }) => full.has(clientId)))
    await transaction
      .updateTable('client_addresses')
      .set({ last_at_ms: row.last_at_ms })
      .where('client_id', '=', row.client_id)
      .where('address', '=', row.address)
      .where('last_at_ms', '<', row.last_at_ms)
      .execute();
}

function nameOf(row: ClientAddressRow): string {
  return `${row.client_id} ${row.address}`;
}

/** Removes addresses that were not used for long. */
export async function trimClientAddresses(database: Database, nowMs: number): Promise<void> {
  await database
    .deleteFrom('client_addresses')
    .where('last_at_ms', '<', nowMs - unusedMs)
    .execute();
}
