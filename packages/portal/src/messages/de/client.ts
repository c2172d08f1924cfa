import type { Key } from '@countersign/contract';
import { keyAlgorithms } from '@countersign/contract/signing-algorithms';
import { formatNumber, plural } from './plural.ts';

/** A stretch of time: `3 Tage`. */
function span(hours: number): string {
  return hours % 24 === 0 ? plural(hours / 24, 'Tag', 'Tage') : plural(hours, 'Stunde', 'Stunden');
}

/** A stretch of time after a preposition: `in 3 Tagen`. */
function spanDative(hours: number): string {
  return hours % 24 === 0 ? plural(hours / 24, 'Tag', 'Tagen') : plural(hours, 'Stunde', 'Stunden');
}

export const client = {
  tags: { label: 'Tags', more: (count: number): string => `+${count}` },
  breadcrumb: 'API-Schlüssel',
  loadingTitle: 'Client',
  clientId: 'Client-ID',
  statuses: { active: 'Aktiv', disabled: 'Deaktiviert', revoked: 'Widerrufen' },
  withoutKey: 'Schlüssel fehlt',
  temporary: 'Temporär, endet',
  actions: {
    label: 'Aktionen',
    more: 'Weitere Aktionen',
    update: 'Aktualisieren',
    rotate: 'Schlüssel wechseln',
    addKey: 'Schlüssel hinzufügen',
    disable: 'Deaktivieren',
    enable: 'Aktivieren',
    revoke: 'Widerrufen',
    restore: 'Wiederherstellen',
  },
  lastUse: {
    was: 'Zuletzt verwendet',
    stops: 'Alles, was ihn noch verwendet, funktioniert dann nicht mehr.',
  },
  disable: {
    title: (name: string): string => `${name} deaktivieren?`,
    text: 'Alle Anfragen dieses Clients werden abgelehnt, bis Sie ihn wieder aktivieren. Seine Schlüssel, die Netzwerk-Whitelist und die Rollen bleiben erhalten.',
    confirm: 'Client deaktivieren',
    done: (name: string): string => `${name} wurde deaktiviert`,
  },
  enable: {
    title: (name: string): string => `${name} aktivieren?`,
    text: 'Anfragen, die mit einem seiner Schlüssel signiert sind, werden sofort wieder angenommen.',
    confirm: 'Client aktivieren',
    done: (name: string): string => `${name} wurde aktiviert`,
  },
  revoke: {
    title: (name: string): string => `${name} widerrufen?`,
    text: 'Der Client und alle seine Schlüssel werden sofort widerrufen. Die Schlüssel lassen sich nie wieder verwenden. Wenn Sie den Client wiederherstellen, braucht er ein neues Schlüsselpaar.',
    confirm: 'Client und Schlüssel widerrufen',
    done: (name: string): string => `${name} wurde widerrufen`,
  },
  restore: {
    title: (name: string): string => `${name} wiederherstellen?`,
    text: 'Nach dem Wiederherstellen ist der Client deaktiviert und hat keine Schlüssel. Fügen Sie einen neuen Schlüssel hinzu und aktivieren Sie den Client dann.',
    confirm: 'Client wiederherstellen',
    done: (name: string): string => `${name} wurde wiederhergestellt, deaktiviert und ohne Schlüssel`,
  },
  notices: {
    disabledTitle: 'Dieser Client ist deaktiviert',
    disabled: 'Alle seine Anfragen werden abgelehnt, bis Sie ihn aktivieren.',
    revokedTitle: 'Dieser Client ist widerrufen',
    revoked: (until: string): string => `Sie können ihn bis ${until} wiederherstellen, danach nicht mehr.`,
    noKeyTitle: 'Dieser Client hat keinen gültigen Schlüssel',
    noKey: 'Fügen Sie einen öffentlichen Schlüssel hinzu, damit er die API aufrufen kann.',
    addKey: 'Schlüssel hinzufügen',
    everyoneTitle: 'Der Schlüssel dieses Clients funktioniert von jeder Adresse aus',
    everyone:
      'Die Netzwerk-Whitelist erlaubt jede Adresse. Beschränken Sie sie auf die Adressen, von denen der Client aufruft.',
    restrict: 'Netzwerk einschränken',
    overdueTitle: 'Der Schlüsselwechsel ist überfällig',
    dueTitle: 'Der Schlüsselwechsel ist fällig',
    due: (days: number): string =>
      `Der Schlüssel ist ${plural(days, 'Tag', 'Tage')} alt. Ein Wechsel verursacht keine Ausfallzeit: In der Übergangszeit funktionieren beide Schlüssel.`,
    rolloverTitle: 'Ein Schlüsselwechsel läuft',
    rolloverDeploy: 'Der neue Schlüssel hat noch keine Anfrage signiert.',
    rolloverSwitch: 'Der neue Schlüssel ist in Gebrauch. Der alte läuft bald ab.',
    goOn: 'Fortsetzen',
    rotate: 'Schlüssel wechseln',
  },
  tabs: {
    label: 'Bereiche des Clients',
    overview: 'Übersicht',
    keys: 'Schlüssel',
    network: 'Netzwerk',
    roles: 'Rollen',
    requests: 'Anfragen',
    snippets: 'Codebeispiele',
    history: 'Verlauf',
  },
  overview: {
    traffic: 'Anfragen',
    chart: (range: string): string => `Anfragen der letzten ${range}`,
    facts: 'Details',
    lastUsed: 'Zuletzt verwendet',
    never: 'Nie',
    from: (address: string): string => `von ${address}`,
    keys: 'Schlüssel',
    noKeys: 'Keine',
    keyCount: (active: number, waiting: number, retiring: number): string =>
      [
        active > 0 ? `${formatNumber(active)} aktiv` : '',
        waiting > 0 ? `${formatNumber(waiting)} noch unbenutzt` : '',
        retiring > 0 ? `${formatNumber(retiring)} ${retiring === 1 ? 'läuft' : 'laufen'} bald ab` : '',
      ]
        .filter(Boolean)
        .join(', '),
    network: 'Netzwerk',
    everyone: 'Jede Adresse',
    entries: (count: number): string => plural(count, 'Eintrag', 'Einträge'),
    roles: 'Rollen',
    noRoles: 'Keine: Er kann nur seine Signatur testen',
    explanations: 'Erklärungen für den Aufrufer',
    on: 'Ein',
    off: 'Aus',
    created: 'Hinzugefügt',
    updated: 'Zuletzt geändert',
    failures: 'Ursachen fehlgeschlagener Anfragen',
    failuresDescription: 'Letzte 24 Stunden, neueste zuerst',
    noFailures: 'In den letzten 24 Stunden ist keine Anfrage fehlgeschlagen.',
    times: (count: number): string => `${formatNumber(count)}-mal`,
  },
  keys: {
    title: 'Schlüssel',
    description:
      'Ein Client kann zwei gültige Schlüssel haben: während eines Wechsels den alten und den neuen.',
    add: 'Schlüssel hinzufügen',
    compromised: 'Ein Schlüssel ist kompromittiert',
    none: 'Noch keine Schlüssel',
    noneText:
      'Ohne Schlüssel werden alle Anfragen dieses Clients abgelehnt. Fügen Sie seinen öffentlichen Schlüssel hinzu.',
    statuses: {
      pending: 'Noch unbenutzt',
      active: 'Aktiv',
      retiring: 'Wird ausgemustert',
      expired: 'Abgelaufen',
      revoked: 'Widerrufen',
    },
    fingerprint: 'Fingerabdruck',
    size: 'Größe',
    kind: ({ algorithm, modulusBits }: Key): string =>
      `${algorithm === undefined ? '' : `${keyAlgorithms[algorithm].keyTitle}, `}${formatNumber(modulusBits)} Bit`,
    added: 'Hinzugefügt',
    firstUse: 'Erstmals verwendet',
    lastUse: 'Zuletzt verwendet',
    notYet: 'Noch nicht',
    starts: 'Gültig ab',
    ends: 'Läuft ab am',
    ended: 'Grund',
    endedWhen: 'Ende',
    endsIn: 'Läuft ab in',
    replacesText: (overlap: string): string =>
      `Der alte Schlüssel läuft ${overlap} nach der ersten Verwendung dieses Schlüssels ab.`,
    replacesAtOnce: 'Der alte Schlüssel läuft ab, sobald dieser zum ersten Mal verwendet wird.',
    rotation: 'Wechseln bis',
    share: 'Anteil, 24 Stunden',
    shareOf: (percent: string, requests: number): string =>
      `${percent} · ${plural(requests, 'Anfrage', 'Anfragen')}`,
    noTraffic: 'Keine angenommenen Anfragen',
    endedTitle: 'Abgelaufene und widerrufene Schlüssel',
    endedReasons: {
      compromised: 'Widerrufen: kompromittiert',
      superseded: 'Widerrufen: ersetzt',
      unspecified: 'Widerrufen',
    },
    endedNormally: 'Abgelaufen',
    actions: (fingerprint: string): string => `Aktionen für den Schlüssel ${fingerprint}`,
    retire: 'Ausmustern …',
    changeEnd: 'Früher ablaufen lassen …',
    extend: 'Verlängern …',
    revoke: 'Kompromittiert: widerrufen …',
  },
  retire: {
    title: 'Schlüssel ausmustern',
    text: 'Der Schlüssel gilt bis zum gewählten Zeitpunkt und läuft dann endgültig ab.',
    when: 'Wann soll er ablaufen?',
    now: 'Jetzt',
    nowHint:
      'Widerruft den Schlüssel: Damit signierte Anfragen werden sofort abgelehnt. Das lässt sich nicht rückgängig machen.',
    hours: (hours: number): string => `In ${spanDative(hours)}`,
    span: (hours: number): string => span(hours),
    at: 'Zu einem bestimmten Zeitpunkt',
    time: 'Datum und Uhrzeit',
    timeHint: (zone: string, days: number): string =>
      `In Ihrer Zeitzone ${zone} und innerhalb von ${plural(days, 'Tag', 'Tagen')}.`,
    timeMissing: 'Wählen Sie Datum und Uhrzeit.',
    timePast: 'Wählen Sie einen Zeitpunkt in der Zukunft.',
    timeFar: (days: number): string =>
      `Wählen Sie einen Zeitpunkt innerhalb von ${plural(days, 'Tag', 'Tagen')}.`,
    timeLater: 'Der Schlüssel läuft vorher ab. Soll er länger gelten, wählen Sie „Verlängern“.',
    timeEarlier:
      'Der Schlüssel läuft erst danach ab. Soll er kürzer gelten, wählen Sie „Früher ablaufen lassen“.',
    onlyTitle: 'Das ist der einzige gültige Schlüssel',
    only: 'Sobald er abgelaufen ist, kann dieser Client die API nicht mehr aufrufen. Wechseln Sie den Schlüssel stattdessen, damit zuerst ein neuer übernimmt.',
    unusedTitle: 'Der andere Schlüssel hat noch keine Anfrage signiert',
    unused: 'Warten Sie seine erste Anfrage ab, um sicher zu sein, dass er funktioniert.',
    recentTitle: 'Dieser Schlüssel wurde in den letzten 24 Stunden verwendet',
    lastRequest: 'Seine letzte angenommene Anfrage kam',
    stops: 'Was diese Anfragen sendet, funktioniert nicht mehr, sobald der Schlüssel abgelaufen ist.',
    confirm: 'Schlüssel ausmustern',
    confirmNow: 'Schlüssel jetzt widerrufen',
    doneNow: 'Der Schlüssel wurde widerrufen',
    done: 'Der Schlüssel wird ausgemustert',
  },
  extend: {
    title: 'Schlüssel verlängern',
    text: 'Der Schlüssel gilt bis zum gewählten Zeitpunkt.',
    until: 'Wann soll er ablaufen?',
    confirm: 'Schlüssel verlängern',
    done: 'Der Schlüssel wurde verlängert',
  },
  revokeKey: {
    title: 'Kompromittierten Schlüssel widerrufen',
    text: 'Der Schlüssel funktioniert ab sofort nicht mehr, und zwar für alle, die den privaten Schlüssel haben, auch für Sie. Das lässt sich nicht rückgängig machen.',
    onlyTitle: 'Dieser Client hat dann keinen Schlüssel mehr',
    only: 'Alle seine Anfragen werden abgelehnt, bis Sie einen neuen Schlüssel hinzufügen.',
    otherTitle: 'Der andere Schlüssel funktioniert weiter',
    other: 'Anwendungen, die mit dem anderen Schlüssel signieren, sind nicht betroffen.',
    type: 'widerrufen',
    confirm: 'Schlüssel widerrufen',
    done: 'Der Schlüssel wurde widerrufen',
  },
  // Symbols of units have no grammatical case, so they fit after any words.
  countdown: (days: number, hours: number, minutes: number, seconds: number): string => {
    if (days > 0) return hours > 0 ? `${formatNumber(days)} d ${hours} h` : `${formatNumber(days)} d`;
    if (hours > 0) return `${hours} h ${String(minutes).padStart(2, '0')} min`;
    return minutes > 0 ? `${minutes} min ${String(seconds).padStart(2, '0')} s` : `${seconds} s`;
  },
  countdownOver: 'wenigen Augenblicken',
  network: {
    title: 'Netzwerk-Whitelist',
    description:
      'Anfragen dieses Clients werden nur von diesen Adressen angenommen, auch wenn sie richtig signiert sind.',
    change: 'Whitelist ändern',
    lastSeen: 'Zuletzt verwendet',
    never: 'Nie',
    add: 'Hinzufügen',
    entryAdded: (entry: string): string => `${entry} ist jetzt erlaubt`,
    allowTitle: (entry: string): string => `${entry} erlauben?`,
    allowText: (name: string): string =>
      `Anfragen von ${name} werden dann von dieser Adresse angenommen. Erlauben Sie sie nur, wenn Sie wissen, wem die Adresse gehört.`,
    allowConfirm: 'Adresse erlauben',
    addIt: (address: string): string => `${address} hinzufügen`,
    refusedCount: (count: number): string => plural(count, 'Anfrage', 'Anfragen'),
  },
  roles: {
    title: 'Rollen',
    description: 'Dieser Client darf alles, was eine seiner Rollen erlaubt.',
    change: 'Rollen ändern',
    none: 'Keine Rollen',
    noneText: 'Ohne Rolle kann er nur seine Signatur testen.',
    permissions: 'Was diese Rollen erlauben',
  },
  requests: {
    title: 'Neueste Anfragen',
    description: 'Wird laufend aktualisiert.',
    open: 'Unter „Anfragen“ öffnen',
    analytics: 'Auswertung',
    time: 'Zeit',
    request: 'Anfrage',
    outcome: 'Ergebnis',
    source: 'Von',
    key: 'Schlüssel',
    accepted: 'Angenommen',
    refused: 'Abgelehnt',
    observed: 'Durchgelassen',
    none: 'Noch keine Anfragen',
    noneText:
      'Die erste signierte Anfrage dieses Clients erscheint hier innerhalb einer Sekunde, nachdem sie eingetroffen ist.',
    snippets: 'So signieren Sie eine Anfrage',
    mayNot: 'Ihre Rolle darf keine Anfragen sehen.',
  },
  snippets: {
    title: 'Die API als dieser Client aufrufen',
    description: 'Vollständige Beispiele für diesen Client.',
  },
  history: {
    title: 'Verlauf',
    description: 'Wer was an diesem Client geändert hat, neueste zuerst',
    none: 'Noch wurde nichts geändert.',
    more: 'Mehr anzeigen',
    mayNot: 'Ihre Rolle darf das Audit-Log nicht sehen.',
  },
} as const;
