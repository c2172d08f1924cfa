import type { AuditEvent, WebhookData } from '@countersign/contract';
import type { NoticeRecord } from './inbox.ts';
import type { ToldNotice } from './notice-sentence.ts';

/** Returns a notice's content as one plain English sentence, for emails. */
export function englishSentence(notice: ToldNotice): string {
  const name = notice.client === undefined ? 'a client' : `"${notice.client.name}"`;
  switch (notice.kind) {
    case 'key_due':
      return keySentence(notice, name);
    case 'first_failure':
      return failureSentence(notice, name);
    case 'refused_address':
      return addressSentence(notice, name);
    case 'rate_limited':
      return limitSentence(notice, name);
    case 'webhook_failing':
      return webhookSentence(notice);
    case 'stream_stalled':
      return streamSentence(notice);
    case 'alert':
      return alertSentence(notice, name);
    case 'change_waiting':
    case 'team_changed':
    case 'policy_changed':
      return changeSentence(notice, name);
  }
}

function keySentence({ key }: Pick<NoticeRecord, 'key'>, name: string): string {
  const day = key?.dueAt.slice(0, 10) ?? 'soon';
  switch (key?.stage) {
    case 'rotation_overdue':
      return `A key of ${name} should have been rotated by ${day}.`;
    case 'expires_in_week':
    case 'expires_in_day':
      return `A key of ${name} expires on ${key.dueAt.slice(0, 16).replace('T', ' ')} UTC, and no other key takes over.`;
    default:
      return `A key of ${name} should be rotated by ${day}.`;
  }
}

function failureSentence(
  { count, failure, recoveredAt }: Pick<NoticeRecord, 'count' | 'failure' | 'recoveredAt'>,
  name: string,
): string {
  const what =
    count === 1 ? `A request of ${name} was rejected` : `${count} requests of ${name} were rejected`;
  const code = failure === undefined ? '' : `: ${failure.outcome}`;
  const doubt =
    failure?.isProved === false ? ' The signature was not valid, so anyone may have sent it.' : '';
  const end =
    recoveredAt === undefined ? '' : ` Requests have been accepted again since ${minuteOf(recoveredAt)}.`;
  return `${what}${code}.${doubt}${end}`;
}

function limitSentence({ count }: Pick<NoticeRecord, 'count'>, name: string): string {
  return count === 1
    ? `A request of ${name} exceeded its rate limit.`
    : `${count} requests of ${name} exceeded its rate limit.`;
}

function minuteOf(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}

function addressSentence(
  { count, sourceAddresses = [] }: Pick<NoticeRecord, 'count' | 'sourceAddresses'>,
  name: string,
): string {
  const what = count === 1 ? 'A signed request' : `${count} signed requests`;
  const addresses = sourceAddresses.join(', ');
  return `${what} of ${name} came from outside its network whitelist: ${addresses}.`;
}

function webhookSentence({ webhook }: Pick<NoticeRecord, 'webhook'>): string {
  if (webhook === undefined) return 'A webhook is failing.';
  return (
    `Nothing has been delivered to the webhook ${webhook.url} since ${minuteOf(webhook.failingSince)}. ` +
    `It will be disabled if an attempt still fails after ${minuteOf(webhook.disabledAfter)}.`
  );
}

function streamSentence({ stream, recoveredAt }: Pick<NoticeRecord, 'stream' | 'recoveredAt'>): string {
  if (stream === undefined) return 'A stream has stalled.';
  const log = stream.source === 'audit' ? 'audit log' : 'request log';
  const problem = stream.problem === undefined ? '' : ` ${stream.problem}`;
  const end =
    recoveredAt === undefined
      ? ' Check the receiver. The service keeps trying, and sends what waits when the receiver acknowledges again.'
      : ` It has been received again since ${minuteOf(recoveredAt)}.`;
  const what = `The receiver of the stream "${stream.stream}" has acknowledged nothing of the ${log} since`;
  return `${what} ${minuteOf(stream.since)}.${problem}${end}`;
}

/** The thing that an alert is about, and what was measured. */
function alertSentence({ alert, client }: Pick<NoticeRecord, 'alert' | 'client'>, name: string): string {
  if (alert === undefined) return 'An alert rule fired.';
  const of = client === undefined ? '' : ` of ${name}`;
  const { resolvedAt } = alert;
  const end = resolvedAt === undefined ? '' : ` Ended ${minuteOf(resolvedAt)}.`;
  return `Alert "${alert.name}": ${alertWords(alert, of, name)}${end}`;
}

