import { defineOperations } from './operation.ts';

export const auditEventOperations = defineOperations('Audit events', {
  listAuditEvents: {
    method: 'GET',
    path: '/v1/audit-events',
    summary: 'List or export who changed what, newest first',
    permission: 'audit:read',
    query: 'AuditEventQuery',
    answer: 'AuditEventPage',
  },
  getAuditEvent: {
    method: 'GET',
    path: '/v1/audit-events/{eventId}',
    summary: 'Read one audit event',
    permission: 'audit:read',
    answer: 'AuditEvent',
  },
});
