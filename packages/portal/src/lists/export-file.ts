import { api } from '../api/api.ts';
import { saveText } from '../components/save-text.ts';

export type ExportForm = 'csv' | 'json';

/** A list to export, with its filters and the file's name without extension. */
export interface ExportOrder {
  readonly operation: 'listRequests' | 'listAuditEvents';
  readonly query: Readonly<Record<string, string | number>>;
  readonly fileStem: string;
}

const rowsInPart = 10_000;
const partsMax = 10;

/** Loads everything that the filters select, part by part, and lets the browser save it. */
export async function exportFile(
  order: ExportOrder,
  form: ExportForm,
): Promise<{
  readonly rows: number;
  /** False if there were more rows than fit into a file. */
  readonly isComplete: boolean;
}> {
  const lines: string[] = [];
  let header: string | undefined;
  let cursor: string | undefined;
  let parts = 0;
  do {
    const query = {
      ...order.query,
      format: form === 'csv' ? 'csv' : 'ndjson',
      limit: rowsInPart,
      ...(cursor !== undefined && { cursor }),
    };
    const part = await api.export(order.operation, { query });
    const records = form === 'csv' ? csvRecords(part.text) : part.text.split('\n').filter(Boolean);
    if (form === 'csv') header ??= records[0];
    lines.push(...(form === 'csv' ? records.slice(1) : records));
    cursor = part.nextCursor;
    parts++;
  } while (cursor !== undefined && parts < partsMax);
  const text =
    form === 'csv'
      ? [header ?? '', ...lines].map((line) => `${line}\r\n`).join('')
      : `[\n${lines.join(',\n')}\n]\n`;
  saveText(text, `${order.fileStem}.${form}`, form === 'csv' ? 'text/csv' : 'application/json');
  return { rows: lines.length, isComplete: cursor === undefined };
}

/** Splits CSV into records (RFC 4180). A line end inside quotes belongs to the record. */
export function csvRecords(text: string): readonly string[] {
  const records: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let position = 0; position < text.length; position++) {
    const character = text[position];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\n' && !isQuoted) {
      records.push(text.slice(start, position).replace(/\r$/, ''));
      start = position + 1;
    }
  }
  if (start < text.length) records.push(text.slice(start));
  return records;
}
