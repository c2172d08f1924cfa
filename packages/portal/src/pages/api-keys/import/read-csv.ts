/** A row of a CSV file, with the number of the line that it starts on. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The rows of a CSV file, or the first mistake that makes it unreadable. */
export type CsvReading =
  | { readonly ok: true; readonly rows: readonly CsvRow[] }
  | { readonly ok: false; readonly line: number; readonly mistake: CsvMistake };

export type CsvMistake = 'quote_inside' | 'text_after_quote' | 'quote_open';

/**
 * Reads CSV (RFC 4180) strictly: a file that two programs could read differently is rejected. Cells end with
 * a comma, a semicolon or a tab, whichever the first line has most of; lines end with LF or CRLF. A byte
 * order mark and empty lines are skipped.
 */
export function readCsv(file: string): CsvReading {
  const text = file.startsWith('\uFEFF') ? file.slice(1) : file;
  const separator = separatorOf(text);
  const rows: CsvRow[] = [];
  let [position, line] = [0, 1];
  while (position < text.length) {
    const startLine = line;
    const cells: string[] = [];
    for (;;) {
      const cell = readCell(text, position, separator);
      if ('mistake' in cell) return { ok: false, line, mistake: cell.mistake };
      cells.push(cell.value);
      line += linesIn(cell.value);
      position = cell.end;
      if (text.charAt(position) !== separator) break;
      position += 1;
    }
    position += text.startsWith('\r\n', position) ? 2 : 1;
    line += 1;
    if (cells.some((cell) => cell !== '')) rows.push({ line: startLine, cells });
  }
  return { ok: true, rows };
}

const separators = [',', ';', '\t'] as const;

function separatorOf(text: string): string {
  const [first = ''] = /^[^\r\n]*/.exec(text.replaceAll(/"[^"]*"/g, '')) ?? [];
  const count = (separator: string): number => first.split(separator).length;
  return separators.reduce((best, other) => (count(other) > count(best) ? other : best));
}

type Cell = { readonly value: string; readonly end: number } | { readonly mistake: CsvMistake };

function readCell(text: string, start: number, separator: string): Cell {
  if (text.charAt(start) !== '"') {
    let end = start;
    while (end < text.length && !isEnd(text, end, separator)) end += 1;
    const value = text.slice(start, end);
    return value.includes('"') ? { mistake: 'quote_inside' } : { value, end };
  }
  for (let end = start + 1; end < text.length; end += 1) {
    if (text.charAt(end) !== '"') continue;
    if (text.charAt(end + 1) === '"') end += 1;
    else if (end + 1 === text.length || isEnd(text, end + 1, separator))
      return { value: text.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 };
    else return { mistake: 'text_after_quote' };
  }
  return { mistake: 'quote_open' };
}

function isEnd(text: string, position: number, separator: string): boolean {
  const character = text.charAt(position);
  return character === separator || character === '\n' || text.startsWith('\r\n', position);
}

function linesIn(value: string): number {
  return value.split('\n').length - 1;
}
