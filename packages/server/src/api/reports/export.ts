import { type ExportFormat, type Page, pageLimits } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { queryInvalid } from '../request-query.ts';
import { plainText } from './plain-text.ts';

/**
 * Returns the number of elements per page: for JSON the limit of any list, for the other formats a larger one.
 *
 * @throws ProblemError `query_invalid`
 */
export function exportLimit(limit: number | undefined, format: ExportFormat): number {
  const limitMax = format === 'json' ? pageLimits.limitMax : pageLimits.exportLimitMax;
  if (limit !== undefined && limit > limitMax)
    throw queryInvalid(`limit is a whole number from 1 to ${limitMax}`);
  return limit ?? pageLimits.limitDefault;
}

/** A CSV column: a member, or a name with a function that returns the value. */
export type Column<Element> =
  | (keyof Element & string)
  | readonly [name: string, value: (element: Element) => unknown];

/**
 * Returns a page of a list in the requested format, with the same elements in each. A long page is written in
 * steps that let the event loop run in between.
 *
 * @param columns the columns of CSV; no cell contains JSON
 */
export async function exportAnswer<Element extends object>(
  page: Page<Element>,
  format: ExportFormat,
  columns: readonly Column<Element>[],
): Promise<Answer<Page<Element>>> {
  if (format === 'json') return { status: 200, body: page };
  const next = page.nextCursor === null ? {} : { 'Next-Cursor': page.nextCursor };
  const { headers, ...lines } = await exportedLines(page.data, format, columns);
  return { ...lines, headers: { ...headers, ...next } };
}

/** Returns elements in a format that has one per line. */
export async function exportedLines<Element extends object>(
  elements: readonly Element[],
  format: Exclude<ExportFormat, 'json'>,
  columns: readonly Column<Element>[],
): Promise<Answer<never>> {
  if (format === 'ndjson') {
    const bytes = await writeInSteps('', elements, (element) => `${JSON.stringify(element)}\n`);
    return { status: 200, headers: { 'Content-Type': 'application/x-ndjson' }, bytes };
  }
  const names = columns.map((column) => (typeof column === 'string' ? column : column[0]));
  // RFC 4180 ends lines with CR and LF.
  const head = `${names.join(',')}\r\n`;
  const bytes = await writeInSteps(head, elements, (element) => `${csvRow(element, columns)}\r\n`);
  return { status: 200, headers: { 'Content-Type': 'text/csv; charset=utf-8; header=present' }, bytes };
}

const writtenAtOnce = 200;

async function writeInSteps<Element>(
  head: string,
  elements: readonly Element[],
  write: (element: Element) => string,
): Promise<Uint8Array> {
  const parts = [Buffer.from(head)];
  for (let start = 0; start < elements.length; start += writtenAtOnce) {
    if (start > 0) await nextLoopTurn('reports');
    const texts = elements.slice(start, start + writtenAtOnce).map(write);
    parts.push(Buffer.from(texts.join('')));
  }
  return Buffer.concat(parts);
}

function csvRow<Element extends object>(element: Element, columns: readonly Column<Element>[]): string {
  return columns
    .map((column) => csvField(typeof column === 'string' ? element[column] : column[1](element)))
    .join(',');
}

function csvField(value: unknown): string {
  const text = plainText(value);
  // A spreadsheet would run such a text as a formula, and texts come from strangers; numbers are our own. Where
  // the comma is the decimal separator, spreadsheets start a new cell after a semicolon or a tab, even within
  // quotes.
  const harmless = typeof value === 'number' ? text : text.replaceAll(/(^|[;\t])(?=[=+\-@\t\r])/g, "$1'");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
