import type { Kysely } from 'kysely';

/** Custom headers of webhooks, and how many attempts they get. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  const webhooks = schema.alterTable('webhooks');
  await webhooks.addColumn('headers', 'text').execute();
  await webhooks.addColumn('attempts_per_minute_max', 'integer').execute();
  await webhooks
    .addColumn('throttled_until_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
