import { type AuditAction, type AuditEvent, type AuditTarget, newId } from '@countersign/contract';
import { type Selectable, sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { AuditEventsTable, RegistrySubject } from '../tables.ts';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { recordChange } from './changes.ts';
import { isClientOf } from './client-records.ts';
import type { ChangeContext } from './context.ts';

/** A change of the registry, as it is audited. */
export interface AuditedChange {
  /** What every node reads anew. */
  readonly subject: RegistrySubject;
  readonly subjectId: string;
  readonly accountId: string;
  readonly action: AuditAction;
  /** The thing itself first, then what it belongs to. */
  readonly targets: readonly AuditTarget[];
  /** What was there and what is there now, as far as it differs; never key material. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Notes a change for all nodes, and who made it for good: both in the transaction that makes it.
 *
 * @returns the new version of the registry
 */
export async function recordAudited(
  transaction: Transaction<Schema>,
  change: AuditedChange,
  { nowMs, actor }: ChangeContext,
): Promise<number> {
  const version = await recordChange(transaction, change.subject, change.subjectId, nowMs);
  await transaction
    .insertInto('audit_events')
    .values({
      version,
      event_id: newId('event', nowMs),
      happened_at_ms: nowMs,
      account_id: change.accountId,
      client_id: change.targets.find(({ type }) => type === 'client')?.id ?? null,
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_name: actor.name ?? null,
      acting_reason: actor.actingReason ?? null,
      action: change.action,
      targets: JSON.stringify(change.targets),
      before: change.before === undefined ? null : JSON.stringify(change.before),
      after: change.after === undefined ? null : JSON.stringify(change.after),
      source_address: actor.sourceAddress ?? null,
      request_id: actor.requestId ?? null,
    })
    .execute();
  return version;
}

/** The members that differ, as they were and as they are. */
export interface Difference {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** What differs between what was there and what is there now; undefined when nothing does. */
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

/** Which audit events to read: the newest first. */
export interface AuditFilter {
  readonly accountId: string;
  readonly action?: AuditAction | undefined;
  readonly actorId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Not included. */
  readonly toMs?: number | undefined;
  /** Only events before this version of the registry. */
  readonly beforeVersion?: number | undefined;
  readonly limit: number;
}

/** A page of audit events. */
export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** Where to go on; undefined when everything was looked at. */
  readonly nextVersion: number | undefined;
}

/**
 * Reads audit events in the order of their commits, newest first. A look goes through a limited number of events and
 * gives a limited number of bytes, so that no filter can occupy the database for long, and no export the memory: a page
 * may be short, or empty, and still say where to go on.
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
      .offset(lookedAtMax - 1)
      .execute();
    if (last !== undefined) query = query.where('version', '>=', last.version);
    if (action !== undefined) query = query.where('action', '=', action);
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
    const rows = await query.selectAll().where('version', '>=', end).limit(taken.length).execute();
    return { events: rows.map(eventOf), nextVersion: places.length > taken.length ? end : last?.version };
  });
}

const nothing: AuditPage = { events: [], nextVersion: undefined };
/** So many events are looked at for one page. */
const lookedAtMax = 20_000;
/** What the events of one page hold at most; a single one may hold more. */
const pageBytesMax = 4_194_304;

const bytesOfContent = sql<number>`coalesce(octet_length("before"), 0) + coalesce(octet_length("after"), 0)`;

function withinBytes<Place extends { readonly bytes: number }>(places: readonly Place[]): readonly Place[] {
  let bytes = 0;
  const tooMany = places.findIndex((place, index) => (bytes += place.bytes) > pageBytesMax && index > 0);
  return tooMany < 0 ? places : places.slice(0, tooMany);
}

/** One audit event; undefined when there is none, or when it belongs to another account than the given one. */
export async function readAuditEvent(
  database: Database,
  eventId: string,
  accountId: string | undefined,
): Promise<AuditEvent | undefined> {
  let query = database.selectFrom('audit_events').selectAll().where('event_id', '=', eventId);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : eventOf(row);
}

function eventOf(row: Selectable<AuditEventsTable>): AuditEvent {
  return {
    eventId: row.event_id,
    happenedAt: new Date(row.happened_at_ms).toISOString(),
    accountId: row.account_id,
    actor: {
      kind: row.actor_kind,
      id: row.actor_id,
      ...(row.actor_name === null ? {} : { name: row.actor_name }),
      ...(row.acting_reason === null ? {} : { actingReason: row.acting_reason }),
    },
    action: row.action,
    targets: JSON.parse(row.targets) as AuditTarget[],
    ...(row.before === null ? {} : { before: JSON.parse(row.before) as Record<string, unknown> }),
    ...(row.after === null ? {} : { after: JSON.parse(row.after) as Record<string, unknown> }),
    ...(row.source_address === null ? {} : { sourceAddress: row.source_address }),
    ...(row.request_id === null ? {} : { requestId: row.request_id }),
  };
}
