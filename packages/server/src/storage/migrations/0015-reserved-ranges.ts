import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';

/**
 * Replaces single seconds with ranges of seconds, in the mark of a guard outside the database and in the
 * testimonies of the nodes that share one in it. A running node of an earlier version can then no longer write
 * its second, so it rejects requests: what it accepted would not be in the ranges.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable('guard_mark')
    .addColumn('reserved_ranges', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
  await sql`update guard_mark set reserved_ranges = '[[0,' || reserved_seconds || ']]' where reserved_seconds > 0`.execute(
    database,
  );
  await schema.alterTable('guard_mark').dropColumn('reserved_seconds').execute();
  if (isPostgres(database)) await convertTestimonies(database);
}

async function convertTestimonies(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  for (const [table, column] of [
    ['guard_epochs', 'refused_ranges'],
    ['guard_testimonies', 'accepted_ranges'],
  ] as const) {
    await schema
      .alterTable(table)
      .addColumn(column, 'text', (definition) => definition.notNull().defaultTo('[]'))
      .execute();
  }
  await sql`update guard_testimonies set accepted_ranges = '[[0,' || accepted_seconds || ']]'`.execute(
    database,
  );
  await schema.alterTable('guard_testimonies').dropColumn('accepted_seconds').execute();
}
