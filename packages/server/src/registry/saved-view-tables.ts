import type { Fixed, TimeMs } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    saved_views: SavedViewsTable;
  }
}

/** Named filters of the request log. */
export interface SavedViewsTable {
  saved_view_id: Fixed<string>;
  account_id: Fixed<string>;
  /** The author. */
  user_id: Fixed<string>;
  name: string;
  /** The name as `searchNameOf` returns it: an author has one view of each. */
  search_name: string;
  /** A query of the list's page, in the form of `readSavedQuery`. */
  query: string;
  /** 1 if everyone in the account sees it. */
  is_shared: 0 | 1;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
}
