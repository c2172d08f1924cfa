import { type KeyDueStage, newId, type NoticeKind, type WebhookData } from '@countersign/contract';
import type { Insertable, Transaction } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import { queueMails } from './queue-mails.ts';
import { queueNoticeEvent } from './queue-notice-event.ts';
import type { NoticesTable } from './tables.ts';

/** The content of a notice, in addition to its columns. The members depend on its kind. */
export interface NoticeContent {
  readonly key?: {
    readonly keyId: string;
    readonly fingerprint: string;
    readonly stage: KeyDueStage;
    readonly dueAt: string;
  };
  readonly failure?: {
    readonly requestId: string;
    readonly outcome: string;
    readonly isProved: boolean;
    readonly sourceAddress: string;
  };
  readonly sourceAddresses?: readonly string[];
  /** When the client's requests began to be accepted again, a stream was found to be received again, or an alert ended, RFC 3339. */
  readonly recoveredAt?: string;
  readonly rateLimit?: Pick<WebhookData<'rateLimited'>, 'requestsPerMinuteMax' | 'requestsBurstMax'>;
  readonly webhook?: WebhookData<'webhookFailing'>;
  readonly stream?: WebhookData<'stream'>;
  readonly alert?: WebhookData<'alert'>;
}

export interface NewNotice {
  readonly accountId: string;
  readonly kind: NoticeKind;
  /** Distinguishes it from other notices of its account and kind. */
  readonly mark: string;
  readonly happenedAtMs: number;
  /** Defaults to `happenedAtMs`. */
  readonly lastHappenedAtMs?: number;
  /** Default 1. */
  readonly count?: number;
  readonly clientId?: string | undefined;
  readonly eventId?: string | undefined;
  /** The person who did it, and needs no notice. */
  readonly byUserId?: string | undefined;
  readonly content?: NoticeContent;
  /** False if it is only mailed. Default true. */
  readonly isInInbox?: boolean;
}

/** The context in which notices are made. */
export interface NotingContext {
  readonly nowMs: number;
  /** True if the service can send mail. */
  readonly isMailed: boolean;
}

/**
 * Makes a notice, and queues its mails and its event for webhooks. If any node has made a notice under the same mark before, does nothing,
 * even after that notice was removed.
 *
 * @returns true if the notice is new
 */
export async function addNotice(
  transaction: Transaction<Schema>,
  notice: NewNotice,
  { nowMs, isMailed }: NotingContext,
): Promise<boolean> {
  const { accountId, kind, mark, happenedAtMs, count, clientId, eventId, content } = notice;
  const { lastHappenedAtMs = happenedAtMs, isInInbox = true } = notice;
  // A run may read events from after its start. A member who joined in between must not miss them.
  const notedAtMs = Math.max(nowMs, lastHappenedAtMs);
  const marked = await transaction
    .insertInto('notice_marks')
    .values({ account_id: accountId, kind, mark, noted_at_ms: notedAtMs })
    .onConflict((conflict) => conflict.columns(['account_id', 'kind', 'mark']).doNothing())
    .executeTakeFirst();
  if (Number(marked.numInsertedOrUpdatedRows ?? 0) === 0) return false;
  const noticeId = newId('notice', happenedAtMs);
  const row: Insertable<NoticesTable> = {
    notice_id: noticeId,
    account_id: accountId,
    kind,
    mark,
    happened_at_ms: happenedAtMs,
    last_happened_at_ms: lastHappenedAtMs,
    noted_at_ms: notedAtMs,
    count: count ?? 1,
    client_id: clientId ?? null,
    event_id: eventId ?? null,
    content: JSON.stringify(content ?? {}),
    in_inbox: isInInbox ? 1 : 0,
  };
  await transaction.insertInto('notices').values(row).execute();
  if (notice.byUserId !== undefined) await readAsAuthor(transaction, noticeId, notice.byUserId);
  await queueNoticeEvent(transaction, notice);
  if (isMailed) await queueMails(transaction, { ...notice, noticeId }, nowMs);
  return true;
}

/** Marks a notice as read by its author, who already knows about it. */
async function readAsAuthor(
  transaction: Transaction<Schema>,
  noticeId: string,
  userId: string,
): Promise<void> {
  const person = transaction
    .selectFrom('persons')
    .select((row) => [row.val(noticeId).as('notice_id'), 'user_id'])
    .where('user_id', '=', userId);
  await transaction.insertInto('notice_reads').columns(['notice_id', 'user_id']).expression(person).execute();
}
