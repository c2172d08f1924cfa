import type { ServiceRequestLimit } from '@countersign/gate';
import type { NoticeDigest } from '../people/identity/identity.ts';
import { type RepeatedWork, repeatWork } from '../lifecycle/repeated-work.ts';
import type { Database } from '../storage/transaction.ts';
import type { NotingContext } from './add-notice.ts';
import { AlertRounds, trimAlerts } from './alerts/watch-rules.ts';
import { noteChanges } from './change-notices.ts';
import { mailDigests } from './mail-digests.ts';
import { noteDueKeys } from './due-keys.ts';
import { FailureEnds } from './failure-ends.ts';
import { noteFailingWebhooks } from './failing-webhooks.ts';
import { RefusalNotices } from './refusal-notices.ts';
import { noteStalledStreams } from './stalled-streams.ts';
import { trimNotices } from './trim-notices.ts';

export interface NoticeWorkOptions {
  readonly database: Database;
  readonly nowMs: () => number;
  /**
   * True if people can read the notices. If not, they are only made while there are webhooks, which are told of some.
   */
  readonly hasReaders: boolean;
  /** The rate limit of clients that have none of their own. */
  readonly requestLimit: ServiceRequestLimit;
  /** Mails notices to a person; undefined if the service has no mail server. */
  readonly mail: ((digest: NoticeDigest) => Promise<void>) | undefined;
  /** Called on failure. The work continues at the next interval. */
  readonly onError: (error: unknown) => void;
  /** The interval. Default 15 seconds. */
  readonly everyMs?: number | undefined;
}

/**
 * Makes notices from existing records, in the background. Any number of nodes may run it: nothing gets two
 * notices.
 */
export function startNoticeWork(options: NoticeWorkOptions): RepeatedWork {
  const { database, nowMs, hasReaders, requestLimit, mail, onError, everyMs = 15_000 } = options;
  let keysReadAtMs = 0;
  let trimmedAtMs = 0;
  const refusals = new RefusalNotices(database, requestLimit);
  const ends = new FailureEnds(database);
  const alerts = new AlertRounds({ database, startedAtMs: nowMs(), onError });
  const now = (): NotingContext => ({ nowMs: nowMs(), isMailed: mail !== undefined });
  const work = async (closing: AbortSignal): Promise<void> => {
    const isMore = async (): Promise<boolean> => !closing.aborted && (await noteChanges(database, now()));
    if (hasReaders) while (await isMore());
    else if (!(await hasWebhooks(database))) return;
    const context = now();
    if (closing.aborted) return;
    await refusals.note(context);
    if (!closing.aborted) await ends.note(context);
    if (!closing.aborted) await noteStalledStreams(database, context);
    if (!closing.aborted) await alerts.run(context, closing);
    if (!closing.aborted && Math.abs(context.nowMs - keysReadAtMs) >= keysEveryMs) {
      await noteDueKeys(database, context);
      await noteFailingWebhooks(database, context);
      keysReadAtMs = context.nowMs;
    }
    if (mail && !closing.aborted) await mailDigests(database, { nowMs: context.nowMs, send: mail, onError });
    if (closing.aborted || Math.abs(context.nowMs - trimmedAtMs) < trimEveryMs) return;
    await trimNotices(database, context.nowMs);
    await trimAlerts(database, context.nowMs);
    trimmedAtMs = context.nowMs;
  };
  return repeatWork(work, { everyMs, onError });
}

const keysEveryMs = 600_000;
const trimEveryMs = 3_600_000;

async function hasWebhooks(database: Database): Promise<boolean> {
  const row =
    (await database.selectFrom('webhooks').select('webhook_id').limit(1).executeTakeFirst()) ??
    (await database.selectFrom('webhook_listeners').select('listener_id').limit(1).executeTakeFirst());
  return row !== undefined;
}
