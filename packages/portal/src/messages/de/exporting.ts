import { plural } from './plural.ts';

export const exporting = {
  export: 'Exportieren',
  asCsv: 'CSV, für Tabellen',
  asJson: 'JSON, für Skripte',
  preparing: 'Die Datei wird vorbereitet …',
  saved: (rows: number): string => `${plural(rows, 'Zeile', 'Zeilen')} gespeichert`,
  savedPart: (rows: number): string =>
    `Nur die neuesten ${plural(rows, 'Zeile', 'Zeilen')} wurden gespeichert. Wählen Sie für den Rest einen kürzeren Zeitraum`,
} as const;
