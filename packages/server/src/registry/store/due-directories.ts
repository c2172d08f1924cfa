import { sql } from 'kysely';
import type { DirectoryForm } from '../../directories/directory-location.ts';
import type { Database } from '../../storage/transaction.ts';

/** A directory that is due. */
export interface DueDirectory {
  readonly clientId: string;
  readonly form: DirectoryForm;
  readonly url: string;
  readonly origin: string;
  /** How many fetches have failed since the last that did not. */
  readonly failures: number;
  readonly dueAtMs: number;
}

export interface DueSelection {
  readonly nowMs: number;
  /** The most to return. */
  readonly limit: number;
  /** The most of one origin at a time, with those in progress. */
  readonly perOriginMax: number;
  /** The fetches in progress, by origin. */
  readonly busy: ReadonlyMap<string, number>;
}

/**
 * Returns the directories whose turn it is: of each account the one that is due for longest, then the next of each, and of one
 * origin only so many at a time. So neither an account nor an origin with many slow directories keeps others waiting.
 */
export async function readDueDirectories(
  database: Database,
  { nowMs, limit, perOriginMax, busy }: DueSelection,
): Promise<readonly DueDirectory[]> {
  const full = [...busy].filter(([, count]) => count >= perOriginMax).map(([origin]) => origin);
  const isOpen = full.length === 0 ? sql`1 = 1` : sql`directories.origin not in (${sql.join(full)})`;
  // Far in the future: the clock was set back.
  const { rows } = await sql<DueRow>`
    with due as (
      select directories.client_id, form, url, origin, failures, next_fetch_at_ms,
        row_number() over (partition by directories.account_id order by next_fetch_at_ms, url) as turn
      from client_directories as directories
      inner join clients on clients.client_id = directories.client_id
      where clients.status in ('active', 'disabled') and ${isOpen}
        and (next_fetch_at_ms <= ${nowMs} or next_fetch_at_ms > ${nowMs + furthestMs})
    ), placed as (
      select due.*, row_number() over (partition by origin order by turn, next_fetch_at_ms) as place from due
    )
    select * from placed where place <= ${perOriginMax}
    order by turn, next_fetch_at_ms
    limit ${limit + busy.size * perOriginMax}`.execute(database);
  const counts = new Map(busy);
  const chosen: DueDirectory[] = [];
  for (const { client_id, form, url, origin, failures, next_fetch_at_ms } of rows) {
    const count = counts.get(origin) ?? 0;
    if (count >= perOriginMax || chosen.length >= limit) continue;
    counts.set(origin, count + 1);
    chosen.push({
      clientId: client_id,
      form: form === 'actor' ? 'actor' : 'key-set',
      url,
      origin,
      failures: Number(failures),
      dueAtMs: Number(next_fetch_at_ms),
    });
  }
  return chosen;
}

/** No directory is fetched later than this. */
const furthestMs = 25 * 3_600_000;

interface DueRow {
  readonly client_id: string;
  readonly form: string;
  readonly url: string;
  readonly origin: string;
  readonly failures: number | string;
  readonly next_fetch_at_ms: number | string;
}
