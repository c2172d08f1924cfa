import type { OwnPermission } from './permissions.ts';

/** A kind of notice, and its default recipients. */
export interface NoticeKindDescription {
  readonly summary: string;
  /** Members without this permission never see notices of this kind. */
  readonly permission: OwnPermission;
  readonly inInbox: boolean;
  readonly byMail: boolean;
}

const noticeKindTable = {
  key_due: {
    summary: 'A key should be rotated or expires soon',
    permission: 'keys:read',
    inInbox: true,
    byMail: true,
  },
  first_failure: {
    summary: 'A request of a client was rejected, after at least a day without',
    permission: 'requests:read',
    inInbox: true,
    byMail: true,
  },
  refused_address: {
    summary: "A client called from an address outside its network whitelist, with one of the client's keys",
    permission: 'requests:read',
    inInbox: true,
    byMail: false,
  },
  rate_limited: {
    summary: 'A client exceeded its rate limit, after at least a day in which it did not',
    permission: 'requests:read',
    inInbox: true,
    byMail: false,
  },
  webhook_failing: {
    summary: 'A webhook has failed for a day or more, and will be disabled',
    permission: 'webhooks:write',
    inInbox: true,
    byMail: true,
  },
  stream_stalled: {
    summary: "A receiver of one of the service's streams has acknowledged nothing for minutes",
    permission: 'accounts:read',
    inInbox: true,
    byMail: true,
  },
  alert: {
    summary: "One of the account's alert rules fires",
    permission: 'alerts:read',
    inInbox: true,
    byMail: true,
  },
  change_waiting: {
    summary: 'Someone asked for a change that waits for a second person',
    permission: 'clients:write',
    inInbox: true,
    byMail: true,
  },
  team_changed: {
    summary: 'A member was invited, joined, was given another role or was removed',
    permission: 'audit:read',
    inInbox: true,
    byMail: true,
  },
  policy_changed: {
    summary: 'A network whitelist, role, limit, security policy or account setting was changed',
    permission: 'audit:read',
    inInbox: true,
    byMail: true,
  },
} as const;

export type NoticeKind = keyof typeof noticeKindTable;

/** Every kind of notice, in the order in which people see them. */
export const noticeKinds: Readonly<Record<NoticeKind, NoticeKindDescription>> = noticeKindTable;

export const noticeKindNames: readonly NoticeKind[] = Object.keys(noticeKindTable) as NoticeKind[];

/** How long a webhook has failed when its people are told, with the days; disabled after `failingDaysMax`. */
export const webhookFailingDays = { one_day: 1, four_days: 4 } as const;

export type WebhookFailingStage = keyof typeof webhookFailingDays;

export const webhookFailingStages: readonly WebhookFailingStage[] = Object.keys(
  webhookFailingDays,
) as WebhookFailingStage[];

/** Why a key needs attention, in the order in which the reasons occur. */
export const keyDueStages = [
  'rotation_due',
  'rotation_overdue',
  'expires_in_week',
  'expires_in_day',
] as const;

export type KeyDueStage = (typeof keyDueStages)[number];
