import { type Kysely, sql } from 'kysely';

/** Accounts become searchable like clients, and searches ignore accents. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('accounts')
    .addColumn('search_name', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await fillSearchNames(database, 'accounts', 'account_id');
  await fillSearchNames(database, 'clients', 'client_id');
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly search_name: string;
}

/** Fills the search names, in JavaScript, because databases differ in which letters they can lowercase. */
async function fillSearchNames(database: Kysely<unknown>, tableName: string, idName: string): Promise<void> {
  const [table, idColumn] = [sql.table(tableName), sql.ref(idName)];
  let after = '';
  for (;;) {
    const { rows } = await sql<Named>`select ${idColumn} as id, name, search_name from ${table}
      where ${idColumn} > ${after} order by ${idColumn} limit 500`.execute(database);
    for (const { id, name, search_name: before } of rows) {
      const searchName = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
      if (searchName === before) continue;
      await sql`update ${table} set search_name = ${searchName} where ${idColumn} = ${id}`.execute(database);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
