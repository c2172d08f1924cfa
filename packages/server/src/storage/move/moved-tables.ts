import { createHash, type Hash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';
import type { Database } from '../transaction.ts';

/** A table of the SQLite schema. PostgreSQL has the same tables with the same columns. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** The tables that it references. */
  readonly references: ReadonlySet<string>;
}

/** A row as both databases return it: texts, whole numbers and null. */
export type Row = Readonly<Record<string, string | number | null>>;

/** Lists the tables, each after those that it references. */
export async function tablesInOrder(sqlite: Database): Promise<MovedTable[]> {
  const { rows } = await sql<{
    name: string;
  }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name`.execute(
    sqlite,
  );
  const names = rows.map(({ name }) => name).filter((name) => !ownTables.has(name));
  const references = new Map<string, ReadonlySet<string>>();
  for (const name of names) {
    const { rows: found } = await sql<{
      table: string;
    }>`select "table" from pragma_foreign_key_list(${name})`.execute(sqlite);
    references.set(name, new Set(found.map((one) => one.table)));
  }
  const ordered: string[] = [];
  while (ordered.length < names.length) {
    const next = names.find(
      (name) =>
        !ordered.includes(name) && [...references.get(name)!].every((other) => ordered.includes(other)),
    );
    if (next === undefined) throw new Error('The tables reference each other in a circle.');
    ordered.push(next);
  }
  return Promise.all(ordered.map((name) => describe(sqlite, name, references.get(name)!)));
}

/** Tables that are not moved: migrations fill the first, and the other marks the move. */
const ownTables: ReadonlySet<string> = new Set(['schema_migrations', 'unfinished_move']);

async function describe(
  sqlite: Database,
  name: string,
  references: ReadonlySet<string>,
): Promise<MovedTable> {
  const { rows } = await sql<{
    name: string;
    pk: number;
  }>`select name, pk from pragma_table_info(${name}) order by cid`.execute(sqlite);
  const key = rows.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk);
  if (key.length === 0) throw new Error(`The table ${name} has no primary key.`);
  return { name, columns: rows.map((row) => row.name), key: key.map((row) => row.name), references };
}

const rowsPerPage = 1000;

/** Reads a page of rows in the order of their keys, after the given row. The last page is empty. */
export async function readPage(
  database: Database,
  { name, columns, key }: MovedTable,
  after: Row | undefined,
): Promise<readonly Row[]> {
  const condition =
    after === undefined
      ? sql``
      : sql`where (${list(key)}) > (${sql.join(key.map((column) => after[column]))})`;
  const { rows } = await sql<Row>`
    select ${list(columns)} from ${sql.table(name)} ${condition} order by ${list(key)} limit ${rowsPerPage}`.execute(
    database,
  );
  return rows;
}

/** Reads the row with the last key. */
export async function readLast(database: Database, { name, key }: MovedTable): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select ${list(key)} from ${sql.table(name)}
    order by ${sql.join(key.map((column) => sql`${sql.ref(column)} desc`))} limit 1`.execute(database);
  return rows[0];
}

export async function countRows(database: Database, { name }: MovedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(
    database,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Writes rows with one statement that has a single parameter, which is much faster than a parameter for each
 * value.
 */
export async function writePage(database: Database, table: MovedTable, rows: readonly Row[]): Promise<void> {
  const json = JSON.stringify(rows);
  const { name, columns } = table;
  await sql`insert into ${sql.table(name)} (${list(columns)}) ${valuesFrom(database, table, json)}`.execute(
    database,
  );
}

function valuesFrom(database: Database, { name, columns }: MovedTable, json: string): RawBuilder<unknown> {
  if (isPostgres(database))
    return sql`select ${list(columns)} from json_populate_recordset(null::${sql.table(name)}, ${json}::json)`;
  const values = columns.map((column) => sql`json_extract(value, ${sql.lit(`$.${column}`)})`);
  return sql`select ${sql.join(values)} from json_each(${json})`;
}

export async function emptyTable(database: Database, { name }: MovedTable): Promise<void> {
  await sql`delete from ${sql.table(name)}`.execute(database);
}

/** Computes the number of rows, and the SHA-256 of their values in key order. */
export class TableDigest {
  readonly #columns: readonly string[];
  readonly #hash: Hash = createHash('sha256');
  rows = 0;

  constructor({ columns }: MovedTable) {
    this.#columns = columns;
  }

  add(page: readonly Row[]): void {
    this.rows += page.length;
    for (const row of page)
      this.#hash.update(`${JSON.stringify(this.#columns.map((column) => row[column]))}\n`);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

function list(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}
