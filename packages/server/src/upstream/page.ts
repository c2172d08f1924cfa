import { isId, pageLimits } from '@countersign/contract';
import { queryInvalid, readQuery } from './request-query.ts';
import { ProblemError } from './upstream.ts';

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
  const values = readQuery(query, ['limit', 'cursor']);
  const cursor = values.get('cursor');
  return {
    limit: readLimit(values.get('limit')),
    afterId: cursor === undefined ? undefined : readCursor(cursor, idPrefix),
  };
}

/** Writes the cursor of the page that follows the element with this id. */
export function writeCursor(lastId: string): string {
  return Buffer.from(`${cursorVersion}${lastId}`, 'latin1').toString('base64url');
}

/** Stands before the id, so that a cursor of another form can be told apart some day. */
const cursorVersion = '1:';

function readLimit(text: string | undefined): number {
  const { limitDefault, limitMax } = pageLimits;
  if (text === undefined) return limitDefault;
  const limit = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax) throw queryInvalid(`limit is a whole number from 1 to ${limitMax}`);
  return limit;
}

function readCursor(cursor: string, idPrefix: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const id = text.slice(cursorVersion.length);
  // Only the one spelling that this service writes.
  if (!isId(idPrefix, id) || writeCursor(id) !== cursor) throw new ProblemError('cursor_invalid');
  return id;
}
