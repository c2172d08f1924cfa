import { pageTitles } from './page-titles.ts';
import { plural } from './plural.ts';

export const documentation = {
  title: pageTitles.documentation,
  description: 'Wie Sie Anfragen signieren, was die Fehler bedeuten, und die Referenz der API.',
  language: 'Programmiersprache',
  /** What is beyond the most read ones. */
  more: (count: number): string => plural(count, 'weiteres', 'weitere'),
  groups: {
    'Get started': {
      title: 'Erste Schritte',
      text: 'Senden Sie Ihre erste signierte Anfrage in Ihrer Sprache.',
    },
    'Sign requests': {
      title: 'Anfragen signieren',
      text: 'Bibliotheken, Schlüssel in Schlüsselspeichern und alle Regeln einer Signatur.',
    },
    'Fix a rejected request': {
      title: 'Abgelehnte Anfragen beheben',
      text: 'Was jeder Fehler bedeutet und was Sie ändern müssen.',
    },
    'Manage clients and keys': {
      title: 'Clients und Schlüssel verwalten',
      text: 'Im Portal, über die API und aus Ihrer Pipeline.',
    },
    'API reference': {
      title: 'API-Referenz',
      text: 'Jede Operation mit ihren Feldern, Antworten und Fehlern.',
    },
    Packages: { title: 'Pakete', text: 'Signierer und Clients zum Installieren, und die Kommandozeile.' },
  },
  search: 'Dokumentation durchsuchen',
  searchPlaceholder: 'Suche: signature_invalid, Python, rotate …',
  searchPage: 'Diese Seite durchsuchen',
  searchPagePlaceholder: 'Diese Seite durchsuchen',
  searchAll: 'Alle Dokumente durchsuchen',
  hits: (count: number): string =>
    count === 0
      ? 'Keine Treffer auf dieser Seite'
      : `${plural(count, 'Treffer', 'Treffer')} auf dieser Seite`,
  results: (count: number): string =>
    count === 0 ? 'Keine Treffer' : plural(count, 'Ergebnis', 'Ergebnisse'),
  resultsMax: (count: number): string => `Die besten ${count} Ergebnisse`,
  noResultsText:
    'Versuchen Sie es mit weniger oder kürzeren Wörtern. Codes und Header-Namen werden genau so gesucht, wie Sie sie eingeben.',
  contents: 'Inhalt',
  onThisPage: 'Auf dieser Seite',
  previous: 'Vorige Seite',
  next: 'Nächste Seite',
  around: 'Voriges und nächstes Dokument',
  client: 'Client-ID in den Beispielen',
  clientPlaceholder: 'Client auswählen',
  clientNothingFound: 'Keine Treffer',
  notFoundTitle: 'Seite nicht gefunden',
  notFoundText: 'Dieses Dokument gibt es nicht, oder es wurde verschoben.',
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyFailed:
    'Der Browser hat das Kopieren nicht zugelassen. Markieren Sie den Code und kopieren Sie ihn selbst.',
} as const;
