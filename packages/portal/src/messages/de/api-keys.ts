import { pageTitles } from './page-titles.ts';
import { formatNumber, plural } from './plural.ts';

export const apiKeys = {
  title: pageTitles.apiKeys,
  description: 'Jeder Client ist eine Anwendung, die ihre API-Anfragen mit ihrem eigenen Schlüssel signiert.',
  addClient: 'Client hinzufügen',
  importClients: 'Importieren',
  table: {
    label: 'Clients',
    name: 'Name',
    clientId: 'Client-ID',
    status: 'Status',
    keys: 'Schlüssel',
    network: 'Netzwerk',
    lastUsed: 'Zuletzt verwendet',
    traffic: '30 Tage',
    tags: 'Tags',
    menu: 'Aktionen',
    menuOf: (name: string): string => `Aktionen für ${name}`,
    trafficOf: (name: string): string => `Anfragen von ${name} in den letzten 30 Tagen`,
    neverUsed: 'Nie',
    from: (address: string): string => `von ${address}`,
    everyone: 'Jede Adresse',
    entries: (count: number): string => plural(count, 'Eintrag', 'Einträge'),
    noKeys: 'Kein Schlüssel',
    active: (count: number): string => `${formatNumber(count)} aktiv`,
    pending: (count: number): string => `${formatNumber(count)} unbenutzt`,
    retiring: (count: number, left: string): string =>
      `${formatNumber(count)} ${count === 1 ? 'läuft' : 'laufen'} in ${left} ab`,
    due: 'Bald wechseln',
    overdue: 'Jetzt wechseln',
    days: (days: number): string => plural(days, 'Tag', 'Tagen'),
    hours: (hours: number): string => plural(hours, 'Stunde', 'Stunden'),
    minutes: (minutes: number): string => plural(minutes, 'Minute', 'Minuten'),
  },
  filters: {
    label: 'Clients filtern',
    search: 'Clients suchen',
    searchPlaceholder: 'Name, Client-ID, Adresse oder Fingerabdruck',
    status: 'Status',
    anyStatus: 'Jeder Status',
    role: 'Rolle',
    anyRole: 'Alle Rollen',
    rotation: 'Schlüsselwechsel',
    tag: 'Tag',
    anyTag: 'Alle Tags',
    sort: 'Sortierung',
    sorts: {
      name: 'Name, A bis Z',
      '-name': 'Name, Z bis A',
      '-createdAt': 'Neueste zuerst',
      createdAt: 'Älteste zuerst',
      '-lastUsedAt': 'Zuletzt verwendete zuerst',
      lastUsedAt: 'Am längsten unbenutzte zuerst',
    },
    anyRotation: 'Schlüsselwechsel: alle',
    statuses: { active: 'Aktiv', disabled: 'Deaktiviert', revoked: 'Widerrufen' },
    rotations: { not_due: 'Nicht fällig', due: 'Fällig', overdue: 'Überfällig' },
    shownOf: (count: number, total: number): string =>
      count === total
        ? plural(total, 'Client', 'Clients')
        : `${formatNumber(count)} von ${plural(total, 'Client', 'Clients')}`,
    shown: (count: number, hasMore: boolean): string =>
      hasMore ? `Die ersten ${formatNumber(count)} Clients` : plural(count, 'Client', 'Clients'),
  },
  empty: {
    title: 'Fügen Sie Ihren ersten Client hinzu',
    text: 'Ein Client ist eine Anwendung, die die API aufruft, etwa ein Shop, ein Import oder ein nächtlicher Job. Jeder hat sein eigenes Schlüsselpaar. So können Sie einen Client überwachen, einschränken oder deaktivieren, ohne die anderen anzufassen.',
    steps: [
      [
        'Schlüsselpaar erzeugen',
        'In diesem Browser oder mit openssl. Der private Schlüssel bleibt bei Ihrer Anwendung.',
      ],
      [
        'Adressen erlauben',
        'Anfragen von allen anderen Adressen werden abgelehnt, auch mit dem richtigen Schlüssel.',
      ],
      [
        'Erste Anfrage signieren',
        'Führen Sie ein fertiges Beispiel in einer von sieben Sprachen aus und sehen Sie zu, wie die Anfrage eintrifft.',
      ],
    ] as readonly (readonly [string, string])[],
    mayNot: 'Es gibt noch keine Clients. Inhaber, Administratoren und Entwickler können einen hinzufügen.',
  },
  noMatch: {
    title: 'Keine Clients passen zu diesen Filtern',
    text: 'Die Suche findet Teile eines Namens, den Anfang einer Client-ID, die erlaubten IP-Adressen eines Clients und Fingerabdrücke von Schlüsseln.',
  },
  actions: {
    open: 'Öffnen',
    update: 'Aktualisieren',
    rotate: 'Schlüssel wechseln',
  },
  form: {
    addTitle: 'Client hinzufügen',
    addDescription:
      'Ein Client ist eine Anwendung, die die API aufruft. Seine Client-ID identifiziert ihn in jeder Signatur.',
    updateTitle: 'Client aktualisieren',
    updateDescription: (name: string): string =>
      `Ändern Sie Name, Netzwerk-Whitelist, Rollen und Einstellungen von ${name}.`,
    back: 'API-Schlüssel',
    name: 'Name',
    nameHint: 'Ein Name, den alle wiedererkennen, etwa Webshop oder Nächtlicher Import.',
    nameMissing: 'Geben Sie einen Namen ein.',
    nameTooLong: (length: number, max: number): string =>
      `Dieser Name hat ${formatNumber(length)} Zeichen. Erlaubt sind höchstens ${formatNumber(max)}.`,
    networkMissing:
      'Fügen Sie mindestens eine Adresse oder ein Netzwerk hinzu, oder 0.0.0.0, um jede Adresse zu erlauben.',
    networkPending: 'Fügen Sie die Adresse aus dem Feld hinzu, oder leeren Sie das Feld.',
    publicKey: 'Öffentlicher Schlüssel',
    publicKeyDescription:
      'Mit ihm werden die Signaturen des Clients geprüft. Der private Schlüssel bleibt bei Ihrer Anwendung.',
    publicKeyOfUpdate:
      'Die Schlüssel dieses Clients. Um einen zu ersetzen, wechseln Sie ihn. In der Übergangszeit funktionieren beide, und nichts fällt aus.',
    publicKeyMissingUpdate:
      'Dieser Client hat keinen gültigen Schlüssel. Fügen Sie einen hinzu, damit er die API aufrufen kann.',
    roles: 'Rollen',
    rolesDescription:
      'Der Client darf alles, was eine seiner Rollen erlaubt. Ohne Rolle kann er nur seine Signatur testen.',
    rolesEmpty: 'Es gibt keine Rollen.',
    roleNotHeld: 'Sie können diese Rolle nicht zuweisen, weil sie mehr erlaubt als Ihre eigene.',
    builtIn: 'vordefiniert',
    showPermissions: 'Was die ausgewählten Rollen erlauben',
    settings: 'Weitere Einstellungen',
    settingsDescription:
      'Erklärungen, Tags, Notizen, Anfragelimits und, für einen neuen Schlüssel, sein Ablauf.',
    allowExplanations: 'Dem Aufrufer Ablehnungen erklären',
    allowExplanationsHint:
      'Ein abgelehnter Aufruf von /v1/signature-test erfährt dann, was an der Signatur nicht stimmt. Nützlich während der Entwicklung.',
    mayOmitDate: 'Signaturen ohne „date“ annehmen',
    mayOmitDateHint: 'Für ältere Clients, die den Header Date nicht signieren können.',
    mayNotTitle: 'Ihre Rolle darf Clients weder hinzufügen noch ändern',
    add: 'Hinzufügen',
    update: 'Aktualisieren',
    updated: (name: string): string => `${name} wurde aktualisiert`,
    updatedWithOthers: (name: string): string =>
      `${name} wurde aktualisiert. Änderungen, die jemand anderes inzwischen gespeichert hat, wurden übernommen.`,
    conflictText:
      'Jemand anderes hat dieselben Einstellungen geändert, während Sie sie bearbeitet haben. Alle übrigen Änderungen bleiben erhalten. Entscheiden Sie, welche Fassung gelten soll.',
    nothingChanged: 'Sie haben noch nichts geändert.',
    withoutKey: {
      title: 'Client ohne öffentlichen Schlüssel hinzufügen?',
      text: 'Er bekommt eine Client-ID, kann die API aber erst aufrufen, wenn Sie einen öffentlichen Schlüssel hinzufügen.',
      confirm: 'Ohne Schlüssel hinzufügen',
    },
    partly: 'Einige Ihrer Änderungen wurden gespeichert. Die übrigen wurden abgelehnt:',
    gone: 'Widerrufene Clients lassen sich nicht ändern. Stellen Sie den Client zuerst wieder her.',
    yes: 'Ja',
    no: 'Nein',
  },
  result: {
    title: (name: string): string => `${name} wurde hinzugefügt`,
    description:
      'Nächste Schritte: Hinterlegen Sie den privaten Schlüssel in Ihrer Anwendung und senden Sie eine signierte Anfrage.',
    descriptionWithoutKey:
      'Nächster Schritt: Fügen Sie den öffentlichen Schlüssel hinzu. Bis dahin wird jede Anfrage im Namen dieses Clients abgelehnt.',
    identity: 'Identität',
    clientId: 'Client-ID',
    clientIdHint: 'Die keyid jeder Signatur. Nicht geheim.',
    fingerprint: 'Fingerabdruck des Schlüssels',
    noKey: 'Noch kein öffentlicher Schlüssel',
    addKey: 'Öffentlichen Schlüssel hinzufügen',
    open: 'Client öffnen',
    another: 'Weiteren Client hinzufügen',
    done: 'Zu den API-Schlüsseln',
    snippets: 'Erste Anfrage senden',
    snippetsDescription:
      'Vollständige Beispiele, in denen Ihre Client-ID schon eingetragen ist. Sie senden eine signierte Anfrage an /v1/signature-test, die keine Nebenwirkungen hat.',
  },
  firstRequest: {
    title: 'Erste signierte Anfrage',
    waiting: 'Warten auf die erste signierte Anfrage …',
    waitingText:
      'Sie erscheint hier innerhalb einer Sekunde, nachdem sie eingetroffen ist. Wenn Sie diese Seite verlassen, finden Sie sie auf der Seite des Clients unter „Anfragen“.',
    accepted: 'Die erste signierte Anfrage ist da',
    acceptedText: 'Signatur, Netzwerk und Uhr stimmen. Der Client ist einsatzbereit.',
    refused: 'Eine Anfrage ist eingetroffen, wurde aber abgelehnt',
    observed: 'Eine Anfrage hat eine Prüfung nicht bestanden, wurde aber durchgelassen',
    refusedText:
      'Die Ursache steht unten. Beheben Sie sie und senden Sie die Anfrage noch einmal. Neue Anfragen erscheinen weiterhin hier.',
    request: 'Anfrage',
    from: 'Von',
    time: 'Zeit',
    key: 'Schlüssel',
    openLog: 'Unter „Anfragen“ öffnen',
    allow: (address: string): string => `${address} erlauben`,
    allowed: (address: string): string => `${address} wurde der Netzwerk-Whitelist hinzugefügt`,
    mayNot: 'Ihre Rolle darf keine Anfragen sehen, deshalb kann die erste hier nicht angezeigt werden.',
  },
} as const;
