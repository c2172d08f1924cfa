import { defineOperations } from './operation.ts';

export const savedViewOperations = defineOperations('Requests', {
  listSavedViews: {
    method: 'GET',
    path: '/v1/saved-views',
    summary: "List the caller's saved views of the request log, and those that are shared",
    permission: 'requests:read',
    callers: 'people',
    answer: 'SavedViews',
  },
  addSavedView: {
    method: 'POST',
    path: '/v1/saved-views',
    summary: 'Save filters of the request log as a view',
    permission: 'requests:read',
    callers: 'people',
    takesIdempotencyKey: true,
    body: 'SavedViewRequest',
    status: 201,
    answer: 'SavedView',
  },
  updateSavedView: {
    method: 'PATCH',
    path: '/v1/saved-views/{savedViewId}',
    summary: 'Change a view: its author, or who manages members a shared one',
    permission: 'requests:read',
    callers: 'people',
    body: 'SavedViewChange',
    answer: 'SavedView',
  },
  removeSavedView: {
    method: 'DELETE',
    path: '/v1/saved-views/{savedViewId}',
    summary: 'Remove a view: its author, or who manages members a shared one',
    permission: 'requests:read',
    callers: 'people',
    answer: 'SavedView',
  },
});
