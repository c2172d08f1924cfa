import { pageTitles } from './page-titles.ts';
import { formatNumber } from './plural.ts';

export const analytics = {
  title: pageTitles.analytics,
  description:
    'Anfragen nach Operation, Status, Ursache, Schlüssel und Adresse, und die eigene Zeit des Dienstes',
  client: 'Client',
  allClients: 'Alle Clients',
  noClient: 'Kein Client gefunden',
  exportCsv: 'CSV exportieren',
  exported: 'Auswertung gespeichert',
  since: (time: string): string => `Gezählt seit ${time}. Frühere Anfragen haben hier keine Zahlen.`,
  empty: 'Keine Anfragen',
  emptyText: (range: string): string =>
    `In diesem Zeitraum (${range}) wurde nichts gezählt. Wählen Sie einen längeren Zeitraum, oder senden Sie eine Anfrage.`,
  emptyAction: 'Anfragen öffnen',
  times: {
    title: 'Antwortzeit',
    description: 'Die eigene Zeit des Dienstes, ohne das Warten auf Ihre API. Auf 10 Prozent genau.',
    chart: (range: string): string => `Antwortzeiten, Zeitraum: ${range}`,
    share: { p50Ms: 'p50', p95Ms: 'p95', p99Ms: 'p99' },
    before: (time: string): string => `${time} im Zeitraum davor`,
    noneBefore: 'Keine im Zeitraum davor',
  },
  facts: {
    operation: 'Operationen',
    status: 'Statuscodes',
    cause: 'Ablehnungen nach Ursache',
    key: 'Schlüssel',
    address: 'Adressen',
  },
  names: {
    operation: 'Operation',
    status: 'Status',
    cause: 'Ursache',
    key: 'Schlüssel',
    address: 'Adresse',
  },
  requests: 'Anfragen',
  rejected: 'Abgelehnt',
  others: {
    operation: 'Andere Operationen, oder keine',
    status: 'Andere Statuscodes',
    cause: 'Andere Ursachen',
    key: 'Andere Schlüssel',
    address: 'Andere Adressen',
  },
  none: {
    operation: 'Keine Anfragen.',
    status: 'Keine Anfragen.',
    cause: 'Keine Anfrage wurde abgelehnt.',
    key: 'Kein Schlüssel hat eine Anfrage bestätigt.',
    address: 'Keine Anfragen.',
  },
  showAll: (count: number): string => `Alle ${formatNumber(count)} anzeigen`,
  showFewer: 'Weniger anzeigen',
} as const;
