import { type AuditAction, auditFamilyOf, type NoticeKind } from '@countersign/contract';
import type { Selectable, Transaction } from 'kysely';
import type { AuditEventsTable } from '../registry/tables.ts';
import type { Schema } from '../storage/schema.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { addNotice, type NotingContext } from './add-notice.ts';
import { queueMails } from './queue-mails.ts';

type EventRow = Selectable<AuditEventsTable>;

/**
 * Makes notices from the audit events that no node has read yet, a limited number per call. Nodes take turns,
 * so each event is read once.
 *
 * @returns true if there may be more
 */
export async function noteChanges(database: Database, context: NotingContext): Promise<boolean> {
  const next = await database
    .selectFrom('audit_events')
    .select('version')
    .where('version', '>', (query) =>
      query.selectFrom('notice_progress').select('position').where('source', '=', 'audit'),
    )
    .limit(1)
    .executeTakeFirst();
  if (next === undefined) return false;
  return inTransaction(database, async (transaction) => {
    // Written first, because that locks the row until the end.
    const { position } = await transaction
      .updateTable('notice_progress')
      .set((row) => ({ position: row.ref('position') }))
      .where('source', '=', 'audit')
      .returning('position')
      .executeTakeFirstOrThrow();
    const events = await transaction
      .selectFrom('audit_events')
      .selectAll()
      .where('version', '>', position)
      .orderBy('version')
      .limit(eventsPerTurn)
      .execute();
    for (const event of events) await noteChange(transaction, event, context);
    const last = events.at(-1);
    if (last === undefined) return false;
    await transaction
      .updateTable('notice_progress')
      .set({ position: last.version })
      .where('source', '=', 'audit')
      .execute();
    return events.length === eventsPerTurn;
  });
}

const eventsPerTurn = 100;

async function noteChange(
  transaction: Transaction<Schema>,
  event: EventRow,
  context: NotingContext,
): Promise<void> {
  const kind = kindOf(event);
  if (kind === undefined) return;
  const mark = markOf(kind, event);
  const byUserId = event.actor_kind === 'person' ? event.actor_id : undefined;
  const notice = {
    accountId: event.account_id,
    kind,
    mark,
    happenedAtMs: event.happened_at_ms,
    clientId: event.client_id ?? undefined,
    eventId: event.event_id,
    byUserId,
  };
  if (!(await addNotice(transaction, notice, context))) await countAgain(transaction, notice, context);
}

/** Returns the kind of notice for an event; undefined for none. */
function kindOf(event: Pick<EventRow, 'action' | 'after'>): NoticeKind | undefined {
  const { action } = event;
  switch (auditFamilyOf(action)) {
    case 'member':
      return 'team_changed';
    case 'acting':
      return action === 'acting.started' ? 'team_changed' : undefined;
    case 'network':
    case 'role':
    case 'policy':
    case 'webhook':
    case 'alert_rule':
      return 'policy_changed';
    case 'account':
      return accountActions.has(action) ? 'policy_changed' : undefined;
    case 'client':
      return changesPolicy(event) ? 'policy_changed' : undefined;
    case 'pending_change':
      return action === 'pending_change.requested' ? 'change_waiting' : undefined;
    case 'key':
    case 'saved_view':
      return undefined;
  }
}

const accountActions: ReadonlySet<AuditAction> = new Set([
  'account.updated',
  'account.suspended',
  'account.resumed',
  'account.closed',
]);

/** Returns true if a client's roles, networks or limits were changed. */
function changesPolicy({ action, after }: Pick<EventRow, 'action' | 'after'>): boolean {
  const changed = after === null ? {} : (JSON.parse(after) as Record<string, unknown>);
  if (action === 'client.updated') return Object.keys(changed).some((name) => policyMembers.has(name));
  return action === 'clients.changed' && bulkActionsOfPolicy.has(changed['action']);
}

const policyMembers: ReadonlySet<string> = new Set([
  'roles',
  'profile',
  'directoryUrl',
  // The name in events from before profiles.
  'acceptWithoutDate',
  'allowExplanations',
  'requestsPerMinuteMax',
  'requestsBurstMax',
]);

const bulkActionsOfPolicy: ReadonlySet<unknown> = new Set([
  'add_roles',
  'remove_roles',
  'add_network_entry',
  'remove_network_entry',
]);

/**
 * Returns a mark. Each change of the team, and each that waits, is a separate notice. Policies may be changed by programs, so one
 * notice counts all changes of a caller within an hour.
 */
function markOf(kind: NoticeKind, event: EventRow): string {
  if (kind === 'team_changed' || kind === 'change_waiting') return event.event_id;
  const hour = Math.floor(event.happened_at_ms / 3_600_000);
  return [event.action, event.actor_kind, event.actor_id, hour].join(' ');
}

interface RepeatedChange {
  readonly accountId: string;
  readonly kind: NoticeKind;
  readonly mark: string;
  readonly happenedAtMs: number;
  readonly clientId: string | undefined;
  readonly eventId: string;
  readonly byUserId: string | undefined;
}

/** Counts another change in its notice, which becomes unread for everyone but its author. */
async function countAgain(
  transaction: Transaction<Schema>,
  change: RepeatedChange,
  { nowMs, isMailed }: NotingContext,
): Promise<void> {
  const { accountId, kind, mark, happenedAtMs, clientId = null, eventId, byUserId } = change;
  const notice = await transaction
    .selectFrom('notices')
    .select(['notice_id', 'client_id'])
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('mark', '=', mark)
    .executeTakeFirst();
  // It was beyond the limit, and has already been removed.
  if (notice === undefined) return;
  await transaction
    .updateTable('notices')
    .set((row) => ({
      count: row('count', '+', 1),
      last_happened_at_ms: happenedAtMs,
      event_id: eventId,
      client_id: notice.client_id === clientId ? clientId : null,
    }))
    .where('notice_id', '=', notice.notice_id)
    .execute();
  await transaction
    .deleteFrom('notice_reads')
    .where('notice_id', '=', notice.notice_id)
    .where('user_id', '!=', byUserId ?? '')
    .execute();
  if (isMailed) await queueMails(transaction, { ...change, noticeId: notice.notice_id }, nowMs);
}
