import { type AuditAction, type AuditEvent, type AuditTarget, newId } from '@countersign/contract';
import type { Selectable, Transaction } from 'kysely';
import type { AuditEventsTable, RegistrySubject, Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { recordChange } from './changes.ts';
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

/** An audit event with the place that it has among all. */
export interface AuditRecord {
  readonly version: number;
  readonly event: AuditEvent;
}

/** Reads audit events in the order of their commits, newest first. */
export async function listAuditEvents(database: Database, filter: AuditFilter): Promise<AuditRecord[]> {
  const { accountId, action, actorId, clientId, fromMs, toMs, beforeVersion, limit } = filter;
  let query = database.selectFrom('audit_events').selectAll().where('account_id', '=', accountId);
  if (action !== undefined) query = query.where('action', '=', action);
  if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
  if (clientId !== undefined) query = query.where('client_id', '=', clientId);
  if (fromMs !== undefined) query = query.where('happened_at_ms', '>=', fromMs);
  if (toMs !== undefined) query = query.where('happened_at_ms', '<', toMs);
  if (beforeVersion !== undefined) query = query.where('version', '<', beforeVersion);
  const rows = await query.orderBy('version', 'desc').limit(limit).execute();
  return rows.map((row) => ({ version: row.version, event: eventOf(row) }));
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
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    targets: JSON.parse(row.targets) as AuditTarget[],
    ...(row.before === null ? {} : { before: JSON.parse(row.before) as Record<string, unknown> }),
    ...(row.after === null ? {} : { after: JSON.parse(row.after) as Record<string, unknown> }),
    ...(row.source_address === null ? {} : { sourceAddress: row.source_address }),
    ...(row.request_id === null ? {} : { requestId: row.request_id }),
  };
}
