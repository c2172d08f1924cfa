import { pageTitles } from './page-titles.ts';
import { formatNumber, plural } from './plural.ts';

/** Formats a change: `+4`, `−4` or `±0`. */
function signed(value: number): string {
  if (value === 0) return '±0';
  return value > 0 ? `+${formatNumber(value)}` : `−${formatNumber(-value)}`;
}

/** Puts a time range into the dative: `7 Tage` becomes `7 Tagen`. */
function dative(range: string): string {
  return range.replace(/Tage$/, 'Tagen');
}

export const overview = {
  title: pageTitles.overview,
  welcome: (name: string): string => `Willkommen, ${name}`,
  addClient: 'Client hinzufügen',
  checklist: {
    title: 'Erste Schritte',
    description:
      'Der Weg zu einer sicheren, funktionierenden Integration. Erledigte Schritte werden von selbst abgehakt.',
    progress: (done: number, of: number): string => `${formatNumber(done)} von ${formatNumber(of)} erledigt`,
    done: 'erledigt',
    open: 'offen',
    signIn: 'Anmeldung absichern',
    signInText: 'Ein zweiter Faktor oder ein Passkey hält andere fern, auch wenn sie Ihr Passwort kennen.',
    signInAction: 'Anmeldung absichern',
    client: 'Client hinzufügen',
    clientText:
      'Ein Client ist eine Anwendung, die die API aufruft. Zu ihm gehören ein Name, ein öffentlicher Schlüssel und die Adressen, von denen seine Anfragen kommen.',
    clientAction: 'Client hinzufügen',
    request: 'Erste signierte Anfrage senden',
    requestText:
      'Kopieren Sie ein fertiges Beispiel und führen Sie es aus. Dieser Schritt ist dann innerhalb einer Sekunde erledigt.',
    requestAction: 'Beispiele ansehen',
    requestWaiting: 'Warten auf die erste Anfrage',
    network: 'Netzwerk einschränken',
    networkText:
      'Erlauben Sie jedem Client nur seine eigenen Adressen. Ein gestohlener Schlüssel nützt dann anderswo wenig.',
    networkAction: 'Netzwerk einschränken',
    rotation: 'Einen Schlüssel einmal wechseln',
    rotationText:
      'Üben Sie, bevor es darauf ankommt. In der Übergangszeit funktionieren beide Schlüssel, es wird also nichts abgelehnt.',
    rotationAction: 'Schlüssel wechseln',
    justDone: (what: string): string => `Erledigt: ${what}`,
    next: 'Als Nächstes:',
    showAll: 'Alle Schritte zeigen',
    hide: 'Nur den nächsten Schritt zeigen',
    dismiss: 'Ausblenden',
  },
  figures: {
    requests: 'Anfragen',
    successRate: 'Erfolgsquote',
    rejected: 'Abgelehnt',
    time: { p50Ms: 'Eigene Zeit, p50', p95Ms: 'Eigene Zeit, p95' },
    keysDue: 'Fällige Schlüsselwechsel',
    noneDue: 'Keiner fällig',
    overdue: (count: number): string => `${formatNumber(count)} überfällig`,
    atLeast: (count: number): string => `${formatNumber(count)}+`,
    noneBefore: 'Keine im Zeitraum davor',
    change: (percent: number): string => `${signed(percent)}\u00A0% gegenüber dem Zeitraum davor`,
    points: (points: number): string =>
      `${signed(points)}\u00A0${Math.abs(points) === 1 ? 'Prozentpunkt' : 'Prozentpunkte'} gegenüber dem Zeitraum davor`,
  },
  traffic: {
    title: 'Anfragen',
    chart: (range: string): string => `Anfragen in den letzten ${dative(range)}`,
    open: 'In den Logs öffnen',
  },
  attention: {
    title: 'Fällige Schlüssel',
    overdue: 'Überfällig',
    due: 'Bald fällig',
    age: (days: number): string => `${plural(days, 'Tag', 'Tage')} alt`,
    rotate: 'Wechseln',
    rotateOf: (name: string): string => `Schlüssel von ${name} wechseln`,
    more: 'Alle anzeigen',
  },
  refused: {
    title: 'Zu prüfende Adressen',
    description:
      'Richtig signierte Anfragen der letzten 7 Tage von Adressen, die nicht auf der Netzwerk-Whitelist des Clients stehen',
    none: 'Es kamen keine signierten Anfragen von anderen Adressen.',
  },
  failures: {
    title: 'Zuletzt fehlgeschlagene Anfragen',
    none: (range: string): string => `In den letzten ${dative(range)} ist keine Anfrage fehlgeschlagen.`,
    open: 'Alle abgelehnten Anfragen',
  },
  audit: {
    title: 'Letzte Änderungen',
    none: 'Es wurde noch nichts geändert.',
    open: 'Audit-Log',
  },
  quiet: {
    title: 'Für Ihre Rolle gibt es hier nichts zu sehen',
    text: 'Mit Ihrer Rolle können Sie weder Clients noch Anfragen sehen.',
  },
  operator: {
    health: 'Systemzustand',
    healthOpen: 'Details',
    ready: 'Der Dienst ist bereit',
    notReady: 'Der Dienst ist nicht bereit',
    version: 'Version',
    running: 'Gestartet',
    database: 'Datenbank',
    guard: 'Replay-Schutz',
    clients: 'Clients im Arbeitsspeicher',
    mail: 'E-Mail',
    requestLog: 'Anfrage-Log',
    databases: { sqlite: 'SQLite', postgresql: 'PostgreSQL' },
    guards: { memory: 'Im Arbeitsspeicher, nur dieser Knoten', redis: 'Redis', postgres: 'PostgreSQL' },
    mails: { smtp: 'SMTP', folder: 'In einen Ordner geschrieben' },
    kept: 'Vollständig',
    dropped: (count: number): string => `${plural(count, 'Anfrage', 'Anfragen')} seit dem Start verworfen`,
    accounts: 'Kundenkonten',
    accountsOpen: 'Alle Konten',
    noAccounts: 'Es gibt noch keine Kundenkonten.',
    created: 'Angelegt',
    secureTitle: 'Mit Ihrem Zugang können Sie im Namen aller Kunden handeln',
    secureText:
      'Sichern Sie Ihre Anmeldung mit einem zweiten Faktor oder einem Passkey ab, bevor Sie weitermachen.',
    secure: 'Anmeldung absichern',
  },
} as const;
