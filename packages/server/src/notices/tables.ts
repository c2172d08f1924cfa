import type { NoticeKind } from '@countersign/contract';
// oxlint-disable-next-line unicorn/require-module-specifiers -- it declares the tables that some queries join
import type {} from '../registry/tables.ts';
// oxlint-disable-next-line unicorn/require-module-specifiers -- it declares the tables of alert rules
import type {} from './alerts/tables.ts';
import type { Defaulted, Fixed, TimeMs } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    notices: NoticesTable;
    notice_marks: NoticeMarksTable;
    notice_reads: NoticeReadsTable;
    notice_preferences: NoticePreferencesTable;
    notice_mails: NoticeMailsTable;
    notice_mail_times: NoticeMailTimesTable;
    notice_progress: NoticeProgressTable;
  }
}

/** Notices of accounts, the newest of each kind. */
export interface NoticesTable {
  notice_id: Fixed<string>;
  account_id: Fixed<string>;
  kind: Fixed<NoticeKind>;
  /** Distinguishes it from other notices of its account and kind. */
  mark: Fixed<string>;
  happened_at_ms: Fixed<TimeMs>;
  last_happened_at_ms: TimeMs;
  /** When it appeared in the inbox, some time after the event. */
  noted_at_ms: Fixed<TimeMs>;
  count: number;
  /** The client that it is about; null for several or none. */
  client_id: string | null;
  /** The audit event that it is about, the last one of several; null for other kinds. */
  event_id: string | null;
  /** JSON. */
  content: string;
  /**
   * When the failures, the stall or the alert that it tells ended, or other failures took their place; null while they go on, and for
   * other kinds.
   */
  ended_at_ms: Defaulted<TimeMs | null>;
  /** 0 if it is only mailed. */
  in_inbox: Defaulted<0 | 1>;
}

/** The marks of all notices ever made, so that none is made again after it was removed. */
interface NoticeMarksTable {
  account_id: Fixed<string>;
  kind: Fixed<NoticeKind>;
  mark: Fixed<string>;
  noted_at_ms: Fixed<TimeMs>;
}

/** The people who have read each notice. */
interface NoticeReadsTable {
  notice_id: Fixed<string>;
  user_id: Fixed<string>;
}

/** People's choices. A kind without a row has the contract's default. */
interface NoticePreferencesTable {
  user_id: Fixed<string>;
  kind: Fixed<NoticeKind>;
  in_inbox: 0 | 1;
  by_mail: 0 | 1;
}

/** Notices that are waiting to be mailed to a person. */
interface NoticeMailsTable {
  user_id: Fixed<string>;
  notice_id: Fixed<string>;
  queued_at_ms: Fixed<TimeMs>;
}

/** When each person last got a mail with notices. */
interface NoticeMailTimesTable {
  user_id: Fixed<string>;
  mailed_at_ms: TimeMs;
}

/** The position up to which each source of notices was read. */
interface NoticeProgressTable {
  /** `audit`: the registry version of the last audit event that was read. */
  source: Fixed<string>;
  position: number;
}
