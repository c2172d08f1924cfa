import { formatNumber, plural } from './plural.ts';

export const components = {
  copy: (label: string): string => `${label} kopieren`,
  copied: (label: string): string => `${label} kopiert`,
  clear: (label: string): string => `${label} zurücksetzen`,
  copyFailed: (label: string): string =>
    `${label}: Kopieren nicht möglich. Markieren Sie den Text und kopieren Sie ihn selbst.`,
  tryAgain: 'Erneut versuchen',
  toPendingChanges: 'Ausstehende Änderungen ansehen',
  requestId: 'Anfrage',
  tryAgainIn: (seconds: number): string =>
    seconds < 90
      ? `Versuchen Sie es in ${plural(seconds, 'Sekunde', 'Sekunden')} erneut.`
      : `Versuchen Sie es in ${plural(Math.ceil(seconds / 60), 'Minute', 'Minuten')} erneut.`,
  unexpectedTitle: 'Auf dieser Seite ist ein Fehler aufgetreten',
  unexpectedDetail:
    'Laden Sie die Seite neu. Tritt der Fehler wieder auf, wenden Sie sich an den Support und beschreiben Sie, was Sie gerade getan haben.',
  loading: 'Wird geladen',
  selectRow: (name: string): string => `${name} auswählen`,
  selection: 'Auswahl',
  selectAllRows: 'Alle angezeigten auswählen',
  cancel: 'Abbrechen',
  close: 'Schließen',
  showPassword: 'Passwort anzeigen',
  justNow: 'gerade eben',
  typeToConfirm: (text: string): string => `Geben Sie zur Bestätigung „${text}“ ein`,
  conflictTitle: 'Jemand anderes hat das inzwischen geändert',
  conflictText:
    'Ihre Änderungen sind noch nicht gespeichert. Vergleichen Sie sie mit dem aktuellen Stand und entscheiden Sie, was gelten soll.',
  conflictField: 'Feld',
  conflictMine: 'Ihre Fassung',
  conflictTheirs: 'Aktueller Stand',
  conflictDiffers: 'weicht ab',
  keepMine: 'Meine Fassung speichern',
  takeTheirs: 'Meine Änderungen verwerfen',
  nothing: 'leer',
  sparkline: (label: string, total: number, max: number): string =>
    `${label}: ${formatNumber(total)} insgesamt, Höchstwert ${formatNumber(max)}`,
  accepted: 'Angenommen',
  observed: 'Durchgelassen',
  refused: 'Abgelehnt',
  time: 'Zeit',
  showTable: 'Als Tabelle anzeigen',
  showChart: 'Als Diagramm anzeigen',
  chartTotal: (accepted: number, observed: number, refused: number): string =>
    [
      `${plural(accepted, 'Anfrage', 'Anfragen')} angenommen`,
      ...(observed === 0 ? [] : [`${formatNumber(observed)} durchgelassen`]),
      `${formatNumber(refused)} abgelehnt`,
    ].join(', '),
  noRequests: 'Keine Anfragen in diesem Zeitraum',
  permission: 'Berechtigung',
  allowed: 'erlaubt',
  notAllowed: 'nicht erlaubt',
  loadMore: 'Mehr anzeigen',
  mayNot: (permission: string): string =>
    `Ihre Rolle erlaubt das nicht (${permission}). Inhaber und Administratoren können Ihre Rolle ändern.`,
  formErrors: (count: number): string =>
    count === 1 ? 'Korrigieren Sie ein Feld' : `Korrigieren Sie ${formatNumber(count)} Felder`,
} as const;
