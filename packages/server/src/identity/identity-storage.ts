import { createAdapterFactory, type AdapterFactory, type CustomAdapter } from '@better-auth/core/db/adapter';
import type { BetterAuthOptions } from 'better-auth/minimal';
import type { Kysely } from 'kysely';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { tokenHash } from './tokens.ts';

/**
 * Lets better-auth keep what it keeps in our tables, by our rules: times are milliseconds, switches 0 or 1, and of the
 * token of a session only a hash is written. It runs on SQLite and PostgreSQL alike.
 */
export function identityStorage(database: Database): AdapterFactory<BetterAuthOptions> {
  return (options) => {
    const make = (on: Database): ReturnType<AdapterFactory<BetterAuthOptions>> =>
      createAdapterFactory<BetterAuthOptions>({
        config: {
          adapterId: 'countersign',
          supportsNumericIds: false,
          // Text and 0 or 1 are what it gives then; what the tables hold is decided below.
          supportsDates: true,
          supportsBooleans: true,
          transaction: (work) => inTransaction(on, (transaction) => work(make(transaction))),
        },
        adapter: () => rowsOf(on),
      })(options);
    return make(database);
  };
}

/** One table: its name, and the column of each field that better-auth knows. Fields that are missing are not kept. */
interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
}

const tables: Readonly<Record<string, Table>> = {
  user: {
    name: 'persons',
    columns: {
      id: 'user_id',
      name: 'name',
      email: 'email',
      emailVerified: 'is_email_verified',
      createdAt: 'created_at_ms',
      updatedAt: 'updated_at_ms',
    },
  },
  account: {
    name: 'person_credentials',
    columns: {
      id: 'credential_id',
      userId: 'user_id',
      providerId: 'provider_id',
      accountId: 'provider_account_id',
      password: 'password_hash',
      createdAt: 'created_at_ms',
      updatedAt: 'updated_at_ms',
    },
  },
  session: {
    name: 'person_sessions',
    columns: {
      id: 'session_id',
      userId: 'user_id',
      token: 'token_hash',
      createdAt: 'created_at_ms',
      updatedAt: 'updated_at_ms',
      expiresAt: 'expires_at_ms',
      ipAddress: 'source_address',
      userAgent: 'user_agent',
      lastSeenAtMs: 'last_seen_at_ms',
      passwordProvedAtMs: 'password_proved_at_ms',
      factorProvedAtMs: 'factor_proved_at_ms',
    },
  },
  verification: {
    name: 'person_verifications',
    columns: {
      id: 'verification_id',
      identifier: 'identifier',
      value: 'value',
      createdAt: 'created_at_ms',
      updatedAt: 'updated_at_ms',
      expiresAt: 'expires_at_ms',
    },
  },
  passkey: {
    name: 'person_passkeys',
    columns: {
      id: 'passkey_id',
      userId: 'user_id',
      name: 'name',
      credentialID: 'credential_id',
      publicKey: 'public_key',
      counter: 'counter',
      deviceType: 'device_type',
      backedUp: 'is_backed_up',
      transports: 'transports',
      aaguid: 'aaguid',
      createdAt: 'created_at_ms',
    },
  },
};

type Row = Record<string, unknown>;
/** The queries are made of the table above: no text of a caller becomes the name of a table or a column. */
type AnyTables = Kysely<Record<string, Row>>;
type Condition = Parameters<CustomAdapter['deleteMany']>[0]['where'][number];