function alertWords({ condition, ...alert }: WebhookData<'alert'>, of: string, name: string): string {
  const minutes = condition.minutes ?? 0;
  switch (condition.kind) {
    case 'failure_rate':
      return `${alert.value ?? 0} % of ${alert.requests ?? 0} requests${of} failed within ${minutes} minutes.`;
    case 'no_requests':
      return `no request${of} was accepted for ${alert.value ?? minutes} minutes.`;
    case 'key_due':
      return `a key of ${name} expires on ${minuteOf(alert.dueAt ?? '')}, and no other key takes over.`;
    case 'new_address':
      return `a request of ${name} came from a new address, ${alert.sourceAddress ?? ''}.`;
    case 'rate_limited':
      return `the rate limit stopped ${alert.value ?? 0} requests${of} within ${minutes} minutes.`;
  }
}

function changeSentence({ event, count }: Pick<NoticeRecord, 'event' | 'count'>, name: string): string {
  if (event === undefined) return 'A setting was changed.';
  const actor = event.actor.name ?? actorWords(event.actor);
  const more = count > 1 ? `, and made ${count - 1} more such changes within the hour` : '';
  return `${actor} ${changeWords(event, name)}${more}.`;
}

function actorWords({ kind, id }: AuditEvent['actor']): string {
  if (kind === 'client') return `The client ${id}`;
  return kind === 'system' ? 'The service' : 'The operator';
}

function changeWords({ action, before = {}, after = {} }: AuditEvent, clientName: string): string {
  const role = textOf(after['role']) ?? textOf(before['role']) ?? 'a member';
  const person = textOf(after['email']) ?? textOf(before['email']) ?? 'someone';
  switch (action) {
    case 'member.invited':
      return `invited ${person} as ${role}`;
    case 'invitation.revoked':
      return `canceled the invitation of ${person}`;
    case 'member.joined':
      return `joined as ${role}`;
    case 'member.role_changed':
      return `changed the role of a member from ${textOf(before['role']) ?? 'another one'} to ${role}`;
    case 'member.removed':
      return `removed ${person} from the account`;
    case 'pending_change.requested':
      return 'asked for a change that waits for a second person: see Pending changes in the portal';
    case 'acting.started':
      return 'started acting for the account';
    case 'network.added':
    case 'network.removed':
    case 'network.replaced':
      return `changed the network whitelist of ${clientName}`;
    case 'role.added':
      return `added the role ${textOf(after['name']) ?? ''}`.trimEnd();
    case 'role.updated':
      return 'changed a role';
    case 'role.removed':
      return `removed the role ${textOf(before['name']) ?? ''}`.trimEnd();
    case 'policy.updated':
      return 'changed the security policy';
    case 'client.updated':
      if (textOf(after['profile']) !== undefined) return profileWords(after, clientName);
      return `changed the roles, limits or settings of ${clientName}`;
    case 'clients.changed':
      return 'changed the roles or network whitelists of several clients';
    case 'alert_rule.added':
      return `added the alert rule ${textOf(after['name']) ?? ''}`.trimEnd();
    case 'alert_rule.updated':
      return 'changed an alert rule';
    case 'alert_rule.removed':
      return `removed the alert rule ${textOf(before['name']) ?? ''}`.trimEnd();
    case 'webhook.added':
      return `added a webhook to ${textOf(after['url']) ?? 'a URL'}`;
    case 'webhook.updated':
      return 'changed a webhook';
    case 'webhook.removed':
      return `deleted the webhook to ${textOf(before['url']) ?? 'a URL'}`;
    case 'webhook.paused':
      return 'paused a webhook';
    case 'webhook.resumed':
      return 'resumed a webhook';
    case 'webhook.disabled':
      return `disabled a webhook: ${textOf(after['reason']) ?? 'it failed for too long'}`.replace(/\.$/, '');
    case 'webhook.secret_rotated':
      return 'gave a webhook a new secret';
    case 'account.suspended':
      return 'suspended the account';
    case 'account.resumed':
      return 'resumed the account';
    case 'account.closed':
      return 'closed the account';
    default:
      return 'changed the account settings';
  }
}

function profileWords({ profile, ...others }: Readonly<Record<string, unknown>>, clientName: string): string {
  const also = Object.keys(others).length === 0 ? '' : ', and other settings';
  return `changed the signature profile of ${clientName} to ${String(profile)}${also}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
