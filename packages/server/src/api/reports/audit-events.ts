import type { AuditEvent } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import { listAuditEvents, readAuditEvent } from '../../registry/store/audit.ts';
import { listedAccount, readableAccount } from '../caller-scope.ts';
import { idInPath } from '../input.ts';
import { readCursor, writeCursor } from '../page.ts';
import { type Column, exportAnswer, exportLimit } from './export.ts';
import { defineReports } from './report-handlers.ts';

export const auditEventReports = defineReports((database) => ({
  /** In the order in which the changes were committed. */
  listAuditEvents: async ({ query }, request) => {
    const { action, actorId, clientId, from, to, format = 'json' } = query;
    const limit = exportLimit(query.limit, format);
    const cursor = readCursor(query.cursor, (text) => /^[1-9][0-9]{0,14}$/.test(text));
    const { events, nextVersion } = await listAuditEvents(database, {
      accountId: await listedAccount(request, query.accountId, database),
      action,
      actorId,
      clientId,
      fromMs: from,
      toMs: to,
      beforeVersion: cursor === undefined ? undefined : Number(cursor),
      limit,
    });
    const nextCursor = nextVersion === undefined ? null : writeCursor(String(nextVersion));
    return exportAnswer({ data: events, nextCursor }, format, columns);
  },

  getAuditEvent: async (_input, request) => {
    const event = await readAuditEvent(
      database,
      idInPath(request, 'eventId', 'event'),
      readableAccount(request),
    );
    if (event === undefined) throw new ProblemError('not_found');
    return { status: 200, body: event };
  },
}));

const columns: readonly Column<AuditEvent>[] = [
  'eventId',
  'happenedAt',
  'accountId',
  ['actorKind', ({ actor }) => actor.kind],
  ['actorId', ({ actor }) => actor.id],
  ['actorName', ({ actor }) => actor.name],
  ['actingReason', ({ actor }) => actor.actingReason],
  'action',
  ['targets', ({ targets }) => targets.map(({ type, id }) => `${type} ${id}`)],
  'before',
  'after',
  'sourceAddress',
  'requestId',
];
