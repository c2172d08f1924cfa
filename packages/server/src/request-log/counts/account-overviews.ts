import { type AccountSort, type AccountStatus, firstIdAt, leadingRole } from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql } from 'kysely';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { accountOf, type AccountRecord } from '../../registry/store/accounts.ts';
import { isNamedLike } from '../../registry/store/names.ts';
import { spanMs } from './request-counts.ts';

export interface Traffic {
  readonly requests: number;
  readonly refused: number;
}

/** An account with the figures that an operator looks at first. */
export interface AccountOverviewRecord {
  readonly account: AccountRecord;
  /** The longest-standing owner. */
  readonly owner: { readonly name: string; readonly email: string } | undefined;
  readonly ownerCount: number;
  /** Excludes archived clients. */
  readonly clientCount: number;
  readonly lastDay: Traffic;
  readonly last30Days: Traffic;
  readonly lastRequestAtMs: number | undefined;
}

export interface OverviewSearch {
  readonly search?: string | undefined;
  readonly status?: AccountStatus | undefined;
  readonly sort: AccountSort;
  readonly offset: number;
  readonly limit: number;
  readonly nowMs: number;
}

export interface OverviewPage {
  readonly overviews: readonly AccountOverviewRecord[];
  /** Undefined for the last page. */
  readonly nextOffset: number | undefined;
}

/**
 * Lists accounts with their owners, clients and traffic, sorted. Sorting needs the figures of every matching
 * account, so only the first thousand are considered.
 */
export async function listAccountOverviews(
  database: Database,
  { search, status, sort, offset, limit, nowMs }: OverviewSearch,
): Promise<OverviewPage> {
  return inSnapshot(database, async (transaction) => {
    let query = transaction.selectFrom('accounts').selectAll();
    if (search !== undefined) query = query.where(isNamedLike('search_name', 'account_id', search));
    if (status !== undefined) query = query.where('status', '=', status);
    const rows = await query.orderBy('account_id').limit(accountsMax).execute();
    const accounts = rows.map(accountOf);
    const found = await describe(transaction, accounts, nowMs);
    const sorted = found.toSorted(orders[sort]);
    const isMore = sorted.length > offset + limit;
    return {
      overviews: sorted.slice(offset, offset + limit),
      nextOffset: isMore ? offset + limit : undefined,
    };
  });
}

const accountsMax = 1000;
const accountsPerQuery = 100;
const dayMs = 86_400_000;

let alphabet: Intl.Collator | undefined;

type Order = (one: AccountOverviewRecord, other: AccountOverviewRecord) => number;

const byName: Order = ({ account: one }, { account: other }) => {
  // Its data takes megabytes, which a service without such lists does not need.
  alphabet ??= new Intl.Collator('en');
  return alphabet.compare(one.name, other.name) || (one.accountId < other.accountId ? -1 : 1);
};

function most(figure: (overview: AccountOverviewRecord) => number): Order {
  return (one, other) => figure(other) - figure(one) || byName(one, other);
}

const orders: Readonly<Record<AccountSort, Order>> = {
  name: byName,
  created: (one, other) => one.account.createdAtMs - other.account.createdAtMs || byName(one, other),
  clients: most(({ clientCount }) => clientCount),
  lastDay: most(({ lastDay }) => lastDay.requests),
  last30Days: most(({ last30Days }) => last30Days.requests),
  refused: most(({ last30Days }) => last30Days.refused),
  lastRequest: most(({ lastRequestAtMs = 0 }) => lastRequestAtMs),
};

