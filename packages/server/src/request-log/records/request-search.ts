import { asciiLower, firstIdAt, isId, type RequestCondition } from '@countersign/contract';
import { answerCodes } from '@countersign/contract/problems';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { isPostgres } from '../../storage/dialect.ts';
import type { Database } from '../../storage/transaction.ts';
import { isClientOf } from '../../registry/store/client-records.ts';
import { isNamedLike } from '../../registry/store/names.ts';

/** The criteria of a search in an account's requests. */
export interface RequestCriteria {
  readonly accountId: string;
  readonly clientId?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
  readonly conditions?: readonly RequestCondition[];
}

/**
 * A plan for a search: scan one index, in which ids are in order. The index is chosen here, because the database does not
 * know how rare a value is.
 */
export interface RequestPlan extends IdRange {
  readonly index: RequestIndex;
  /** The condition on the columns that the index begins with, before the id. */
  readonly inIndex: Condition;
  /** The other conditions, compared row by row. */
  readonly others: readonly Condition[];
}

/** A range of ids. The upper bound is exclusive. */
export interface IdRange {
  readonly fromId: string;
  readonly toId: string;
}

/** The indexes that begin with the account or the client, and go on with the id. */
export type RequestIndex = 'by_account' | 'by_client' | 'by_code' | 'refused';

/** A condition on a row. */
export type Condition = RawBuilder<SqlBool>;

/** Names the table, and for SQLite the index to use. PostgreSQL's own estimates are good enough. */
export function requestsIn(database: Database, index: RequestIndex): RawBuilder<unknown> {
  if (isPostgres(database)) return sql`request_records`;
  return sql`request_records indexed by ${sql.ref(`request_records_${index}`)}`;
}

/** Plans a search; returns undefined if no request can match. */
export async function planSearch(
  database: Database,
  criteria: RequestCriteria,
): Promise<RequestPlan | undefined> {
  const { accountId, clientId, conditions = [] } = criteria;
  const parts: Part[] = [];
  const range = { fromId: '', toId: endOfIds };
  const from = (id: string): void => void (range.fromId = id > range.fromId ? id : range.fromId);
  const to = (id: string): void => void (range.toId = id < range.toId ? id : range.toId);
  if (criteria.fromMs !== undefined) from(firstIdAt('request', criteria.fromMs));
  if (criteria.toMs !== undefined) to(firstIdAt('request', criteria.toMs));
  if (clientId !== undefined) {
    if (!(await isClientOf(database, clientId, accountId))) return undefined;
    parts.push(clientPart(clientId));
  }
  for (const condition of conditions) {
    if (condition.kind === 'id') {
      from(condition.text);
      to(isId('request', condition.text) ? `${condition.text}0` : afterAll(condition.text));
    } else if (condition.kind === 'after') from(firstIdAt('request', condition.timeMs));
    else if (condition.kind === 'before') to(firstIdAt('request', condition.timeMs));
    else {
      const some = await partsOf(database, accountId, condition);
      // Each condition may scan all clients.
      await nextLoopTurn('reports');
      if (some === undefined) return undefined;
      parts.push(...some);
    }
  }
  if (range.fromId >= range.toId) return undefined;
  return { ...arrange(accountId, parts), ...range };
}

/**
 * A condition with its rank: the lower the rank, the fewer requests it usually matches. Infinite if it has no
 * index.
 */
interface Part {
  readonly rank: number;
  readonly index?: RequestIndex;
  readonly condition: Condition;
}

function arrange(
  accountId: string,
  parts: readonly Part[],
): Pick<RequestPlan, 'index' | 'inIndex' | 'others'> {
  const [first, ...rest] = parts.toSorted((one, other) => one.rank - other.rank);
  const ofAccount = sql<SqlBool>`account_id = ${accountId}`;
  if (first?.index === undefined)
    return { index: 'by_account', inIndex: ofAccount, others: parts.map(({ condition }) => condition) };
  const { index, condition } = first;
  return {
    index,
    inIndex: index === 'by_client' ? condition : sql<SqlBool>`${ofAccount} and ${condition}`,
    others: rest.map((part) => part.condition),
  };
}

type RowCondition = Exclude<RequestCondition, { readonly kind: 'id' | 'after' | 'before' }>;

/** Returns undefined if no request can meet the condition. */
async function partsOf(
  database: Database,
  accountId: string,
  condition: RowCondition,
): Promise<readonly Part[] | undefined> {
  switch (condition.kind) {
    case 'client': {
      const part = await clientsLike(database, accountId, condition.text);
      return part && [part];
    }
    case 'key':
      return keyParts(database, accountId, condition.text);
    case 'address':
      return [{ rank: noIndex, condition: isText('source_address', condition.text) }];
    case 'path':
      return [pathPart(condition.text)];
    case 'code':
      return codeParts(condition.text);
    case 'finding':
      return findingParts(condition.text);
    case 'status':
      return [statusPart(condition.from, condition.to)];
    case 'method':
      return [{ rank: noIndex, condition: isText('method', condition.text) }];
    case 'word': {
      const ofClients = (await clientsLike(database, accountId, condition.text))?.condition;
      const inUrl = contains('url', condition.text);
      if (ofClients === undefined) return [{ rank: noIndex, condition: inUrl }];
      return [{ rank: noIndex, condition: sql<SqlBool>`(${ofClients} or ${inUrl})` }];
    }
  }
}

