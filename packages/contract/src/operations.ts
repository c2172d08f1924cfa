import { accountOperations } from './operations/accounts.ts';
import { alertRuleOperations } from './operations/alert-rules.ts';
import { auditEventOperations } from './operations/audit-events.ts';
import { callerOperations } from './operations/caller.ts';
import { clientChangeOperations } from './operations/client-changes.ts';
import { clientImportOperations } from './operations/client-imports.ts';
import { clientOperations } from './operations/clients.ts';
import { keyOperations } from './operations/keys.ts';
import { networkWhitelistOperations } from './operations/network-whitelist.ts';
import { noticeOperations } from './operations/notices.ts';
import type { OperationDefinition, OperationGroup } from './operations/operation.ts';
import { paymentOperations } from './operations/payments.ts';
import { pendingChangeOperations } from './operations/pending-changes.ts';
import { peopleOperations } from './operations/people.ts';
import { requestOperations } from './operations/requests.ts';
import { roleOperations } from './operations/roles.ts';
import { savedViewOperations } from './operations/saved-views.ts';
import { webhookOperations } from './operations/webhooks.ts';

const table = {
  ...callerOperations,
  ...paymentOperations,
  ...clientOperations,
  ...clientChangeOperations,
  ...clientImportOperations,
  ...networkWhitelistOperations,
  ...keyOperations,
  ...roleOperations,
  ...requestOperations,
  ...savedViewOperations,
  ...auditEventOperations,
  ...webhookOperations,
  ...noticeOperations,
  ...alertRuleOperations,
  ...peopleOperations,
  ...pendingChangeOperations,
  ...accountOperations,
};

/** The operations with their literal types. */
export type OperationTable = typeof table;

export type OperationId = keyof OperationTable;

export interface Operation extends OperationDefinition {
  /** Stable: logs and the OpenAPI document use this name. */
  readonly id: OperationId;
  readonly group: OperationGroup;
}

/** Every operation of the API. */
export const operations: Readonly<Record<OperationId, Operation>> = table;
