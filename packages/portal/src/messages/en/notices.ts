import { formatNumber, plural } from './plural.ts';

export const notices = {
  title: 'Notices',
  description: 'What happened in this account and may need your attention. Notices are kept for 90 days.',
  list: 'Notices, newest first',
  markAll: 'Mark all as read',
  markRead: 'Mark as read',
  allRead: 'All notices are marked as read',
  unread: 'New',
  toPreferences: 'Preferences',
  kind: 'Kind',
  anyKind: 'All kinds',
  show: 'Show',
  shows: { all: 'Read and unread', unread: 'Unread' },
  noneTitle: 'No notices',
  noneText: 'Due keys, rejected requests and changes to the team and policies appear here.',
  noneUnreadTitle: 'You have read everything',
  noneUnreadText: 'New notices appear here automatically.',
  kinds: {
    key_due: { title: 'Due keys', text: 'A key should be rotated, or expires and no other key takes over.' },
    first_failure: {
      title: 'First failures',
      text: 'A request of a client is rejected after at least a day without rejections, or for another reason.',
    },
    refused_address: {
      title: 'Rejected addresses',
      text: 'A signed request comes from an address that is not on the network whitelist.',
    },
    rate_limited: {
      title: 'Rate limits',
      text: 'A client exceeds its rate limit after at least a day in which it did not.',
    },
    webhook_failing: {
      title: 'Failing webhooks',
      text: 'Nothing reaches a webhook for a day or for four days. It is disabled after five.',
    },
    stream_stalled: {
      title: 'Stalled streams',
      text: "The receiver of one of the service's streams acknowledges nothing for minutes.",
    },
    alert: {
      title: 'Alerts',
      text: 'One of the account’s alert rules fires, or its alert ends.',
    },
    change_waiting: {
      title: 'Pending changes',
      text: 'Someone asks for a change that waits for a second person.',
    },
    team_changed: {
      title: 'Team changes',
      text: 'Someone is invited, joins, gets another role or leaves.',
    },
    policy_changed: {
      title: 'Policy changes',
      text: 'A network whitelist, role, limit, security policy or account setting changes.',
    },
  },
  keys: {
    rotation_due: 'A key should be rotated soon',
    rotation_overdue: 'A key is overdue for rotation',
    expires_in_week: 'A key expires within a week',
    expires_in_day: 'A key expires within a day',
  },
  keyDue: (day: string): string => `Due ${day}`,
  failures: (count: number): string =>
    count === 1 ? 'A request was rejected' : `${plural(count, 'request was', 'requests were')} rejected`,
  addresses: (count: number): string =>
    count === 1
      ? 'A request came from outside the network whitelist'
      : `${plural(count, 'request', 'requests')} came from outside the network whitelist`,
  limited: (count: number): string =>
    count === 1
      ? 'A request exceeded the rate limit'
      : `${plural(count, 'request', 'requests')} exceeded the rate limit`,
  limit: (perMinute: number, burst: number): string =>
    `${plural(perMinute, 'request', 'requests')} a minute, in bursts of up to ${formatNumber(burst)}`,
  recovered: (since: string): string => `Accepted again since ${since}`,
  webhookFailing: {
    one_day: 'A webhook has failed for a day',
    four_days: 'A webhook has failed for four days and will be disabled',
  },
  streamStalled: (stream: string): string => `The stream ${stream} has stalled`,
  streamSince: (source: 'audit' | 'requests', since: string): string =>
    `Nothing of the ${source === 'audit' ? 'audit log' : 'request log'} was acknowledged since ${since}.`,
  streamAdvice:
    'Check the receiver. The service keeps trying, and sends what waits when the receiver acknowledges again.',
  streamRecovered: (since: string): string => `Received again since ${since}`,
  alertAt: (since: string): string => `Since ${since}`,
  alertEnded: (since: string, end: string): string => `${since} to ${end}`,
  unproved: 'The signature was not valid, so anyone may have sent it.',
  from: (address: string): string => `from ${address}`,
  change: 'A setting was changed',
  moreChanges: (count: number): string =>
    `and ${plural(count, 'more such change', 'more such changes')} within the hour`,
  open: {
    pending: 'Pending changes',
    keys: 'Keys',
    network: 'Network whitelist',
    request: 'Request',
    rules: 'Alert rules',
    audit: 'Audit log',
  },
  preferencesTitle: 'Notices',
  preferencesText: 'For all your accounts. You get at most one email every 15 minutes, with all new notices.',
  noMail: 'This service has no mail server, so it sends no email.',
  inInbox: 'Inbox',
  byMail: 'Email',
  preferenceOf: (kind: string, how: string): string => `${kind}: ${how}`,
} as const;
