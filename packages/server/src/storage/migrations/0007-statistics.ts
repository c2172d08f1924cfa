import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';

/** Request counts, clients' last source addresses, and indexes for an account's rejected requests. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const counts = schema
    .createTable('request_counts')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('span', 'text', (column) => column.notNull())
    .addColumn('starts_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('request_counts_key', [
      'account_id',
      'span',
      'starts_at_ms',
      'client_id',
      'key_id',
      'outcome',
    ])
    .addCheckConstraint('request_counts_span', sql`span in ('hour', 'day')`);
  // Rows are then stored in the order in which they are read.
  await (isPostgres(database) ? counts : counts.modifyEnd(sql`without rowid`)).execute();
  // Every account and span has a sum, which is used to find old counts.
  await sql`create index request_counts_sums on request_counts (span, starts_at_ms, account_id)
    where client_id = ''`.execute(database);
  await sql`create index request_counts_outcomes on request_counts (account_id, outcome)
    where client_id = ''`.execute(database);
  await schema.alterTable('last_uses').addColumn('source_address', 'text').execute();
  await addRefusedIndexes(database);
  await countKeptRequests(database);
}

/** Rejected requests are few; the indexes find them without scanning the others. */
async function addRefusedIndexes(database: Kysely<unknown>): Promise<void> {
  await sql`create index request_records_refused
    on request_records (account_id, request_id, client_id, outcome, source_address)
    where outcome <> 'accepted'`.execute(database);
  await sql`create index request_records_refused_by_client
    on request_records (client_id, request_id, outcome, source_address)
    where outcome <> 'accepted'`.execute(database);
  await sql`create index request_records_refused_addresses
    on request_records (account_id, request_id, client_id, source_address)
    where outcome = 'network_not_allowed'`.execute(database);
}

/** Counts the logged requests, so that statistics don't start empty after an upgrade. */
async function countKeptRequests(database: Kysely<unknown>): Promise<void> {
  for (const [span, spanMs] of [
    ['hour', 3_600_000],
    ['day', 86_400_000],
  ] as const) {
    const startsAtMs = sql`received_at_ms - received_at_ms % ${sql.lit(spanMs)}`;
    await sql`insert into request_counts (account_id, client_id, span, starts_at_ms, key_id, outcome, count)
      select account_id, client_id, ${sql.lit(span)}, starts_at_ms, coalesce(key_id, ''), outcome, count(*)
      from (
        select r.account_id, r.client_id, ${startsAtMs} as starts_at_ms, k.key_id, r.outcome
        from request_records r
        left join client_keys k on k.account_id = r.account_id and k.fingerprint = r.key_fingerprint
      ) as kept
      group by account_id, client_id, starts_at_ms, coalesce(key_id, ''), outcome`.execute(database);
    await sql`insert into request_counts (account_id, client_id, span, starts_at_ms, key_id, outcome, count)
      select account_id, '', span, starts_at_ms, '', outcome, sum(count)
      from request_counts where span = ${sql.lit(span)}
      group by account_id, span, starts_at_ms, outcome`.execute(database);
  }
}
