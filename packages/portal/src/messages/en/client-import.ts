import { formatNumber, plural } from './plural.ts';

const clients = (count: number): string => plural(count, 'client', 'clients');

/** The page that imports clients from a CSV file. */
export const clientImport = {
  title: 'Import clients',
  description: 'Register many clients from a CSV file. You see what will happen before anything is imported.',
  back: 'API Keys',
  mayNot: 'Your role can’t add clients to this account.',
  file: 'File',
  columns: 'One row per client. Only name and network are required; the columns are',
  format:
    'Separate multiple networks, roles or tags with spaces. For the public key, put PEM or Base64 in publicKey, or the name of a key file in publicKeyFile.',
  example: 'Download an example',
  choose: 'CSV file and key files',
  chooseHint: 'Choose the CSV file together with any key files it names. Your browser reads the files.',
  choosePlaceholder: 'Choose files',
  clearFiles: 'Clear the files',
  check: 'Check',
  preview: 'Preview',
  result: 'Result',
  nothingYet: 'Nothing has been imported yet. Rows with mistakes are skipped.',
  canImport: (good: number, all: number): string =>
    `${formatNumber(good)} of ${clients(all)} can be imported`,
  import: (count: number): string => `Import ${clients(count)}`,
  imported: (count: number): string => `${clients(count)} imported`,
  toList: 'Go to API Keys',
  line: 'Line',
  name: 'Name',
  status: 'Status',
  mistakes: 'To fix',
  hasMistakes: 'Mistakes',
  isReady: 'Ready',
  isImported: 'Imported',
  nameTaken: 'Another client has this name. It will be added as well.',
  oneTable: 'Choose exactly one file whose name ends in .csv.',
  tooLarge: 'The files are larger than 2 MB in total.',
  tooManyRows: (max: number): string => `The file has more than ${formatNumber(max)} rows. Split it.`,
  notUtf8: 'The file isn’t UTF-8. Save it as “CSV UTF-8”.',
  unreadable: (line: number, mistake: string): string => `Line ${formatNumber(line)}: ${mistake}`,
  csvMistakes: {
    quote_inside: 'a quote inside a cell without quotes around it.',
    text_after_quote: 'text after the closing quote of a cell.',
    quote_open: 'the quote that opens a cell is never closed.',
  },
  words: {
    columnUnknown: (column: string): string =>
      `Unknown column: ${column.slice(0, 60)}. Remove it or correct its name.`,
    columnTwice: (column: string): string => `The column ${column.slice(0, 60)} appears more than once.`,
    nameColumnMissing: 'The first row must name the columns, and one of them is name.',
    cellCount: (cells: number, columns: number): string =>
      `This row has ${plural(cells, 'cell', 'cells')}, but there are ${plural(columns, 'column', 'columns')}.`,
    notANumber: 'Must be a whole number.',
    twoKeys: 'Use either publicKey or publicKeyFile, not both.',
    keyFileMissing: (name: string): string => `Also choose the file ${name.slice(0, 60)}.`,
    empty: 'The file has no rows below the header.',
  },
} as const;
