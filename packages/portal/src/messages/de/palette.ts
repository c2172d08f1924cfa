import { plural } from './plural.ts';

export const palette = {
  open: 'Suchen',
  title: 'Portal durchsuchen',
  close: 'Suche schließen',
  placeholder: 'Seite, Client, Anfrage-ID oder Thema',
  hint: 'Geben Sie den Namen einer Seite, eines Clients oder Webhooks, eine ID, eine IP-Adresse oder ein Thema der Dokumentation ein.',
  results: 'Ergebnisse',
  recent: 'Zuletzt verwendet',
  pages: 'Seiten',
  clients: 'Clients',
  webhooks: 'Webhooks',
  requests: 'Anfragen',
  documents: 'Dokumentation',
  inRequests: (text: string): string => `Anfragen nach „${text}“ durchsuchen`,
  count: (count: number): string => plural(count, 'Ergebnis', 'Ergebnisse'),
  searching: 'Suche läuft\u00A0…',
  nothing: 'Keine Treffer',
  failed: 'Ein Teil der Suche ist fehlgeschlagen. Versuchen Sie es noch einmal.',
} as const;
