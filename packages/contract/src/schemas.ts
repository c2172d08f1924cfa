import { accountQueries, accountSchemas } from './schemas/accounts.ts';
import { alertRuleQueries, alertRuleSchemas } from './schemas/alert-rules.ts';
import { auditEventQueries, auditEventSchemas } from './schemas/audit-events.ts';
import { callerSchemas } from './schemas/caller.ts';
import { clientChangeSchemas } from './schemas/client-changes.ts';
import { clientImportSchemas } from './schemas/client-imports.ts';
import { clientQueries, clientSchemas } from './schemas/clients.ts';
import { explanationSchemas } from './schemas/explanations.ts';
import { keySchemas } from './schemas/keys.ts';
import { networkWhitelistQueries, networkWhitelistSchemas } from './schemas/network-whitelist.ts';
import { noticeQueries, noticeSchemas } from './schemas/notices.ts';
import { paymentSchemas } from './schemas/payments.ts';
import { pendingChangeQueries, pendingChangeSchemas } from './schemas/pending-changes.ts';
import { peopleSchemas } from './schemas/people.ts';
import { pageParameters } from './schemas/query-parameters.ts';
import { readinessQueries, readinessSchemas } from './schemas/readiness.ts';
import { requestAnalyticsQueries, requestAnalyticsSchemas } from './schemas/request-analytics.ts';
import { requestStatisticsQueries, requestStatisticsSchemas } from './schemas/request-statistics.ts';
import { requestQueries, requestSchemas } from './schemas/requests.ts';
import { roleQueries, roleSchemas } from './schemas/roles.ts';
import { savedViewSchemas } from './schemas/saved-views.ts';
import { webhookQueries, webhookSchemas } from './schemas/webhooks.ts';

/**
 * The schemas of all bodies and responses. Do not rename them: their names appear in the OpenAPI document,
 * and generated programs use them for types.
 */
export const schemas = {
  ...accountSchemas,
  ...alertRuleSchemas,
  ...auditEventSchemas,
  ...callerSchemas,
  ...clientSchemas,
  ...clientChangeSchemas,
  ...clientImportSchemas,
  ...explanationSchemas,
  ...keySchemas,
  ...networkWhitelistSchemas,
  ...noticeSchemas,
  ...paymentSchemas,
  ...peopleSchemas,
  ...pendingChangeSchemas,
  ...readinessSchemas,
  ...requestSchemas,
  ...requestStatisticsSchemas,
  ...requestAnalyticsSchemas,
  ...roleSchemas,
  ...savedViewSchemas,
  ...webhookSchemas,
};

export type SchemaName = keyof typeof schemas;

/** The parameters of all queries. */
export const queries = {
  PageQuery: pageParameters,
  ...accountQueries,
  ...alertRuleQueries,
  ...auditEventQueries,
  ...clientQueries,
  ...networkWhitelistQueries,
  ...noticeQueries,
  ...pendingChangeQueries,
  ...readinessQueries,
  ...requestQueries,
  ...requestStatisticsQueries,
  ...requestAnalyticsQueries,
  ...roleQueries,
  ...webhookQueries,
};

export type QueryName = keyof typeof queries;
