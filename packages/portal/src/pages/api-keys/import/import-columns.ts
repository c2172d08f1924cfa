import type { CsvRow } from './read-csv.ts';

/** The columns of the file. Each column `metadata.KEY` is one entry of metadata. */
export const importColumns = [
  'name',
  'network',
  'roles',
  'tags',
  'publicKey',
  'publicKeyFile',
  'algorithm',
  'requestsPerMinuteMax',
  'requestsBurstMax',
] as const;

export type ImportColumn = (typeof importColumns)[number];

const metadataPrefix = 'metadata.';

/** The template that people download. */
export const importExample = [
  'name,network,roles,tags,publicKeyFile,metadata.owner',
  'Web shop,203.0.113.0/24 2001:db8::/48,payments-operator,partner eu,web-shop.pem,Ada',
  'Nightly import,198.51.100.7,payments-reader,internal,,"Lovelace, Ada"',
  '',
].join('\r\n');

/** A client to import, in the API's form, and its place in the file. */
export interface ImportRow {
  readonly line: number;
  readonly client: Readonly<Record<string, unknown>>;
  /** Mistakes found without the service. */
  readonly mistakes: readonly RowMistake[];
}

export interface RowMistake {
  readonly column: string;
  readonly text: string;
}

export interface ImportWords {
  readonly columnUnknown: (column: string) => string;
  readonly columnTwice: (column: string) => string;
  readonly nameColumnMissing: string;
  readonly cellCount: (cells: number, columns: number) => string;
  readonly notANumber: string;
  readonly twoKeys: string;
  readonly keyFileMissing: (name: string) => string;
  readonly empty: string;
}

/** Turns the rows of a file into clients; a text if the first row has no columns that can be imported. */
export function importRowsOf(
  [header, ...rows]: readonly CsvRow[],
  keyFiles: ReadonlyMap<string, string>,
  words: ImportWords,
): readonly ImportRow[] | string {
  const columns = header?.cells.map((cell) => cell.trim()) ?? [];
  if (header === undefined || rows.length === 0) return words.empty;
  for (const column of columns) {
    const isKnown = importColumns.some((known) => known === column) || column.startsWith(metadataPrefix);
    if (!isKnown) return words.columnUnknown(column);
    if (columns.filter((other) => other === column).length > 1) return words.columnTwice(column);
  }
  if (!columns.includes('name')) return words.nameColumnMissing;
  return rows.map(({ line, cells }) => {
    if (cells.length !== columns.length) {
      const text = words.cellCount(cells.length, columns.length);
      return {
        line,
        client: { name: cells[columns.indexOf('name')] ?? '' },
        mistakes: [{ column: '', text }],
      };
    }
    const values = new Map(columns.map((column, index) => [column, (cells[index] ?? '').trim()]));
    return { line, ...clientOf(values, keyFiles, words) };
  });
}

function clientOf(
  values: ReadonlyMap<string, string>,
  keyFiles: ReadonlyMap<string, string>,
  words: ImportWords,
): Pick<ImportRow, 'client' | 'mistakes'> {
  const mistakes: RowMistake[] = [];
  const value = (column: ImportColumn): string => values.get(column) ?? '';
  const limit = (column: 'requestsPerMinuteMax' | 'requestsBurstMax'): Record<string, number> => {
    if (value(column) === '') return {};
    if (/^\d{1,8}$/.test(value(column))) return { [column]: Number(value(column)) };
    mistakes.push({ column, text: words.notANumber });
    return {};
  };
  const keyFile = value('publicKeyFile');
  const fromFile = keyFile === '' ? '' : keyFiles.get(keyFile);
  if (fromFile === undefined) mistakes.push({ column: 'publicKeyFile', text: words.keyFileMissing(keyFile) });
  if (keyFile !== '' && value('publicKey') !== '')
    mistakes.push({ column: 'publicKey', text: words.twoKeys });
  const publicKey = value('publicKey') || fromFile;
  const metadata = [...values].filter(([column, text]) => column.startsWith(metadataPrefix) && text !== '');
  return {
    client: {
      name: value('name'),
      networkWhitelist: wordsIn(value('network')).map((entry) => ({ entry })),
      roles: wordsIn(value('roles')),
      tags: wordsIn(value('tags')),
      ...limit('requestsPerMinuteMax'),
      ...limit('requestsBurstMax'),
      ...(publicKey && { publicKey }),
      ...(value('algorithm') && { algorithm: value('algorithm') }),
      ...(metadata.length > 0 && {
        metadata: Object.fromEntries(
          metadata.map(([column, text]) => [column.slice(metadataPrefix.length), text]),
        ),
      }),
    },
    mistakes,
  };
}

/** Splits a cell with several values, separated by spaces, commas, semicolons or bars. */
function wordsIn(cell: string): readonly string[] {
  return cell.split(/[\s,;|]+/).filter((word) => word !== '');
}

/** Returns the column that a JSON Pointer of the API refers to; empty for none. */
export function columnOfPointer(pointer: string): string {
  const [, member = '', key] = pointer.split('/');
  if (member === 'networkWhitelist') return 'network';
  if (member === 'metadata') return key === undefined ? 'metadata' : `${metadataPrefix}${key}`;
  return member;
}
