import { defineOperations } from './operation.ts';

export const noticeOperations = defineOperations('Notices', {
  listNotices: {
    method: 'GET',
    path: '/v1/notices',
    summary: "List the caller's notices in the account, newest first",
    permission: undefined,
    callers: 'people',
    query: 'NoticeQuery',
    answer: 'NoticePage',
  },
  readNotice: {
    method: 'POST',
    path: '/v1/notices/{noticeId}/read',
    summary: 'Mark a notice as read',
    permission: undefined,
    callers: 'people',
    answer: 'Notice',
  },
  readAllNotices: {
    method: 'POST',
    path: '/v1/notices/read-all',
    summary: 'Mark all notices in the account as read',
    permission: undefined,
    callers: 'people',
    body: 'NoticesRead',
    isBodyOptional: true,
    answer: 'NoticeCount',
  },
  getNoticePreferences: {
    method: 'GET',
    path: '/v1/notice-preferences',
    summary: 'Read which notices the caller gets, and how',
    permission: undefined,
    callers: 'people',
    answer: 'NoticePreferences',
  },
  updateNoticePreferences: {
    method: 'PATCH',
    path: '/v1/notice-preferences',
    summary: 'Change which notices the caller gets, and how',
    permission: undefined,
    callers: 'people',
    body: 'NoticePreferencesChange',
    answer: 'NoticePreferences',
  },
});
