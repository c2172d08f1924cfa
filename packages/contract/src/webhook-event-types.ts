import { type AuditAction, auditActions } from './audit-actions.ts';
import type { OwnPermission } from './permissions.ts';

/** The schema of an event's `data`: of a change in the audit log, of a notice, or of a test. */
export type WebhookDataName =
  | 'change'
  | 'keyDue'
  | 'requestsFailing'
  | 'requestsRecovered'
  | 'addressRefused'
  | 'rateLimited'
  | 'firstRequest'
  | 'webhookFailing'
  | 'stream'
  | 'alert'
  | 'test';

/** A type of events that webhooks can want. */
export interface WebhookEventDescription {
  readonly summary: string;
  /** Whoever wants such events must hold it: they show what it lets people read. */
  readonly permission: OwnPermission;
  readonly data: WebhookDataName;
  /** True if it only ever happens in the operator's account. */
  readonly isOperatorsOnly?: true;
}

const changes: Readonly<Record<AuditAction, string>> = {
  'client.added': 'A client was added',
  'client.updated': 'A client was changed',
  'client.disabled': 'A client was disabled',
  'client.enabled': 'A client was enabled',
  'client.revoked': 'A client was revoked, with all its keys',
  'client.restored': 'A revoked client was restored, disabled and without keys',
  'client.directory_refreshed': "Someone asked to fetch a client's directory of keys now",
  'client.archived': 'A revoked client can no longer be restored',
  'client.expired': 'A temporary client expired and no longer exists',
  'clients.changed': 'Several clients were changed in one step',
  'clients.imported': 'Clients were imported',
  'network.added': "An entry was added to a client's network whitelist",
  'network.removed': "An entry was removed from a client's network whitelist",
  'network.replaced': "A client's network whitelist was replaced",
  'key.added': 'A key was added to a client',
  'key.activated': 'A key was used for the first time',
  'key.retiring': 'A key was retired: it expires soon',
  'key.extended': "A key's end was moved",
  'key.expired': 'A key expired',
  'key.revoked': 'A key was revoked',
  'role.added': 'A role was added',
  'role.updated': 'A role was changed',
  'role.removed': 'A role was removed',
  'account.added': 'An account was added',
  'account.updated': "An account's name or limits were changed",
  'account.suspended': 'An account was suspended',
  'account.resumed': 'A suspended account was resumed',
  'account.closed': 'An account was closed',
  'member.invited': 'Someone was invited to the account',
  'invitation.revoked': 'An invitation was revoked',
  'member.joined': 'Someone joined the account',
  'member.role_changed': "A member's role was changed",
  'member.removed': 'A member was removed',
  'policy.updated': "The account's security policy was changed",
  'pending_change.requested': 'Someone asked for a change that waits for a second person',
  'pending_change.approved': 'A second person approved a change, which was made',
  'pending_change.rejected': 'A second person rejected a change',
  'pending_change.withdrawn': 'A pending change was withdrawn by the person who asked for it',
  'pending_change.expired': 'Nobody approved a pending change in time',
  'pending_change.failed': 'An approved change could not be made, because something else changed first',
  'demo_data.removed': 'The demo data was removed',
  'acting.started': "A member of the operator's staff started acting for the account",
  'acting.ended': "A member of the operator's staff stopped acting for the account",
  'webhook.added': 'A webhook was added',
  'webhook.updated': 'A webhook was changed',
  'webhook.removed': 'A webhook was removed',
  'webhook.paused': 'A webhook was paused',
  'webhook.resumed': 'A webhook was resumed',
  'webhook.disabled': 'A webhook was disabled: its receiver is gone, or has failed for five days',
  'webhook.secret_rotated': 'A webhook was given a new secret',
  'alert_rule.added': 'An alert rule was added',
  'alert_rule.updated': 'An alert rule was changed',
  'alert_rule.removed': 'An alert rule was removed',
  'saved_view.shared': 'A saved view of the request log was shared with the account',
  'saved_view.updated': 'A shared view was changed',
  'saved_view.unshared': 'A shared view was removed, or is no longer shared',
};

const others = {
  'key.due': {
    summary: 'A key should be rotated or expires soon',
    permission: 'keys:read',
    data: 'keyDue',
  },
  'client.requests_failing': {
    summary: "A client's requests began to be rejected, after at least a day without, or for another reason",
    permission: 'requests:read',
    data: 'requestsFailing',
  },
  'client.requests_recovered': {
    summary: "A failing client's requests have been accepted again for 15 minutes",
    permission: 'requests:read',
    data: 'requestsRecovered',
  },
  'client.address_refused': {
    summary: "A client called from an address outside its network whitelist, with one of the client's keys",
    permission: 'requests:read',
    data: 'addressRefused',
  },
  'client.rate_limited': {
    summary: 'A client exceeded its rate limit, after at least a day in which it did not',
    permission: 'requests:read',
    data: 'rateLimited',
  },
  'client.first_request': {
    summary: 'A request of a client was accepted for the first time',
    permission: 'requests:read',
    data: 'firstRequest',
  },
  'webhook.failing': {
    summary: 'Another webhook has failed for a day or for four days, and will be disabled after five',
    permission: 'webhooks:read',
    data: 'webhookFailing',
  },
  'stream.stalled': {
    summary:
      "A receiver of one of the operator's streams has acknowledged nothing for minutes; sent to the operator's account alone",
    permission: 'audit:read',
    data: 'stream',
    isOperatorsOnly: true,
  },
  'stream.recovered': {
    summary: "A stalled stream is being received again; sent to the operator's account alone",
    permission: 'audit:read',
    data: 'stream',
    isOperatorsOnly: true,
  },
  'alert.fired': {
    summary: 'The condition of an alert rule began to hold, of a rule with this channel',
    permission: 'alerts:read',
    data: 'alert',
  },
  'alert.resolved': {
    summary: 'An alert ended',
    permission: 'alerts:read',
    data: 'alert',
  },
  'webhook.test': {
    summary: 'A test that someone asked for; sent to the tested webhook alone',
    permission: 'webhooks:read',
    data: 'test',
  },
} as const satisfies Readonly<Record<string, WebhookEventDescription>>;

/** The name of a type of events. Types are added, never renamed or removed. */
export type WebhookEventType = AuditAction | keyof typeof others;

/** Every type of events, by its name: one for each action of the audit log, and those that no action causes. */
export const webhookEventTypes: Readonly<Record<WebhookEventType, WebhookEventDescription>> = {
  ...(Object.fromEntries(
    auditActions.map((action) => [
      action,
      { summary: changes[action], permission: 'audit:read', data: 'change' },
    ]),
  ) as Record<AuditAction, WebhookEventDescription>),
  ...others,
};

export const webhookEventTypeNames: readonly WebhookEventType[] = Object.keys(
  webhookEventTypes,
) as WebhookEventType[];

/** Lists the types that happen in an account. */
export function webhookEventTypesIn({
  isOperator,
}: {
  readonly isOperator: boolean;
}): readonly WebhookEventType[] {
  return webhookEventTypeNames.filter(
    (name) => isOperator || webhookEventTypes[name].isOperatorsOnly !== true,
  );
}

/** Returns the permissions that someone needs who wants some types of events; null for all types. */
export function permissionsForEvents(types: readonly string[] | null): readonly OwnPermission[] {
  const named = types ?? webhookEventTypeNames;
  return [
    ...new Set(
      named.flatMap((name) =>
        Object.hasOwn(webhookEventTypes, name) ? webhookEventTypes[name as WebhookEventType].permission : [],
      ),
    ),
  ];
}
