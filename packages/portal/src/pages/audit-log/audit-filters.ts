import { type AuditAction, auditActionsOf, type AuditEvent, type AuditFamily } from '@countersign/contract';
import {
  queryText,
  readTimeRange,
  type TimeRange,
  timeRangeQuery,
  writeTimeRange,
} from '../../lists/period.ts';
import { auditEvents } from '#messages/audit-events.ts';
import { auditLog } from '#messages/audit-log.ts';

/** The filters in the page's address. */
export interface AuditFilters extends TimeRange {
  readonly action: AuditAction | AuditFamily | undefined;
  readonly actorId: string | undefined;
  readonly clientId: string | undefined;
}

export const defaultAuditFilters: AuditFilters = {
  action: undefined,
  actorId: undefined,
  clientId: undefined,
  period: '30d',
  from: undefined,
  to: undefined,
};

/** Ignores unreadable values. */
export function readAuditFilters(query: URLSearchParams): AuditFilters {
  const action = query.get('action') ?? '';
  return {
    action: isAction(action) ? action : undefined,
    actorId: queryText(query.get('actor'), 256),
    clientId: queryText(query.get('client'), 256),
    ...readTimeRange(query, defaultAuditFilters.period),
  };
}

/** Leaves out defaults. */
export function auditFiltersQuery(filters: AuditFilters): URLSearchParams {
  const query = new URLSearchParams();
  if (filters.action !== undefined) query.set('action', filters.action);
  if (filters.actorId !== undefined) query.set('actor', filters.actorId);
  if (filters.clientId !== undefined) query.set('client', filters.clientId);
  writeTimeRange(query, filters, defaultAuditFilters.period);
  return query;
}

/** Returns the API query for a point in time. */
export function auditListQuery(
  filters: AuditFilters,
  nowMs: number,
): {
  readonly action?: AuditAction | AuditFamily;
  readonly actorId?: string;
  readonly clientId?: string;
  readonly from?: string;
  readonly to?: string;
} {
  const { action, actorId, clientId } = filters;
  return {
    ...(action !== undefined && { action }),
    ...(actorId !== undefined && { actorId }),
    ...(clientId !== undefined && { clientId }),
    ...timeRangeQuery(filters, nowMs),
  };
}

/** True if a new event belongs to the list. */
export function fitsAuditFilters({ action, actor, targets }: AuditEvent, filters: AuditFilters): boolean {
  if (filters.to !== undefined) return false;
  if (filters.action !== undefined && !auditActionsOf(filters.action).includes(action)) return false;
  if (filters.actorId !== undefined && filters.actorId !== actor.id) return false;
  return (
    filters.clientId === undefined ||
    targets.some(({ type, id }) => type === 'client' && id === filters.clientId)
  );
}

function isAction(text: string): text is AuditAction | AuditFamily {
  return Object.hasOwn(auditEvents.actionNames, text) || Object.hasOwn(auditLog.families, text);
}
