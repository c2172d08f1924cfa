import { isId, type Page, pageLimits } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';

/** The part of a list to read. */
export interface PagePlace {
  readonly limit: number;
  /** The id of the last element of the page before; undefined for the first page. */
  readonly afterId: string | undefined;
}

/**
 * Finds the place of a page in a list that is ordered by ids.
 *
 * @param idPrefix of the list's elements
 * @throws ProblemError `cursor_invalid`
 */
export function placeOf(
  { limit = pageLimits.limitDefault, cursor }: { readonly limit?: number; readonly cursor?: string },
  idPrefix: string,
): PagePlace {
  return { limit, afterId: readCursor(cursor, (text) => isId(idPrefix, text)) };
}

/** Makes a page of rows, of which there is one more than the page holds if another page follows. */
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
 * Reads a cursor back into what it was made of; undefined when there is none.
 *
 * @param isPossible whether a text can have been made into a cursor of this list
 * @throws ProblemError `cursor_invalid`
 */
export function readCursor(
  cursor: string | undefined,
  isPossible: (text: string) => boolean,
): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('latin1').slice(cursorVersion.length);
  // Only the one spelling that this service writes.
  if (!isPossible(text) || writeCursor(text) !== cursor) throw new ProblemError('cursor_invalid');
  return text;
}

/** Writes the cursor of the page that follows an element, by its id or another mark of its place. */
export function writeCursor(last: string): string {
  return Buffer.from(`${cursorVersion}${last}`, 'latin1').toString('base64url');
}

/** Tells cursors of this form from those of a later one. */
const cursorVersion = '1:';
