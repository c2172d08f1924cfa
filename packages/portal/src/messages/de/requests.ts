import { type Features, requestsCountedMax, type RequestTotals } from '@countersign/contract';
import { pageTitles } from './page-titles.ts';
import { type CountSoFar, formatNumber, plural, pluralSoFar } from './plural.ts';

/** Says how long requests are kept: `Anfragen werden 30 Tage aufbewahrt, höchstens 1.000.000.` */
export function requestsKept({ days, max }: Features['requestsKept']): string {
  if (days > 0) {
    const limit = max > 0 ? `, höchstens ${formatNumber(max)}` : '';
    return `Anfragen werden ${plural(days, 'Tag', 'Tage')} aufbewahrt${limit}.`;
  }
  return max > 0
    ? `Die neuesten ${plural(max, 'Anfrage', 'Anfragen')} werden aufbewahrt.`
    : 'Anfragen werden unbegrenzt aufbewahrt.';
}

/** `Mehr als 1.000 neue Anfragen`, as the start of a sentence. */
function newRequests(count: CountSoFar): string {
  const text = pluralSoFar(count, 'neue Anfrage', 'neue Anfragen');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export const requests = {
  title: pageTitles.requests,
  kept: (kept: Features['requestsKept']): string =>
    `${requestsKept(kept)} Bodys und Signaturen werden nie gespeichert.`,
  client: 'Client',
  clientAndAddress: 'Client und Adresse',
  anyClient: 'Alle Clients',
  noClientFound: 'Keine Treffer',
  outcome: 'Ergebnis',
  anyOutcome: 'Alle Ergebnisse',
  accepted: 'Angenommen',
  refused: 'Abgelehnt',
  observed: 'Durchgelassen (Routen im Beobachtungsmodus)',
  outcomesByCode: 'Abgelehnt mit',
  newEntries: (count: CountSoFar): string => `${newRequests(count)} anzeigen`,
  newAnnounced: (count: CountSoFar): string => `${newRequests(count)} eingegangen`,
  list: 'Alle Anfragen',
  counting: 'Wird gezählt …',
  totals: ({ count, accepted, observed, refused, isComplete }: RequestTotals): string => {
    const parts = [`${formatNumber(accepted)} angenommen`, `${formatNumber(refused)} abgelehnt`];
    if (observed > 0) parts.push(`${formatNumber(observed)} durchgelassen`);
    const all = isComplete ? plural(count, 'Anfrage', 'Anfragen') : ofNewest(count);
    return `${all}: ${parts.join(', ')}`;
  },
  watch: 'Live verfolgen',
  pause: 'Anhalten',
  views: 'Ansichten',
  viewUsed: (name: string): string => `Ansichten: ${name}`,
  viewChanged: (name: string): string => `Ansichten: ${name}, geändert`,
  anyStatus: 'Alle Status',
  statusFilter: 'Status',
  statusClasses: {
    '2xx': '2xx Erfolg',
    '3xx': '3xx Weiterleitung',
    '4xx': '4xx Client-Fehler',
    '5xx': '5xx Serverfehler',
  },
  noStatus: 'keiner',
  duration: 'Dauer',
  durationUnknown: 'unbekannt',
  request: 'Anfrage',
  unknownAddress: 'unbekannt',
  sourceAddress: 'Absenderadresse',
  time: 'Zeit',
  emptyTitle: 'Noch keine Anfragen',
  emptyText:
    'Die erste signierte Anfrage eines Clients erscheint hier, ob sie angenommen oder abgelehnt wird.',
  noneTitle: 'Keine Anfragen passen zu diesen Filtern',
  noneText: 'Wählen Sie einen längeren Zeitraum oder setzen Sie die Filter zurück.',

  histogram:
    'Anfragen im Zeitverlauf. Pfeiltasten wählen einen Balken, Umschalt erweitert, Eingabe filtert die Liste',
  histogramEmpty: 'Keine Anfragen',
  histogramFailed: 'Die Anfragen konnten nicht gezählt werden',
  histogramWithout: 'Die Zahlen lassen Suche und Status außer Acht',
  histogramChosen: (span: string): string => `Anfragen von ${span} werden gezeigt`,
  /** `mistakes` are the callers’, `faults` are the service’s own. */
  histogramCounts: (counts: Record<'accepted' | 'observed' | 'mistakes' | 'faults', number>): string => {
    const parts = [
      `${formatNumber(counts.accepted)} angenommen`,
      `${formatNumber(counts.mistakes)} abgelehnt`,
    ];
    if (counts.observed > 0) parts.push(`${formatNumber(counts.observed)} durchgelassen`);
    if (counts.faults > 0) parts.push(`${formatNumber(counts.faults)} am Dienst gescheitert`);
    return parts.join(', ');
  },
  timeRange: 'Zeitraum',
  clearTimeRange: 'Zeitraum aufheben',
  since: (time: string): string => `seit ${time}`,
  until: (time: string): string => `bis ${time}`,

  failures: 'Fehlgeschlagene Anfragen nach Ursache',
  failuresPart: '(nur die neuesten)',
  noFailures: (period: string): string => `${period}: keine`,
  causeOf: (outcome: string, clients: readonly string[]): string => `${outcome}: ${clients.join(', ')}`,
  lookAtLastOf: (title: string): string => `Neueste Anfrage ansehen: ${title}`,
  showMore: (count: number): string => `${formatNumber(count)} weitere`,
  showFewer: 'Weniger',

  detail: 'Anfrage',
  back: 'Alle Anfragen',
  receivedAt: 'Eingegangen',
  clientNamed: 'Client',
  notProved: 'laut Anfrage, nicht geprüft',
  key: 'Schlüssel',
  clock: 'Uhr des Clients',
  clockAhead: (seconds: number): string => `geht ${formatNumber(Math.abs(seconds))}\u00A0s vor`,
  clockBehind: (seconds: number): string => `geht ${formatNumber(Math.abs(seconds))}\u00A0s nach`,
  clockRight: 'geht richtig',
  durationMs: (milliseconds: number): string => `${formatNumber(Math.round(milliseconds * 10) / 10)}\u00A0ms`,
  status: 'Status',
  requestId: 'Anfrage-ID',
  whyRefused: 'Grund der Ablehnung',
  whyNotReady: 'Was zur Ablehnung geführt hätte',
  letThrough: 'Diese Anfrage wurde durchgelassen',
  letThroughText:
    'Die Route ist im Beobachtungsmodus. Sobald die Prüfung dort verbindlich ist, werden solche Anfragen abgelehnt, und zwar mit dem Code',
  allPassed: 'Prüfungen',
  trueReason: 'Tatsächliche Ursache',
  trueReasonNote:
    'Der Aufrufer erfährt sie nicht. Bei unbekannten Clients, abgelaufenen oder widerrufenen Schlüsseln und falschen Signaturen antwortet der Dienst immer gleich, damit Fremde nicht herausfinden, wer Ihre Clients sind.',
  toldCaller: 'Antwort an den Aufrufer',
  openClient: 'Client öffnen',
  openDebugger: 'Im Debugger öffnen',
  unattributed: 'Diese Anfrage nannte keinen Client',
  unattributedText: (time: string): string =>
    `Sie ging am ${time} ohne bekannte Client-ID ein und gehört deshalb zu keinem Konto. Bekannt ist nur die Antwort des Dienstes.`,
  gone: 'Anfrage nicht gefunden',
  goneText: (kept: Features['requestsKept']): string =>
    `Sie gehört vielleicht zu einem anderen Konto oder wurde schon gelöscht. Anfragen, die keinen Client nennen, sind nur kurze Zeit zu finden. ${requestsKept(kept)}`,
} as const;

/** One line of a page that is 1,440 px wide holds it. */
function ofNewest(count: number): string {
  const newest = formatNumber(requestsCountedMax);
  return count >= requestsCountedMax
    ? `Die neuesten ${newest} Anfragen`
    : `${formatNumber(count)} der neuesten ${newest} Anfragen`;
}
