import { plural } from './plural.ts';

export const exporting = {
  export: 'Export',
  asCsv: 'CSV, for spreadsheets',
  asJson: 'JSON, for scripts',
  preparing: 'Preparing the file…',
  saved: (rows: number): string => `Saved ${plural(rows, 'row', 'rows')}`,
  savedPart: (rows: number): string =>
    `Saved the newest ${plural(rows, 'row', 'rows')}. Choose a shorter period for the rest`,
} as const;