function rowsOf(database: Database): CustomAdapter {
  const any = database as unknown as AnyTables;
  const find = async (
    model: string,
    where: readonly Condition[],
    limit: number,
    sortBy?: { readonly field: string; readonly direction: 'asc' | 'desc' },
  ): Promise<Row[]> => {
    const table = tableOf(model);
    let query = any.selectFrom(table.name).selectAll().limit(limit);
    for (const one of where)
      query = query.where(columnOf(table, one.field), operatorOf(one), valueOf(table, one));
    if (sortBy !== undefined) query = query.orderBy(columnOf(table, sortBy.field), sortBy.direction);
    return (await query.execute()).map((row) => fieldsOf(table, row));
  };
  const change = async (model: string, where: readonly Condition[], update: Row): Promise<number> => {
    const table = tableOf(model);
    let query = any.updateTable(table.name).set(rowOf(table, update));
    for (const one of where)
      query = query.where(columnOf(table, one.field), operatorOf(one), valueOf(table, one));
    return Number((await query.executeTakeFirst()).numUpdatedRows);
  };
  const remove = async (model: string, where: readonly Condition[]): Promise<number> => {
    const table = tableOf(model);
    let query = any.deleteFrom(table.name);
    for (const one of where)
      query = query.where(columnOf(table, one.field), operatorOf(one), valueOf(table, one));
    return Number((await query.executeTakeFirst()).numDeletedRows);
  };
  return {
    create: async ({ model, data }) => {
      const table = tableOf(model);
      await any.insertInto(table.name).values(rowOf(table, data)).execute();
      return data;
    },
    findOne: async <T>({ model, where }: { model: string; where: Condition[] }) =>
      ((await find(model, where, 1))[0] ?? null) as T | null,
    findMany: async <T>({ model, where = [], limit, sortBy }: FindMany) =>
      (await find(model, where, limit, sortBy)) as T[],
    update: async <T>({ model, where, update }: { model: string; where: Condition[]; update: T }) => {
      await change(model, where, update as Row);
      return ((await find(model, where, 1))[0] ?? null) as T | null;
    },
    updateMany: ({ model, where, update }) => change(model, where, update),
    delete: async ({ model, where }) => {
      await remove(model, where);
    },
    deleteMany: ({ model, where }) => remove(model, where),
    count: async ({ model, where = [] }) => (await find(model, where, Number.MAX_SAFE_INTEGER)).length,
  };
}

interface FindMany {
  readonly model: string;
  readonly where?: Condition[] | undefined;
  readonly limit: number;
  readonly sortBy?: { readonly field: string; readonly direction: 'asc' | 'desc' } | undefined;
}

function tableOf(model: string): Table {
  const table = Object.hasOwn(tables, model) ? tables[model] : undefined;
  if (table === undefined) throw new Error(`There is no table for ${model}.`);
  return table;
}

function columnOf(table: Table, field: string): string {
  const column = Object.hasOwn(table.columns, field) ? table.columns[field] : undefined;
  if (column === undefined) throw new Error(`There is no column for ${field} in ${table.name}.`);
  return column;
}

const operators = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=', in: 'in' } as const;

/** Only what better-auth asks for on the way that is used here; anything else is a mistake, not a guess. */
function operatorOf({ operator = 'eq', connector }: Condition): (typeof operators)[keyof typeof operators] {
  if (connector === 'OR' || !Object.hasOwn(operators, operator))
    throw new Error(`A condition with ${connector} and ${operator} is not known here.`);
  return operators[operator as keyof typeof operators];
}

function valueOf(table: Table, { field, value }: Condition): unknown {
  return Array.isArray(value)
    ? value.map((one) => stored(columnOf(table, field), one))
    : stored(columnOf(table, field), value);
}

function rowOf(table: Table, data: Row): Row {
  const row: Row = {};
  for (const [field, value] of Object.entries(data)) {
    const column = table.columns[field];
    if (column !== undefined && value !== undefined) row[column] = stored(column, value);
  }
  return row;
}

function stored(column: string, value: unknown): unknown {
  if (column === 'token_hash') return tokenHash(String(value));
  if (value instanceof Date) return value.getTime();
  return typeof value === 'boolean' ? Number(value) : value;
}

function fieldsOf(table: Table, row: Row): Row {
  const fields: Row = {};
  for (const [field, column] of Object.entries(table.columns)) {
    const value = row[column];
    if (field.endsWith('At')) fields[field] = new Date(Number(value));
    else fields[field] = column.startsWith('is_') ? value === 1 : value;
  }
  return fields;
}
