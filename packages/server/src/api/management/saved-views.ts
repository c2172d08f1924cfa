import { readSavedQuery, type SavedView } from '@countersign/contract';
import {
  addSavedView,
  listSavedViews,
  removeSavedView,
  type SavedViewRecord,
  updateSavedView,
} from '../../registry/store/saved-views.ts';
import { personCaller } from '../caller.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { timestamp } from '../timestamp.ts';

/** Named filters of the request log, for people. */
export const savedViewHandlers = defineHandlers(({ database, change }) => ({
  listSavedViews: async (_input, request) => {
    const { accountId, person } = personCaller(request);
    const views = await listSavedViews(database, { accountId, userId: person.userId });
    return { status: 200, body: { items: views.map((view) => showView(view, request)) } };
  },

  addSavedView: ({ body: { name, query, isShared = false } }, request) =>
    change(request, async (transaction, context) => {
      const view = { name, query: savedQuery(query), isShared };
      return { status: 201, body: showView(await addSavedView(transaction, view, context), request) };
    }),

  updateSavedView: ({ body: { query, ...others } }, request) =>
    change(request, async (transaction, context) => {
      const next = { ...others, query: query === undefined ? undefined : savedQuery(query) };
      const view = await updateSavedView(transaction, viewIdOf(request), next, context);
      return { status: 200, body: showView(view, request) };
    }),

  /** Responds with the view as it was. */
  removeSavedView: (_input, request) =>
    change(request, async (transaction, context) => ({
      status: 200,
      body: showView(await removeSavedView(transaction, viewIdOf(request), context), request),
    })),
}));

function viewIdOf(request: ApiRequest): string {
  return idInPath(request, 'savedViewId', 'view');
}

/** The schema has rejected a query that cannot be read. */
function savedQuery(text: string): string {
  const saved = readSavedQuery(text);
  return 'query' in saved ? saved.query : '';
}

function showView(record: SavedViewRecord, request: ApiRequest): SavedView {
  const { savedViewId, name, query, isShared, userId, authorName, createdAtMs, updatedAtMs } = record;
  return {
    savedViewId,
    name,
    query,
    isShared,
    isOwn: userId === personCaller(request).person.userId,
    ...(authorName !== undefined && { author: { userId, name: authorName } }),
    createdAt: timestamp(createdAtMs),
    updatedAt: timestamp(updatedAtMs),
  };
}
