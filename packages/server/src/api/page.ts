import { isId, type Page, pageLimits } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';

/** The part of a list to read. */
export interface PagePlace {
  readonly limit: number;
  /** The ID of the previous page's last element; undefined for the first page. */
  readonly afterId: string | undefined;
}

/**
 * Finds a page's place in a list that is ordered by ID.
 *
 * @param idPrefix the prefix of the elements' IDs
 * @throws ProblemError `cursor_invalid`
 */
export function placeOf(
  { limit = pageLimits.limitDefault, cursor }: { readonly limit?: number; readonly cursor?: string },
  idPrefix: string,
): PagePlace {
  return { limit, afterId: readCursor(cursor, (text) => isId(idPrefix, text)) };
}

/** Makes a page from rows. If another page follows, they include one more than the page contains. */
export function pageOf<Row, Element>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
  show: (row: Row) => Element,
): Page<Element> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { data: shown.map(show), nextCursor: last === undefined ? null : writeCursor(idOf(last)) };
}

/**
 * Decodes a cursor; undefined if there is none.
 *
 * @param isPossible returns true if a text can be in a cursor of this list
 * @throws ProblemError `cursor_invalid`
 */
export function readCursor(
  cursor: string | undefined,
  isPossible: (text: string) => boolean,
): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('latin1').slice(cursorVersion.length);
  // Accept only the exact spelling that this service writes.
  if (!isPossible(text) || writeCursor(text) !== cursor) throw new ProblemError('cursor_invalid');
  return text;
}

/** Encodes the cursor of the page after an element, given its ID or another mark of its position. */
export function writeCursor(last: string): string {
  return Buffer.from(`${cursorVersion}${last}`, 'latin1').toString('base64url');
}

/** Distinguishes cursors in this format from those in later formats. */
const cursorVersion = '1:';
