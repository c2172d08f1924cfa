import { type AuditEvent, auditEventListParameters, isId, type Page } from '@countersign/contract';
import { listAuditEvents as readAuditEvents, readAuditEvent } from '../../registry/store.ts';
import { readCursor, writeCursor } from '../page.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery, readQueryAs } from '../request-query.ts';
import type { Handler } from '../handler.ts';
import { ProblemError } from '@countersign/gate';
import { listedAccount, readableAccount } from './caller-scope.ts';
import { exportAnswer, exportLimit } from './export.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/audit-events`: newest first, in the order in which the changes were committed. */
export function listAuditEvents({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    const query = readQueryAs(request.query, auditEventListParameters);
    const { action, actorId, clientId, from, to, format = 'json' } = query;
    const limit = exportLimit(query.limit, format);
    const cursor = readCursor(query.cursor, (text) => /^[1-9][0-9]{0,14}$/.test(text));
    const { events, nextVersion } = await readAuditEvents(database, {
      accountId: await listedAccount(request, query.accountId, database),
      action,
      actorId,
      clientId,
      fromMs: from,
      toMs: to,
      beforeVersion: cursor === undefined ? undefined : Number(cursor),
      limit,
    });
    const page: Page<AuditEvent> = {
      data: events,
      nextCursor: nextVersion === undefined ? null : writeCursor(String(nextVersion)),
    };
    return exportAnswer(page, format, columns);
  };
}

/** `GET /v1/audit-events/{eventId}` */
export function getAuditEvent({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const eventId = request.parameters['eventId'] ?? '';
    const event = isId('event', eventId)
      ? await readAuditEvent(database, eventId, readableAccount(request))
      : undefined;
    if (event === undefined) throw new ProblemError('not_found');
    return { status: 200, body: event };
  };
}

const columns: readonly (keyof AuditEvent)[] = [
  'eventId',
  'happenedAt',
  'accountId',
  'actor',
  'action',
  'targets',
  'before',
  'after',
  'sourceAddress',
  'requestId',
];