const noIndex = Number.POSITIVE_INFINITY;

function clientPart(clientId: string): Part {
  return { rank: 1, index: 'by_client', condition: isText('client_id', clientId) };
}

/** Finds the clients whose name or ID contains a text; undefined if there are none. */
async function clientsLike(database: Database, accountId: string, text: string): Promise<Part | undefined> {
  const named = database
    .selectFrom('clients')
    .select('client_id')
    .where('account_id', '=', accountId)
    .where(isNamedLike('search_name', 'client_id', text));
  const [one, another] = await named.limit(2).execute();
  if (one === undefined) return undefined;
  if (another === undefined) return clientPart(one.client_id);
  // A subquery per request, so that the cost of a step does not grow with the number of clients.
  const isNamed = isNamedLike('clients.search_name', 'clients.client_id', text);
  const condition: Condition = sql<SqlBool>`exists (select 1 from clients
    where clients.client_id = (request_records.client_id || '') and clients.account_id = ${accountId} and ${isNamed})`;
  return { rank: noIndex, condition };
}

/** A key belongs to one client, so use the client's index. */
async function keyParts(
  database: Database,
  accountId: string,
  text: string,
): Promise<readonly Part[] | undefined> {
  let query = database
    .selectFrom('client_keys')
    .select(['fingerprint', 'client_id'])
    .where('account_id', '=', accountId);
  query = isId('key', text)
    ? query.where('key_id', '=', text)
    : query.where('fingerprint', '>=', text).where('fingerprint', '<', afterAll(text));
  const [one, another] = await query.limit(2).execute();
  if (one === undefined) return undefined;
  if (another !== undefined) {
    const begins: Condition = sql<SqlBool>`key_fingerprint >= ${text} and key_fingerprint < ${afterAll(text)}`;
    return [{ rank: noIndex, condition: begins }];
  }
  return [
    clientPart(one.client_id),
    { rank: noIndex, condition: isText('key_fingerprint', one.fingerprint) },
  ];
}

function pathPart(text: string): Part {
  if (!text.startsWith('/')) return { rank: noIndex, condition: contains('url', text) };
  return { rank: noIndex, condition: sql<SqlBool>`url >= ${text} and url < ${afterAll(text)}` };
}

/** A literal, not a parameter, so that the indexes of failed requests are used. */
const isFailed: Condition = sql<SqlBool>`outcome <> 'accepted'`;

function codeParts(code: string): readonly Part[] {
  if (code === 'accepted') return [{ rank: noIndex, condition: isText('outcome', code) }];
  if (code === 'refused' || code === 'observed') {
    const isObserved: Condition = sql<SqlBool>`is_observed = ${sql.lit(code === 'observed' ? 1 : 0)}`;
    const isRefused: Condition = sql<SqlBool>`outcome not in (${sql.join(answerCodes.map((answered) => sql.lit(answered)))})`;
    return [
      { rank: 3, index: 'refused', condition: isFailed },
      { rank: noIndex, condition: isObserved },
      ...(code === 'refused' ? [{ rank: noIndex, condition: isRefused }] : []),
    ];
  }
  return [{ rank: 2, index: 'by_code', condition: sql<SqlBool>`${isFailed} and ${isText('outcome', code)}` }];
}

/** Only failed requests are explained, so only they are scanned. */
function findingParts(code: string): readonly Part[] {
  const isFound: Condition = sql<SqlBool>`exists (select 1 from request_explanations
    where request_explanations.request_id = request_records.request_id and ${isText('finding_code', code)})`;
  return [
    { rank: 3, index: 'refused', condition: isFailed },
    { rank: noIndex, condition: isFound },
  ];
}

function statusPart(from: number, to: number): Part {
  return { rank: noIndex, condition: sql<SqlBool>`status between ${from} and ${to}` };
}

function isText(name: string, text: string): Condition {
  return sql<SqlBool>`${sql.ref(name)} = ${text}`;
}

/** Written for both databases, because their `like` operators handle case differently. */
function contains(name: string, text: string): Condition {
  const pattern = `%${asciiLower(text).replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`lower(${sql.ref(name)}) like ${pattern} escape '\\'`;
}

/** Sorts after every id. */
const endOfIds = 'request`';

/** Sorts after every text that begins with this one: databases compare code points. */
function afterAll(text: string): string {
  return `${text}\u{10ffff}`;
}
