import { api } from '../api/api.ts';

/** The forms in which lists can be saved. */
export type ExportForm = 'csv' | 'json';

/** What is saved: which list, with which filters, and what the file is called before its ending. */
export interface ExportOrder {
  readonly operation: 'listRequests' | 'listAuditEvents';
  readonly query: Readonly<Record<string, string | number>>;
  readonly fileStem: string;
}

/** What was saved. */
export interface ExportResult {
  readonly rows: number;
  /** False when there was more than a file may hold. */
  readonly isComplete: boolean;
}

const rowsInPart = 10_000;
const partsMax = 10;

/** Asks for everything that the filters select, part after part, and hands it to the browser as a file. */
export async function exportFile(order: ExportOrder, form: ExportForm): Promise<ExportResult> {
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
  saveFile(`${order.fileStem}.${form}`, text, form === 'csv' ? 'text/csv' : 'application/json');
  return { rows: lines.length, isComplete: cursor === undefined };
}

/** The records of CSV (RFC 4180): a line end within quotes is part of a record. */
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

function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers read the file only after the click was handled.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
