import type { DeliveryState, WebhookActivity, WebhookFailure } from '@countersign/contract';
import { pageTitles } from './page-titles.ts';
import { formatNumber, plural } from './plural.ts';

/** What to do about each kind of failure. */
const advice: Readonly<Record<WebhookFailure, string>> = {
  url_not_allowed: 'Ändern Sie die URL in eine https-URL mit einem öffentlichen Hostnamen und ohne Port.',
  secret_unreadable:
    'Wenden Sie sich an den Support, um die Einstellung wiederherstellen zu lassen. Andernfalls wechseln Sie das Secret und geben Sie die eigenen Header erneut ein.',
  address_not_public:
    'Prüfen Sie den Hostnamen in Ihrem DNS. Er muss existieren, und jeder seiner A- und AAAA-Einträge muss eine öffentliche Adresse sein: An private Adressen werden keine Ereignisse gesendet.',
  connection_failed:
    'Prüfen Sie, ob der Server läuft und ob seine Firewall Verbindungen aus dem Internet zu Port 443 zulässt.',
  tls_failed:
    'Erneuern Sie das Zertifikat, oder installieren Sie eines, das für diesen Hostnamen gilt, mit allen Zwischenzertifikaten.',
  timed_out:
    'Antworten Sie mit Status 204, sobald das Ereignis gespeichert ist, und verarbeiten Sie es erst danach.',
  answer_malformed:
    'Suchen Sie im Log des Empfängers nach einem Absturz, und prüfen Sie, ob diese Adresse HTTP über TLS spricht und kein anderes Protokoll.',
  redirected: 'Ändern Sie die URL des Webhooks in die, auf die der Empfänger weiterleitet.',
  gone: 'Status 410 deaktiviert den Webhook. Wenn der Empfänger weiter Ereignisse erhalten soll, beheben Sie den Fehler und setzen Sie den Webhook fort.',
  rate_limited:
    'Die Ereignisse warten so lange, wie der Header Retry-After des Empfängers angibt. Erhöhen Sie das Limit dort, wenn das oft vorkommt.',
  client_error:
    'Prüfen Sie den Pfad in der URL, wie der Empfänger Signaturen prüft und dass er keine Anmeldung verlangt. Vielleicht steht in seiner Antwort mehr.',
  server_error:
    'Suchen Sie im Log des Empfängers nach einem Fehler zu dieser Zeit. Das Ereignis wird noch einmal gesendet.',
  status_unexpected: 'Antworten Sie mit einem Status von 200 bis 299, um ein Ereignis zu bestätigen.',
};

