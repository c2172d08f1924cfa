import { formatNumber, plural } from './plural.ts';

const clients = (count: number): string => plural(count, 'Client', 'Clients');

/** The page that imports clients from a CSV file. */
export const clientImport = {
  title: 'Clients importieren',
  description:
    'Fügen Sie viele Clients aus einer CSV-Datei hinzu. Sie sehen vor dem Import, was geschehen wird.',
  back: 'API-Schlüssel',
  mayNot: 'Ihre Rolle darf diesem Konto keine Clients hinzufügen.',
  file: 'Datei',
  columns: 'Eine Zeile pro Client. Erforderlich sind nur name und network. Die Spalten heißen',
  format:
    'Trennen Sie mehrere Netzwerke, Rollen oder Tags durch Leerzeichen. Den öffentlichen Schlüssel geben Sie als PEM oder Base64 in publicKey an, oder Sie nennen in publicKeyFile eine Schlüsseldatei.',
  example: 'Beispiel herunterladen',
  choose: 'CSV-Datei und Schlüsseldateien',
  chooseHint:
    'Wählen Sie die CSV-Datei zusammen mit den Schlüsseldateien, die sie nennt. Ihr Browser liest die Dateien.',
  choosePlaceholder: 'Dateien auswählen',
  clearFiles: 'Dateiauswahl aufheben',
  check: 'Prüfen',
  preview: 'Vorschau',
  result: 'Ergebnis',
  nothingYet: 'Noch ist nichts importiert. Zeilen mit Fehlern werden übersprungen.',
  canImport: (good: number, all: number): string =>
    `${formatNumber(good)} von ${clients(all)} ${good === 1 ? 'lässt' : 'lassen'} sich importieren`,
  import: (count: number): string => `${clients(count)} importieren`,
  imported: (count: number): string => `${clients(count)} importiert`,
  toList: 'Zu den API-Schlüsseln',
  line: 'Zeile',
  name: 'Name',
  status: 'Status',
  mistakes: 'Zu korrigieren',
  hasMistakes: 'Fehlerhaft',
  isReady: 'Bereit',
  isImported: 'Importiert',
  nameTaken: 'Ein anderer Client heißt schon so. Dieser wird zusätzlich hinzugefügt.',
  oneTable: 'Wählen Sie genau eine Datei, deren Name auf .csv endet.',
  tooLarge: 'Die Dateien sind zusammen größer als 2 MB.',
  tooManyRows: (max: number): string =>
    `Die Datei hat mehr als ${formatNumber(max)} Zeilen. Teilen Sie sie auf.`,
  notUtf8: 'Die Datei ist nicht in UTF-8 kodiert. Speichern Sie sie als „CSV UTF-8“.',
  unreadable: (line: number, mistake: string): string => `Zeile ${formatNumber(line)}: ${mistake}`,
  csvMistakes: {
    quote_inside: 'Anführungszeichen in einer Zelle, die nicht selbst in Anführungszeichen steht.',
    text_after_quote: 'Text nach dem schließenden Anführungszeichen einer Zelle.',
    quote_open: 'Das Anführungszeichen am Anfang einer Zelle hat kein schließendes Gegenstück.',
  },
  words: {
    columnUnknown: (column: string): string =>
      `Unbekannte Spalte: ${column.slice(0, 60)}. Entfernen Sie sie oder korrigieren Sie den Namen.`,
    columnTwice: (column: string): string => `Die Spalte ${column.slice(0, 60)} kommt mehrmals vor.`,
    nameColumnMissing: 'Die erste Zeile muss die Spalten benennen. Eine davon muss name sein.',
    cellCount: (cells: number, columns: number): string =>
      `Diese Zeile hat ${plural(cells, 'Zelle', 'Zellen')}, die Datei aber ${plural(columns, 'Spalte', 'Spalten')}.`,
    notANumber: 'Geben Sie eine ganze Zahl an.',
    twoKeys: 'Verwenden Sie entweder publicKey oder publicKeyFile, nicht beides.',
    keyFileMissing: (name: string): string => `Wählen Sie auch die Datei ${name.slice(0, 60)} aus.`,
    empty: 'Unter der Kopfzeile stehen keine Daten.',
  },
} as const;
