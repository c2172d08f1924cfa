import type { OperationId } from '@countersign/contract';
import type { Database } from '../../storage/transaction.ts';
import { analyticsReports } from './analytics.ts';
import { auditEventReports } from './audit-events.ts';
import { clientListReports } from './client-list.ts';
import { failureReports } from './failures.ts';
import { readinessReports } from './readiness.ts';
import { requestReports } from './requests.ts';
import { statisticsReports } from './statistics.ts';

/**
 * The reports: operations that only read, and read a lot. A file database runs in the calling thread, so a
 * service on SQLite makes reports in their own thread.
 */
export function reportsOn(database: Database) {
  return {
    ...requestReports(database),
    ...failureReports(database),
    ...statisticsReports(database),
    ...analyticsReports(database),
    ...readinessReports(database),
    ...auditEventReports(database),
    ...clientListReports(database),
  };
}

export type Reports = ReturnType<typeof reportsOn>;
export type ReportId = keyof Reports & OperationId;
