import { createHash } from 'node:crypto';
import { canonicalJson, chainStart, type ChainLink, linkText } from '@countersign/contract/audit-chain';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql, type Transaction } from 'kysely';
import { isPostgres } from '../../storage/dialect.ts';
import type { Schema } from '../../storage/schema.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { auditEventOf } from './audit.ts';

/** The end of the chain. Position 0 if it is empty. */
export interface ChainHead {
  readonly position: number;
  readonly hash: string;
}

/**
 * Adds every committed audit event that is not in the chain yet. Any number of nodes may run it.
 *
 * It runs after the changes, not in their transactions: events become visible in the order of their versions and without gaps
 * (see `recordChange`), so the order is known by then, and no change waits for a hash. Events of nodes of an earlier
 * version, and those from before there was a chain, are added in the same way.
 */
export async function extendAuditChain(database: Database, closing?: AbortSignal): Promise<void> {
  for (;;) {
    if (closing?.aborted || !(await isAnythingUnlinked(database))) return;
    const added = await inTransaction(database, linkSome);
    if (added < linkedAtOnce) return;
    await nextLoopTurn('reports');
  }
}

/** Reads the end of the chain. */
export async function readChainHead(database: Database): Promise<ChainHead> {
  const { position, hash } = await readEnd(database);
  return { position, hash };
}

/**
 * Adds every audit event that is committed by now. Returns the end of the chain; undefined while another node is still adding
 * some of them.
 */
export async function linkUpToNow(database: Database): Promise<ChainHead | undefined> {
  const last = await lastAuditVersion(database);
  await extendAuditChain(database);
  const { position, hash, version } = await readEnd(database);
  return version < last ? undefined : { position, hash };
}

/** Computes the link of a record after another. */
function linkAfter(previous: ChainHead, record: object): ChainLink {
  const digest = sha256(canonicalJson(record));
  const place = { position: previous.position + 1, previousHash: previous.hash, digest };
  return { ...place, hash: sha256(linkText(place)) };
}

interface ChainEnd extends ChainHead {
  readonly version: number;
}

async function readEnd(database: Database): Promise<ChainEnd> {
  const last = await database
    .selectFrom('audit_chain')
    .select(['position', 'hash', 'version'])
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last ?? { position: 0, hash: chainStart, version: 0 };
}

async function isAnythingUnlinked(database: Database): Promise<boolean> {
  const { version } = await readEnd(database);
  return (await lastAuditVersion(database)) > version;
}

async function lastAuditVersion(database: Database): Promise<number> {
  const row = await database
    .selectFrom('audit_events')
    .select('version')
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.version ?? 0;
}

/** Links the next events, and returns how many; 0 if another node does. */
async function linkSome(transaction: Transaction<Schema>): Promise<number> {
  if (!(await isOnlyLinker(transaction))) return 0;
  const end = await readEnd(transaction);
  const rows = await transaction
    .selectFrom('audit_events')
    .selectAll()
    .where('version', '>', end.version)
    .orderBy('version')
    .limit(linkedAtOnce)
    .execute();
  let previous: ChainHead = end;
  const links = rows.map((row) => {
    const link = linkAfter(previous, auditEventOf(row));
    previous = link;
    const { position, digest, hash } = link;
    return { position, version: row.version, event_id: row.event_id, digest, hash };
  });
  if (links.length > 0) await transaction.insertInto('audit_chain').values(links).execute();
  return links.length;
}

async function isOnlyLinker(transaction: Transaction<Schema>): Promise<boolean> {
  if (!isPostgres(transaction)) return true;
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${chainLock}) as locked`.execute(transaction);
  return rows[0]?.locked === true;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Few, because an event can be large, and SQLite runs in the thread of the requests. */
const linkedAtOnce = 100;
/** Identifies the lock in the database. */
const chainLock = 0x6368616e;
