import { plural } from './plural.ts';

export const exporting = {
  export: 'Export',
  asCsv: 'As CSV, for spreadsheets',
  asJson: 'As JSON, for programs',
  preparing: 'The file is being prepared',
  saved: (rows: number): string => `Saved with ${plural(rows, 'row', 'rows')}`,
  savedPart: (rows: number): string =>
    `Saved with the newest ${plural(rows, 'row', 'rows')}; choose a shorter time for the rest`,
} as const;