export const webhooks = {
  title: pageTitles.webhooks,
  description:
    'URLs, an die Ereignisse dieses Kontos gesendet werden, etwa fällige Schlüsselwechsel und fehlgeschlagene Anfragen.',
  add: 'Webhook hinzufügen',
  list: 'Webhooks',
  empty: {
    title: 'Noch keine Webhooks',
    text: 'Fügen Sie eine eigene URL hinzu. Der Dienst sendet ihr zu jedem Ereignis eine signierte Anfrage, zum Beispiel wenn ein Schlüsselwechsel fällig ist oder Anfragen eines Clients fehlschlagen.',
    mayNot: 'Es gibt noch keine Webhooks. Ein Inhaber oder Administrator kann einen hinzufügen.',
  },
  full: (max: number): string => `Ein Konto hat höchstens ${formatNumber(max)} Webhooks.`,

  webhook: 'Webhook',
  events: 'Ereignisse',
  allTypes: 'Alle Ereignisse',
  typeCount: (count: number): string => plural(count, 'Typ', 'Typen'),
  everyAccount: 'Alle Konten',
  state: 'Status',
  states: { active: 'Aktiv', failing: 'Gestört', paused: 'Pausiert', disabled: 'Deaktiviert' },
  since: 'erstmals',
  lastDelivery: 'Letztes Ereignis',
  never: 'Noch keines',
  lastDay: 'Zugestellt, 24 Stunden',
  share: ({ delivered, failing, isComplete }: WebhookActivity['lastDay']): string => {
    const tried = delivered + failing;
    const percent = Math.floor((delivered / tried) * 100);
    return `${percent}\u00A0% ${isComplete ? 'von' : 'der letzten'} ${formatNumber(tried)}`;
  },
  noShare: '–',

  form: {
    addTitle: 'Webhook hinzufügen',
    addDescription: 'Ereignisse werden ab dem Moment gesendet, in dem Sie ihn hinzufügen.',
    updateTitle: 'Webhook aktualisieren',
    back: 'Webhooks',
    mayNotTitle: 'Mit Ihrer Rolle können Sie keine Webhooks hinzufügen oder ändern',
    receiver: 'Empfänger',
    url: 'URL',
    urlHint: 'Muss mit https:// beginnen und einen öffentlichen Hostnamen haben, ohne Port.',
    urlMissing: 'Geben Sie die URL ein, an die Ereignisse gesendet werden.',
    urlWrong: 'Geben Sie eine vollständige URL ein, etwa https://hooks.example.com/countersign.',
    urlTooLong: (max: number): string => `Geben Sie eine URL mit höchstens ${formatNumber(max)} Zeichen ein.`,
    description: 'Beschreibung',
    descriptionHint: 'Optional. Zum Beispiel das Team oder System, das die Ereignisse erhält.',
    descriptionTooLong: (max: number): string => `Geben Sie höchstens ${formatNumber(max)} Zeichen ein.`,
    events: 'Ereignisse',
    scope: 'Welche Ereignisse',
    all: 'Alle',
    allHint: 'Auch Typen, die später hinzukommen.',
    some: 'Ausgewählte',
    someHint: 'Nur die Typen, die Sie auswählen.',
    typesMissing: 'Wählen Sie mindestens einen Typ aus.',
    selected: (count: number, total: number): string =>
      count === 0
        ? plural(total, 'Typ', 'Typen')
        : `${formatNumber(count)} von ${formatNumber(total)} ausgewählt`,
    selectGroup: (group: string): string => `Alle Typen der Gruppe „${group}“`,
    notHeld: 'Nicht auswählbar, denn Ihrer Rolle fehlt',
    delivery: 'Zustellung',
    isOrdered: 'Ereignisse je Client der Reihe nach senden',
    isOrderedHint:
      'Ein Ereignis, dessen Zustellung fehlschlägt, hält die späteren Ereignisse des Clients auf, bis es zugestellt oder endgültig fehlgeschlagen ist.',
    isForAllAccounts: 'Ereignisse aller Konten senden',
    isForAllAccountsHint:
      'Nur für den Betreiber. Jedes Ereignis nennt sein Konto in accountId. Sonst werden nur die Ereignisse des Betreiberkontos gesendet.',
    attemptsPerMinute: 'Maximale Zustellversuche pro Minute',
    attemptsPerMinuteHint: 'Optional. Ereignisse über dieser Grenze warten, bis sie gesendet werden können.',
    attemptsPerMinuteWrong: (max: number): string =>
      `Geben Sie eine ganze Zahl von 1 bis ${formatNumber(max)} ein.`,
    headers: 'Eigene Header',
    headersHint:
      'Optional. Werden mit jedem Ereignis gesendet, etwa der API-Schlüssel Ihres Gateways. Werte werden geheim gespeichert und nie wieder angezeigt: Lassen Sie das Feld leer, um den gespeicherten Wert zu behalten.',
    headerName: 'Name',
    headerValue: 'Wert',
    headerOf: (label: string, position: number): string => `${label} von Header ${formatNumber(position)}`,
    headerStored: 'Gespeichert',
    addHeader: 'Header hinzufügen',
    removeHeader: (name: string, position: number): string =>
      `${name === '' ? `Header ${formatNumber(position)}` : name} entfernen`,
    headerNameWrong: (name: string, detail: string): string =>
      `${name === '' ? 'Ein Header' : name}: ${detail}`,
    headerValueMissing: (name: string): string => `Geben Sie einen Wert für ${name} ein.`,
    headerValueWrong: (name: string, max: number): string =>
      `Geben Sie für ${name} einen Wert mit höchstens ${formatNumber(max)} sichtbaren ASCII-Zeichen ein, mit Leerzeichen nur dazwischen.`,
    headerElsewhere: (name: string): string =>
      `Geben Sie den Wert von ${name} noch einmal ein oder entfernen Sie den Header, denn die URL führt zu einem anderen Server.`,
    yes: 'Ja',
    no: 'Nein',
    add: 'Webhook hinzufügen',
    update: 'Aktualisieren',
    nothingChanged: 'Es wurde nichts geändert.',
    updated: 'Der Webhook wurde aktualisiert',
  },

  groups: {
    clients: 'Clients',
    keys: 'Schlüssel',
    roles: 'Rollen',
    team: 'Team',
    account: 'Konto',
    alerts: 'Alarme',
    webhooks: 'Webhooks',
    streams: 'Streams',
  },

  added: {
    title: 'Webhook hinzugefügt',
    description: 'Speichern Sie sein Secret und senden Sie dann ein Testereignis.',
    secretTitle: 'Secret',
    secretText:
      'Damit prüft Ihr Empfänger, ob Ereignisse von diesem Dienst kommen. Das Secret wird nur jetzt angezeigt.',
    secret: 'Secret',
    stored: 'Ich habe das Secret gespeichert',
    verifyTitle: 'Ereignisse prüfen',
    verifyText:
      'Lehnen Sie Anfragen ab, für die diese Funktion false zurückgibt. Sie folgt Standard Webhooks, daher funktioniert auch jede Bibliothek dafür.',
    moreAbout: 'Alles über den Empfang von Ereignissen',
    languages: 'Sprache',
    program: (language: string): string => `Prüfung in ${language}`,
    open: 'Webhook öffnen',
  },

  test: {
    title: 'Test',
    text: 'Sendet ein Ereignis des Typs webhook.test an diesen Webhook und zeigt, was der Empfänger antwortet.',
    send: 'Testereignis senden',
    sendAgain: 'Weiteres senden',
    paused: 'Setzen Sie den Webhook fort, um ein Testereignis zu senden.',
    disabled: 'Setzen Sie den Webhook fort, um ein Testereignis zu senden.',
    waiting: 'Warten auf die Antwort des Empfängers …',
    stillWaiting: 'Noch kein Zustellversuch',
    stillWaitingText:
      'Vielleicht sind andere Ereignisse vorher dran, die Zustellversuche dieser Minute sind aufgebraucht, oder der Empfänger hat um eine Pause gebeten. In der Zustellung sehen Sie, wann das Ereignis gesendet wird.',
    delivered: (status: number, milliseconds: number): string =>
      `Zugestellt: Der Empfänger hat nach ${formatNumber(milliseconds)}\u00A0ms mit Status ${status} geantwortet`,
    failed: 'Das Testereignis wurde nicht zugestellt',
    open: 'Zustellung ansehen',
  },

  page: {
    loadingTitle: 'Webhook',
    back: 'Webhooks',
    goneTitle: 'Webhook nicht gefunden',
    gone: 'Er wurde vielleicht gelöscht oder gehört zu einem anderen Konto.',
    update: 'Aktualisieren',
    more: 'Weitere Aktionen',
    pause: 'Pausieren',
    resume: 'Fortsetzen',
    remove: 'Löschen',
    recover: 'Ereignisse erneut senden …',
    rotate: 'Secret wechseln …',
    paused: 'Der Webhook wurde pausiert',
    resumed: 'Der Webhook wurde fortgesetzt',
    removed: 'Der Webhook wurde gelöscht',
    details: 'Details',
    webhookId: 'Webhook-ID',
    eventTypes: 'Ereignistypen',
    order: 'Reihenfolge',
    ordered: 'Ereignisse je Client der Reihe nach',
    unordered: 'Beliebig',
    attemptsPerMinute: 'Maximale Zustellversuche pro Minute',
    unlimited: 'Keine Grenze',
    headers: 'Eigene Header',
    noHeaders: 'Keine',
    accounts: 'Konten',
    ownAccount: 'Nur das Betreiberkonto',
    createdAt: 'Erstellt',
    updatedAt: 'Letzte Änderung',
    secret: 'Secret',
    secretText: 'Wurde beim Erstellen einmal angezeigt. Wechseln Sie es, wenn andere es kennen könnten.',
    previousSecret: 'Altes Secret läuft ab',
  },

  notices: {
    disabledTitle: 'Dieser Webhook ist deaktiviert',
    disabled:
      'Seine Ereignisse werden nicht gesendet. Sobald der Empfänger wieder funktioniert, setzen Sie den Webhook fort und senden Sie die fehlgeschlagenen Ereignisse erneut.',
    pausedTitle: 'Dieser Webhook ist pausiert',
    paused: (days: number): string =>
      `Seine Ereignisse warten bis zu ${days} Tage und werden gesendet, sobald Sie ihn fortsetzen.`,
    failing: (days: number): string =>
      `Seitdem hat der Empfänger kein Ereignis bestätigt. Nach ${days} Tagen ohne Erfolg wird der Webhook deaktiviert.`,
    failingSince: 'Zustellungen schlagen fehl, erstmals',
  },

  rotating: {
    title: 'Secret wechseln?',
    text: 'Der Webhook erhält ein neues Secret. Bis das alte abläuft, wird jede Anfrage mit beiden signiert. So können Empfänger umstellen, ohne ein Ereignis zu verlieren.',
    overlap: 'Das alte Secret signiert noch',
    day: 'Einen Tag',
    dayHint: 'Genug, wenn Sie den Empfänger heute umstellen können.',
    week: 'Eine Woche',
    none: 'Gar nicht: sofort beenden',
    noneHint: 'Wenn andere das alte Secret kennen. Empfänger lehnen Ereignisse ab, bis sie das neue haben.',
    confirm: 'Secret wechseln',
    shownTitle: 'Neues Secret',
    done: 'Fertig',
  },

  removing: {
    title: 'Diesen Webhook löschen?',
    text: 'Wartende Ereignisse werden nicht mehr gesendet, und seine Zustellungen werden gelöscht. Das lässt sich nicht rückgängig machen.',
  },

  recovering: {
    title: 'Ereignisse erneut senden',
    text: 'Sendet die Ereignisse eines Zeitraums noch einmal, die ältesten zuerst. Sie behalten ihre IDs. Ein pausierter Webhook erhält sie, sobald er fortgesetzt wird.',
    since: 'Von',
    sinceMissing: 'Geben Sie Datum und Uhrzeit ein.',
    until: 'Bis (optional)',
    untilEarlier: 'Das Ende muss nach dem Anfang liegen. Geben Sie eine spätere Zeit ein.',
    include: 'Ereignisse',
    includes: { failed: 'Nur fehlgeschlagene', all: 'Auch zugestellte' },
    types: 'Ereignistypen',
    allTypes: 'Alle Typen',
    noType: 'Keine Treffer',
    confirm: 'Erneut senden',
    none: 'Es gibt keine solchen Ereignisse',
    done: (count: number): string => `${plural(count, 'Ereignis wird', 'Ereignisse werden')} erneut gesendet`,
  },

  deliveries: {
    title: 'Zustellungen',
    text: (days: number): string =>
      `Gesendete Ereignisse, die neuesten zuerst. Sie werden ${days} Tage aufbewahrt.`,
    state: 'Status',
    anyState: 'Alle Status',
    type: 'Ereignistyp',
    anyType: 'Alle Typen',
    noType: 'Keine Treffer',
    event: 'Ereignis',
    attempts: 'Zustellversuche',
    next: 'Nächster Zustellversuch',
    none: '–',
    time: 'Zeit',
    states: { waiting: 'Wartet', delivered: 'Zugestellt', failed: 'Fehlgeschlagen' } satisfies Record<
      DeliveryState,
      string
    >,
    retrying: 'Wird wiederholt',
    emptyTitle: 'Noch keine Ereignisse',
    emptyText:
      'Ereignisse erscheinen hier, sobald sie eintreten. Senden Sie ein Testereignis, um den Empfänger zu prüfen.',
    noneTitle: 'Keine Zustellungen passen zu diesen Filtern',
    noneText: 'Wählen Sie einen längeren Zeitraum oder setzen Sie die Filter zurück.',
  },

  delivery: {
    title: 'Zustellung',
    back: 'Alle Zustellungen',
    goneTitle: 'Zustellung nicht gefunden',
    gone: (days: number): string => `Zustellungen werden ${days} Tage aufbewahrt.`,
    resend: 'Erneut senden',
    resent: 'Das Ereignis wird erneut gesendet',
    resentPaused: 'Das Ereignis wird erneut gesendet, sobald der Webhook fortgesetzt wird',
    happenedAt: 'Zeit des Ereignisses',
    next: 'Nächster Zustellversuch',
    client: 'Client',
    eventId: 'Ereignis-ID',
    deliveryId: 'Zustellungs-ID',
    whatToDo: 'Was Sie tun können',
    neverSent: 'Nicht gesendet',
    neverSentText:
      'Der Webhook war zu diesem Zeitpunkt deaktiviert. Setzen Sie ihn fort und senden Sie das Ereignis dann erneut.',
    body: 'Body der Anfrage',
    bodyText: 'Dieselben Bytes bei jedem Zustellversuch, hier mit Zeilenumbrüchen.',
    bodyLabel: 'Body der Anfrage',
    attempts: 'Zustellversuche',
    noAttempts: 'Noch kein Zustellversuch.',
    attemptsMax: (count: number): string => `Die neuesten ${formatNumber(count)} Zustellversuche.`,
    status: (status: number): string => `Status ${status}`,
    noAnswer: 'Keine Antwort',
    durationMs: (milliseconds: number): string => `${formatNumber(milliseconds)}\u00A0ms`,
    nextDue: 'Nächster Zustellversuch am',
    request: 'Header der Anfrage',
    requestLabel: 'Header der Anfrage',
    answer: 'Antwort',
    answerLabel: 'Antwort',
    answerText: 'Die ersten 4 KiB der Antwort des Empfängers.',
    answerEmpty: 'Die Antwort hatte keinen Body.',
  },

  advice,
} as const;
