import { defineOperations } from './operation.ts';

export const auditEventOperations = defineOperations('Audit events', {
  listAuditEvents: {
    method: 'GET',
    path: '/v1/audit-events',
    summary: 'List or export audit events, newest first',
    permission: 'audit:read',
    query: 'AuditEventQuery',
    answer: 'AuditEventPage',
  },
  getAuditEvent: {
    method: 'GET',
    path: '/v1/audit-events/{eventId}',
    summary: 'Read an audit event',
    permission: 'audit:read',
    answer: 'AuditEvent',
  },
});
