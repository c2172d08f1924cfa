import {
  type AuditAction,
  auditActionsOf,
  type AuditEvent,
  type AuditFamily,
  type AuditTarget,
  newId,
  type WebhookData,
} from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type Selectable, sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { AuditEventsTable, RegistrySubject } from '../tables.ts';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { recordChange } from './changes.ts';
import { isClientOf } from './client-records.ts';
import type { Actor, ChangeContext, SecondPerson } from './context.ts';
import { queueEvent } from './queue-event.ts';

/** A registry change for the audit log. */
export interface AuditedChange {
  /** The part of the registry that every node reloads. */
  readonly subject: RegistrySubject;
  readonly subjectId: string;
  readonly accountId: string;
  readonly action: AuditAction;
  /** The changed object first, then its owners. */
  readonly targets: readonly AuditTarget[];
  /** The members that differ, before and after; never key material. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Records a change for all nodes, permanently in the audit log, and for the webhooks that want it. All of that happens in
 * the transaction that makes the change.
 *
 * @returns the registry's new version
 */
export async function recordAudited(
  transaction: Transaction<Schema>,
  change: AuditedChange,
  { nowMs, actor }: ChangeContext,
): Promise<number> {
  const version = await recordChange(transaction, change.subject, change.subjectId, nowMs);
  const eventId = newId('event', nowMs);
  const clientId = change.targets.find(({ type }) => type === 'client')?.id;
  await transaction
    .insertInto('audit_events')
    .values({
      version,
      event_id: eventId,
      happened_at_ms: nowMs,
      account_id: change.accountId,
      client_id: clientId ?? null,
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_name: actor.name ?? null,
      acting_reason: actor.actingReason ?? null,
      approved_by: actor.approvedBy === undefined ? null : JSON.stringify(actor.approvedBy),
      action: change.action,
      targets: JSON.stringify(change.targets),
      before: change.before === undefined ? null : JSON.stringify(change.before),
      after: change.after === undefined ? null : JSON.stringify(change.after),
      source_address: actor.sourceAddress ?? null,
      request_id: actor.requestId ?? null,
    })
    .execute();
  const { action, accountId } = change;
  const data = changeData(change, actor);
  await queueEvent(transaction, {
    eventId,
    type: action,
    accountId,
    clientId,
    happenedAtMs: nowMs,
    version,
    data,
  });
  return version;
}

/** Returns what webhooks show of a change: the same as the audit log. */
function changeData({ targets, before, after }: AuditedChange, actor: Actor): WebhookData<'change'> {
  const { kind, id, name, actingReason, approvedBy, sourceAddress, requestId } = actor;
  return {
    actor: {
      kind,
      id,
      ...(name !== undefined && { name }),
      ...(actingReason !== undefined && { actingReason }),
      ...(approvedBy !== undefined && { approvedBy }),
    },
    targets,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(sourceAddress !== undefined && { sourceAddress }),
    ...(requestId !== undefined && { requestId }),
  };
}

/** The members that differ, with their old and new values. */
export interface Difference {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Returns the differences between the old and new values; undefined if there are none. */
export function difference(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Difference | undefined {
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (names.length === 0) return undefined;
  const only = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  return { before: only(before), after: only(after) };
}

/** A filter for audit events, newest first. */
export interface AuditFilter {
  readonly accountId: string;
  /** An action, or a family of actions. */
  readonly action?: AuditAction | AuditFamily | undefined;
  readonly actorId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
  /** Only events before this registry version. */
  readonly beforeVersion?: number | undefined;
  readonly limit: number;
}

/** A page of audit events. */
export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** The cursor for the next page; undefined once everything has been scanned. */
  readonly nextVersion: number | undefined;
}

/**
 * Lists audit events in commit order, newest first. Each call scans a limited number of events and returns a
 * limited number of bytes, so that no filter ties up the database for long and no export fills the memory: a
 * page may be short or empty and still have a cursor.
 */
export async function listAuditEvents(database: Database, filter: AuditFilter): Promise<AuditPage> {
  const { accountId, action, actorId, clientId, fromMs, toMs, beforeVersion, limit } = filter;
  return inSnapshot(database, async (transaction) => {
    if (clientId !== undefined && !(await isClientOf(transaction, clientId, accountId))) return nothing;
    let query = transaction.selectFrom('audit_events');
    query =
      clientId === undefined
        ? query.where('account_id', '=', accountId)
        : query.where('client_id', '=', clientId);
    if (beforeVersion !== undefined) query = query.where('version', '<', beforeVersion);
    query = query.orderBy('version', 'desc');
    const [last] = await query
      .select('version')
      .limit(1)
      .offset(scannedMax - 1)
      .execute();
    if (last !== undefined) query = query.where('version', '>=', last.version);
    // A file database runs synchronously, so let requests run in between.
    await nextLoopTurn('reports');
    if (action !== undefined) query = query.where('action', 'in', auditActionsOf(action));
    if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
    if (fromMs !== undefined) query = query.where('happened_at_ms', '>=', fromMs);
    if (toMs !== undefined) query = query.where('happened_at_ms', '<', toMs);
    const places = await query
      .select(['version', bytesOfContent.as('bytes')])
      .limit(limit + 1)
      .execute();
    const taken = withinBytes(places.slice(0, limit));
    const end = taken.at(-1)?.version;
    if (end === undefined) return { events: [], nextVersion: last?.version };
    const events: AuditEvent[] = [];
    for (let start = 0; start < taken.length; start += readAtOnce) {
      await nextLoopTurn('reports');
      const part = taken.slice(start, start + readAtOnce);
      const rows = await query
        .selectAll()
        .where('version', '<=', part[0]!.version)
        .where('version', '>=', part.at(-1)!.version)
        .limit(part.length)
        .execute();
      events.push(...rows.map(auditEventOf));
    }
    return { events, nextVersion: places.length > taken.length ? end : last?.version };
  });
}

const nothing: AuditPage = { events: [], nextVersion: undefined };
/** The number of events scanned per page. */
const scannedMax = 20_000;
/** The number of events read in one step. */
const readAtOnce = 200;
/** The size limit of one page's events. A single event may be larger. */
const pageBytesMax = 4_194_304;

const bytesOfContent = sql<number>`coalesce(octet_length("before"), 0) + coalesce(octet_length("after"), 0)`;

function withinBytes<Place extends { readonly bytes: number }>(places: readonly Place[]): readonly Place[] {
  let bytes = 0;
  const tooMany = places.findIndex((place, index) => (bytes += place.bytes) > pageBytesMax && index > 0);
  return tooMany < 0 ? places : places.slice(0, tooMany);
}

/** Reads one audit event; undefined if it does not exist or belongs to an account other than the given one. */
export async function readAuditEvent(
  database: Database,
  eventId: string,
  accountId: string | undefined,
): Promise<AuditEvent | undefined> {
  let query = database.selectFrom('audit_events').selectAll().where('event_id', '=', eventId);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : auditEventOf(row);
}

/** Reads some audit events of an account, by their IDs. Those that do not exist are absent. */
export async function readAuditEvents(
  database: Database,
  eventIds: readonly string[],
  accountId: string,
): Promise<ReadonlyMap<string, AuditEvent>> {
  if (eventIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('audit_events')
    .selectAll()
    .where('event_id', 'in', eventIds)
    .where('account_id', '=', accountId)
    .execute();
  return new Map(rows.map((row) => [row.event_id, auditEventOf(row)]));
}

/** Returns a row as the API shows it. */
export function auditEventOf(row: Selectable<AuditEventsTable>): AuditEvent {
  return {
    eventId: row.event_id,
    happenedAt: new Date(row.happened_at_ms).toISOString(),
    accountId: row.account_id,
    actor: {
      kind: row.actor_kind,
      id: row.actor_id,
      ...(row.actor_name === null ? {} : { name: row.actor_name }),
      ...(row.acting_reason === null ? {} : { actingReason: row.acting_reason }),
      ...(row.approved_by === null ? {} : { approvedBy: JSON.parse(row.approved_by) as SecondPerson }),
    },
    action: row.action,
    targets: JSON.parse(row.targets) as AuditTarget[],
    ...(row.before === null ? {} : { before: JSON.parse(row.before) as Record<string, unknown> }),
    ...(row.after === null ? {} : { after: JSON.parse(row.after) as Record<string, unknown> }),
    ...(row.source_address === null ? {} : { sourceAddress: row.source_address }),
    ...(row.request_id === null ? {} : { requestId: row.request_id }),
  };
}
