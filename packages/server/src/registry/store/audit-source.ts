import { type AuditLine, chainStart } from '@countersign/contract/audit-chain';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql } from 'kysely';
import { auditEventOf } from './audit.ts';
import { type ChainHead, linkUpToNow, readChainHead } from './audit-chain.ts';
import type { Database } from '../../storage/transaction.ts';
import {
  batchLimits,
  type StreamLag,
  type StreamPage,
  type StreamPlace,
  type StreamReader,
  type StreamRecord,
  type StreamStart,
} from '../stream-records.ts';

/** Reads the audit log for streams, in the order of its chain. */
export const auditReader: StreamReader = { start: auditStart, read: readAuditPage, lag: auditLag };

/** Returns the place at which a stream of the audit log begins; undefined while events from before are still being linked. */
async function auditStart(database: Database, from: StreamStart): Promise<StreamPlace | undefined> {
  // What happened before the stream must not look new to it.
  const end = await linkUpToNow(database);
  if (end === undefined) return undefined;
  const position = await positionBefore(database, from, end);
  return { position, recordId: '', backfillToId: null, fromMs: 0 };
}

async function positionBefore(database: Database, from: StreamStart, end: ChainHead): Promise<number> {
  switch (from.kind) {
    case 'oldest':
      return 0;
    case 'position':
      return from.position - 1;
    case 'now':
      return end.position;
    case 'time':
      return lastPositionBefore(database, from.atMs);
  }
}

const scannedAtOnce = 1000;

/** Returns the position before the first record of a time or later. The clocks of nodes differ, so it looks at all. */
async function lastPositionBefore(database: Database, atMs: number): Promise<number> {
  for (let position = 0; ; position += scannedAtOnce) {
    const rows = await database
      .selectFrom('audit_chain')
      .leftJoin('audit_events', 'audit_events.version', 'audit_chain.version')
      .select(['position', 'happened_at_ms'])
      .where('position', '>', position)
      .orderBy('position')
      .limit(scannedAtOnce)
      .execute();
    const found = rows.find(({ happened_at_ms: happenedAtMs }) => (happenedAtMs ?? 0) >= atMs);
    if (found !== undefined) return found.position - 1;
    if (rows.length < scannedAtOnce) return rows.at(-1)?.position ?? position;
    await nextLoopTurn('reports');
  }
}

/** Reads the next records of the chain; undefined if there are none. */
async function readAuditPage(database: Database, place: StreamPlace): Promise<StreamPage | undefined> {
  const count = await countWithinBatch(database, place.position);
  if (count === 0) return undefined;
  const previous = await database
    .selectFrom('audit_chain')
    .select('hash')
    .where('position', '=', place.position)
    .executeTakeFirst();
  const links = await database
    .selectFrom('audit_chain')
    .selectAll()
    .where('position', '>', place.position)
    .orderBy('position')
    .limit(count)
    .execute();
  const versions = links.map(({ version }) => version);
  const rows = await database
    .selectFrom('audit_events')
    .selectAll()
    .where('version', 'in', versions)
    .execute();
  const events = new Map(rows.map((row) => [row.version, row]));
  let previousHash = previous?.hash ?? chainStart;
  const records = links.map(({ position, version, event_id: id, digest, hash }): StreamRecord => {
    const row = events.get(version);
    const link = { source: 'audit', id, position, previousHash, digest, hash } as const;
    previousHash = hash;
    const line: AuditLine = row === undefined ? link : { ...link, record: auditEventOf(row) };
    return {
      source: 'audit',
      id,
      atMs: row?.happened_at_ms ?? 0,
      name: row?.action ?? 'removed',
      isWarning: false,
      position,
      hash,
      line: JSON.stringify(line),
    };
  });
  return { records, next: { ...place, position: links.at(-1)!.position } };
}

/** Adds up sizes before anything is read, because one event can have megabytes. */
async function countWithinBatch(database: Database, position: number): Promise<number> {
  const sizes = await database
    .selectFrom('audit_chain')
    .leftJoin('audit_events', 'audit_events.version', 'audit_chain.version')
    .select(sql<number>`coalesce(octet_length("before"), 0) + coalesce(octet_length("after"), 0)`.as('bytes'))
    .where('position', '>', position)
    .orderBy('position')
    .limit(batchLimits.records)
    .execute();
  let bytes = 0;
  const tooMany = sizes.findIndex(
    (size, index) => (bytes += size.bytes + 1000) > batchLimits.bytes && index > 0,
  );
  return tooMany < 0 ? sizes.length : tooMany;
}

/** Returns how many records follow a place, and the time of the first. */
async function auditLag(database: Database, { position }: StreamPlace): Promise<StreamLag> {
  const { position: end } = await readChainHead(database);
  const first = await database
    .selectFrom('audit_chain')
    .innerJoin('audit_events', 'audit_events.version', 'audit_chain.version')
    .select('happened_at_ms')
    .where('position', '=', position + 1)
    .executeTakeFirst();
  return { records: Math.max(end - position, 0), firstAtMs: first?.happened_at_ms };
}
