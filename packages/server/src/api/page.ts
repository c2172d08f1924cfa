import { isId, pageLimits, pageParameters } from '@countersign/contract';
import { readQueryAs } from './request-query.ts';
import { ProblemError } from '@countersign/gate';

/** Which part of a list to read. */
export interface Page {
  readonly limit: number;
  /** The id of the last element of the page before; undefined for the first page. */
  readonly afterId: string | undefined;
}

/**
 * Reads `limit` and `cursor` of a list.
 *
 * @param idPrefix of the elements of the list
 * @throws ProblemError `query_invalid`, `cursor_invalid`
 */
export function readPage(query: string, idPrefix: string): Page {
  const { limit = pageLimits.limitDefault, cursor } = readQueryAs(query, pageParameters);
  return { limit, afterId: readCursor(cursor, (text) => isId(idPrefix, text)) };
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

/** Writes the cursor of the page that follows the element with this id, or whatever else its place is. */
export function writeCursor(last: string): string {
  return Buffer.from(`${cursorVersion}${last}`, 'latin1').toString('base64url');
}

/** Stands before the id, so that a cursor of another form can be told apart some day. */
const cursorVersion = '1:';
