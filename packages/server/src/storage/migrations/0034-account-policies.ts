import type { Kysely } from 'kysely';

/** Accounts' own networks for the portal, and how long their requests are kept. Earlier accounts have neither. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const policies = database.schema.alterTable('security_policies');
  await policies.addColumn('portal_networks', 'text').execute();
  await policies.addColumn('requests_kept_days', 'integer').execute();
}
