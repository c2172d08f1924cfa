import type { Kysely } from 'kysely';
import { up as registry } from './0001-registry.ts';
import { up as payments } from './0002-payments.ts';
import { up as guard } from './0003-guard.ts';
import { up as management } from './0004-management.ts';
import { up as explanations } from './0005-explanations.ts';
import { up as people } from './0006-people.ts';
import { up as statistics } from './0007-statistics.ts';
import { up as provedEmails } from './0008-proved-emails.ts';
import { up as accountSearch } from './0009-account-search.ts';
import { up as apiRoles } from './0010-api-roles.ts';
import { up as forwardingKeys } from './0011-forwarding-keys.ts';
import { up as readiness } from './0012-readiness.ts';
import { up as signInFailures } from './0013-sign-in-failures.ts';
import { up as requestLimits } from './0014-request-limits.ts';
import { up as reservedRanges } from './0015-reserved-ranges.ts';
import { up as clientLabels } from './0016-client-labels.ts';
import { up as requestSearch } from './0017-request-search.ts';
import { up as demoData } from './0018-demo-data.ts';
import { up as clientSorting } from './0019-client-sorting.ts';
import { up as accountStates } from './0020-account-states.ts';
import { up as notices } from './0021-notices.ts';
import { up as findingCodes } from './0022-finding-codes.ts';
import { up as requestIndex } from './0023-request-index.ts';
import { up as clientProfiles } from './0024-client-profiles.ts';
import { up as clientDirectories } from './0025-client-directories.ts';
import { up as keyAlgorithms } from './0026-key-algorithms.ts';
import { up as actorKeys } from './0027-actor-keys.ts';
import { up as webhooks } from './0028-webhooks.ts';
import { up as streams } from './0029-streams.ts';
import { up as webhookLife } from './0030-webhook-life.ts';
import { up as webhookHeaders } from './0031-webhook-headers.ts';
import { up as endedNotices } from './0032-ended-notices.ts';
import { up as requestFigures } from './0033-request-figures.ts';
import { up as accountPolicies } from './0034-account-policies.ts';
import { up as alertRules } from './0035-alert-rules.ts';
import { up as pendingChanges } from './0036-pending-changes.ts';
import { up as savedViews } from './0037-saved-views.ts';
import { up as personLanguages } from './0038-person-languages.ts';
import { up as memberRoles } from './0039-member-roles.ts';
import { up as temporaryClients } from './0040-temporary-clients.ts';

/** One step from a schema to the next. Once released it never changes; a correction is a new migration. */
export interface Migration {
  readonly name: string;
  /** Runs inside a transaction, on both SQLite and PostgreSQL. */
  readonly up: (database: Kysely<unknown>) => Promise<void>;
}

/** All migrations, in order; the first has version 1. */
export const migrations: readonly Migration[] = [
  { name: '0001-registry', up: registry },
  { name: '0002-payments', up: payments },
  { name: '0003-guard', up: guard },
  { name: '0004-management', up: management },
  { name: '0005-explanations', up: explanations },
  { name: '0006-people', up: people },
  { name: '0007-statistics', up: statistics },
  { name: '0008-proved-emails', up: provedEmails },
  { name: '0009-account-search', up: accountSearch },
  { name: '0010-api-roles', up: apiRoles },
  { name: '0011-forwarding-keys', up: forwardingKeys },
  { name: '0012-readiness', up: readiness },
  { name: '0013-sign-in-failures', up: signInFailures },
  { name: '0014-request-limits', up: requestLimits },
  { name: '0015-reserved-ranges', up: reservedRanges },
  { name: '0016-client-labels', up: clientLabels },
  { name: '0017-request-search', up: requestSearch },
  { name: '0018-demo-data', up: demoData },
  { name: '0019-client-sorting', up: clientSorting },
  { name: '0020-account-states', up: accountStates },
  { name: '0021-notices', up: notices },
  { name: '0022-finding-codes', up: findingCodes },
  { name: '0023-request-index', up: requestIndex },
  { name: '0024-client-profiles', up: clientProfiles },
  { name: '0025-client-directories', up: clientDirectories },
  { name: '0026-key-algorithms', up: keyAlgorithms },
  { name: '0027-actor-keys', up: actorKeys },
  { name: '0028-webhooks', up: webhooks },
  { name: '0029-streams', up: streams },
  { name: '0030-webhook-life', up: webhookLife },
  { name: '0031-webhook-headers', up: webhookHeaders },
  { name: '0032-ended-notices', up: endedNotices },
  { name: '0033-request-figures', up: requestFigures },
  { name: '0034-account-policies', up: accountPolicies },
  { name: '0035-alert-rules', up: alertRules },
  { name: '0036-pending-changes', up: pendingChanges },
  { name: '0037-saved-views', up: savedViews },
  { name: '0038-person-languages', up: personLanguages },
  { name: '0039-member-roles', up: memberRoles },
  { name: '0040-temporary-clients', up: temporaryClients },
];