async function describe(
  database: Database,
  accounts: readonly AccountRecord[],
  nowMs: number,
): Promise<AccountOverviewRecord[]> {
  const overviews: AccountOverviewRecord[] = [];
  for (let start = 0; start < accounts.length; start += accountsPerQuery) {
    const some = accounts.slice(start, start + accountsPerQuery);
    const accountIds = some.map(({ accountId }) => accountId);
    const clients = await countClients(database, accountIds);
    const owners = await readOwners(database, some);
    const lastDay = await countRequests(database, accountIds, 'hour', nowMs - dayMs);
    const last30Days = await countRequests(database, accountIds, 'day', nowMs - 29 * dayMs);
    const lastRequests = await readLastRequests(database, accountIds, nowMs);
    // A file database runs synchronously, so let requests run in between.
    await nextLoopTurn('reports');
    for (const account of some) {
      const { accountId } = account;
      const led = owners.get(accountId) ?? [];
      overviews.push({
        account,
        owner: led[0],
        ownerCount: led.length,
        clientCount: clients.get(accountId) ?? 0,
        lastDay: lastDay.get(accountId) ?? none,
        last30Days: last30Days.get(accountId) ?? none,
        lastRequestAtMs: lastRequests.get(accountId),
      });
    }
  }
  return overviews;
}

const none: Traffic = { requests: 0, refused: 0 };

async function countClients(
  database: Database,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await database
    .selectFrom('clients')
    .select('account_id')
    .select(({ fn }) => fn.countAll<number | string>().as('clients'))
    .where('account_id', 'in', accountIds)
    .where('status', '!=', 'archived')
    .groupBy('account_id')
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.clients)]));
}

/** Lists each account's owners, the longest-serving first. */
async function readOwners(
  database: Database,
  accounts: readonly AccountRecord[],
): Promise<ReadonlyMap<string, { readonly name: string; readonly email: string }[]>> {
  const rows = await database
    .selectFrom('members')
    .innerJoin('persons', 'persons.user_id', 'members.user_id')
    .select(['members.account_id', 'members.role', 'persons.name', 'persons.email'])
    .where(
      'members.account_id',
      'in',
      accounts.map(({ accountId }) => accountId),
    )
    .orderBy('members.created_at_ms')
    .orderBy('members.user_id')
    .execute();
  const leading = new Map(accounts.map((account) => [account.accountId, leadingRole(account)]));
  const owners = new Map<string, { readonly name: string; readonly email: string }[]>();
  for (const { account_id: accountId, role, name, email } of rows) {
    if (role !== leading.get(accountId)) continue;
    owners.set(accountId, [...(owners.get(accountId) ?? []), { name, email }]);
  }
  return owners;
}

/** Sums up the requests of each account, from the stored sums over all its clients. */
async function countRequests(
  database: Database,
  accountIds: readonly string[],
  span: 'hour' | 'day',
  fromMs: number,
): Promise<ReadonlyMap<string, Traffic>> {
  const rows = await database
    .selectFrom('request_counts')
    .select('account_id')
    .select(sql<number | string>`sum(count)`.as('requests'))
    .select(
      sql<number | string>`sum(case when outcome = 'accepted' then 0 else count - observed_count end)`.as(
        'refused',
      ),
    )
    .where('account_id', 'in', accountIds)
    .where('span', '=', span)
    .where('starts_at_ms', '>=', fromMs - (fromMs % spanMs[span]))
    // A literal, not a parameter, so that the index of the sums is used.
    .where(sql<boolean>`client_id = ''`)
    .groupBy('account_id')
    .execute();
  // PostgreSQL returns sums as text.
  return new Map(
    rows.map((row) => [row.account_id, { requests: Number(row.requests), refused: Number(row.refused) }]),
  );
}

/** Reads the time of each account's newest request: ids are in time order, and indexed. */
async function readLastRequests(
  database: Database,
  accountIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await database
    .selectFrom('accounts')
    .select('account_id')
    .select((query) =>
      query
        .selectFrom('request_records')
        .select('received_at_ms')
        .whereRef('request_records.account_id', '=', 'accounts.account_id')
        // A request stamped by a wrong clock must not keep an account first forever.
        .where('request_id', '<', firstIdAt('request', nowMs + dayMs))
        .orderBy('request_id', 'desc')
        .limit(1)
        .as('last'),
    )
    .where('account_id', 'in', accountIds)
    .execute();
  return new Map(rows.flatMap((row) => (row.last === null ? [] : [[row.account_id, row.last]])));
}
