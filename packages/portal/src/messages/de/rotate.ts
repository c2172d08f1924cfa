import { formatNumber, plural } from './plural.ts';

function span(seconds: number): string {
  const hours = Math.round(seconds / 3600);
  return hours % 24 === 0 ? plural(hours / 24, 'Tag', 'Tage') : plural(hours, 'Stunde', 'Stunden');
}

export const rotate = {
  title: 'Schlüssel wechseln',
  addTitle: 'Schlüssel hinzufügen',
  compromisedTitle: 'Kompromittierter Schlüssel',
  loading: 'Schlüssel wechseln',
  back: (name: string): string => `Zurück zu ${name}`,
  forClient: (name: string): string => `Client ${name}`,
  mayNotTitle: 'Mit Ihrer Rolle können Sie keine Schlüssel ändern',
  revokedTitle: 'Dieser Client ist widerrufen',
  revokedText: 'Stellen Sie ihn zuerst wieder her und fügen Sie dann einen neuen Schlüssel hinzu.',
  steps: {
    label: 'Schritte',
    overlap: 'Übergangszeit',
    key: 'Neuer Schlüssel',
    deploy: 'Ausrollen',
    switch: 'Umstellen',
    state: { done: 'erledigt', current: 'jetzt', next: 'später' },
    position: (step: number, of: number, name: string): string => `Schritt ${step} von ${of}: ${name}`,
  },
  overlap: {
    title: 'Wie lange sollen beide Schlüssel gelten?',
    text: 'So lange gilt der alte Schlüssel noch, nachdem der neue seine erste Anfrage signiert hat. In dieser Zeit wird nichts abgelehnt.',
    label: 'Übergangszeit',
    atOnce: 'Keine',
    atOnceHint:
      'Der alte Schlüssel läuft ab, sobald der neue verwendet wird. Nur für Schlüssel, die ein einziger Prozess nutzt.',
    hourHint: 'Für einen einzelnen Server, auf dem Sie sofort ausrollen.',
    dayHint: 'Wenn Sie heute noch überall ausrollen.',
    usual: 'Empfohlen',
    usualHint: 'Genug Zeit für mehrere Server, auch wenn Sie zunächst einen vergessen.',
    weekHint: 'Für wöchentliche Jobs.',
    monthHint: 'Für Partner, die Vorlauf brauchen.',
    span: (seconds: number): string => span(seconds),
    next: 'Weiter',
    picture: {
      label: (overlap: string): string =>
        `Der alte Schlüssel läuft ${overlap} nach der ersten Anfrage mit dem neuen ab. Bis dahin gelten beide.`,
      labelAtOnce: 'Der alte Schlüssel läuft ab, sobald der neue verwendet wird.',
      old: 'Alter Schlüssel',
      new: 'Neuer Schlüssel',
      now: 'Jetzt',
      firstUse: 'Erste Verwendung',
    },
  },
  key: {
    title: 'Der neue öffentliche Schlüssel',
    titleFirst: 'Der öffentliche Schlüssel',
    text: 'Erzeugen Sie ein neues Schlüsselpaar und geben Sie den öffentlichen Schlüssel ein. Der private Schlüssel bleibt bei Ihnen. Der Dienst sieht ihn nie.',
    overlap: (overlap: string): string =>
      `Der alte Schlüssel läuft ${overlap} nach der ersten Anfrage mit dem neuen ab. Bis dahin gelten beide.`,
    overlapNone: 'Der alte Schlüssel läuft ab, sobald der neue verwendet wird.',
    change: 'Ändern',
    endsAnyway: 'Der aktuelle Schlüssel läuft ohnehin ab:',
    noKey:
      'Dieser Client hat keinen gültigen Schlüssel. Seine Anfragen werden abgelehnt, bis Sie einen hinzufügen.',
    submit: 'Neuen Schlüssel hinzufügen',
    back: 'Zurück',
    missing: 'Geben Sie zuerst einen öffentlichen Schlüssel ein.',
    blockers: {
      reading: 'Der Schlüssel wird noch gelesen.',
      'key-not-accepted': 'Dieser Schlüssel kann nicht hinzugefügt werden. Den Grund sehen Sie oben.',
      'key-not-in-profile':
        'Das Signaturprofil des Clients lässt diesen Schlüssel nicht zu. Den Grund sehen Sie oben.',
      'private-key-not-saved':
        'Speichern Sie zuerst den privaten Schlüssel. Er wird nur dieses eine Mal angezeigt.',
    },
    added: 'Der neue Schlüssel wurde hinzugefügt',
    overtaken: 'Inzwischen hat jemand anderes einen Schlüssel hinzugefügt. Ihrer wurde nicht hinzugefügt.',
  },
  conflict: {
    replaced: 'Zu ersetzender Schlüssel',
    status: 'Status des Clients',
    usable: 'Gültige Schlüssel',
    none: 'nicht vorhanden',
  },
  deploy: {
    title: 'Neuen Schlüssel ausrollen',
    text: 'Jetzt gelten beide Schlüssel. Sie können also Server für Server ausrollen, ohne Ausfall.',
    textOnly: 'Anfragen werden abgelehnt, bis Ihre Anwendung mit dem neuen Schlüssel signiert.',
    steps: {
      copy: 'Neuen privaten Schlüssel dort ablegen, wo Ihre Anwendung ihren Schlüssel liest',
      copyText:
        'Als Datei, als Secret oder in einem Schlüsselspeicher. Nur der Schlüssel ändert sich. Client-ID, URL und Header bleiben gleich.',
      reload: 'Anwendung neu starten oder neu laden',
      reloadText: 'Viele Anwendungen lesen ihren Schlüssel nur beim Start.',
      send: 'Eine Anfrage senden',
      sendText: 'Jede signierte Anfrage genügt. Der Bereich oben zeigt sie sofort an.',
    },
    snippet: 'Keine Anfrage zur Hand? Senden Sie eine mit einem fertigen Beispiel',
    clientId: 'Client-ID',
    newKey: 'Neuer Schlüssel',
    oldKey: 'Alter Schlüssel',
    overlapAfter: (overlap: string): string =>
      `Läuft ${overlap} nach der ersten Anfrage mit dem neuen Schlüssel ab`,
    overlapNone: 'Läuft ab, sobald der neue Schlüssel verwendet wird',
    endsAt: 'Läuft ab:',
    discard: 'Neuen Schlüssel verwerfen',
    discardTitle: 'Neuen Schlüssel verwerfen?',
    discardText:
      'Der neue Schlüssel wird endgültig widerrufen, ohne je verwendet worden zu sein. Der alte Schlüssel gilt weiter.',
    discardTextOnly:
      'Der neue Schlüssel wird endgültig widerrufen, ohne je verwendet worden zu sein. Der Client hat dann keinen gültigen Schlüssel.',
    discardConfirm: 'Neuen Schlüssel verwerfen',
    discarded: 'Der neue Schlüssel wurde verworfen',
    leave: 'Sie können diese Seite verlassen. Der Wechsel läuft weiter, und Sie können hierher zurückkehren.',
  },
  waiting: {
    label: 'Erste Anfrage mit dem neuen Schlüssel',
    title: 'Warten auf die erste Anfrage mit dem neuen Schlüssel',
    text: 'Die Anzeige aktualisiert sich selbst.',
    oldStill: 'Die letzte Anfrage war noch mit dem alten Schlüssel signiert,',
    none: 'Noch keine Anfrage …',
    refused: 'Eine Anfrage wurde abgelehnt:',
    observed: 'Eine Anfrage hat eine Prüfung nicht bestanden, wurde aber durchgelassen:',
    why: 'Grund ansehen',
    seen: 'Der neue Schlüssel hat seine erste Anfrage signiert',
  },
  switch: {
    title: 'Der neue Schlüssel ist in Gebrauch',
    text: 'Der alte Schlüssel gilt noch. Er läuft von selbst ab.',
    firstUse: 'Erste Verwendung',
    share: 'Anfragen nach Schlüssel',
    shareText: (since: string): string => `Angenommene Anfragen seit ${since}`,
    newKey: 'Neuer Schlüssel',
    oldKey: 'Alter Schlüssel',
    shareOf: (percent: string, requests: number): string =>
      `${percent} · ${plural(requests, 'Anfrage', 'Anfragen')}`,
    strip: 'Letzte Anfragen',
    stripWords: (fresh: number, old: number, refused: number): string =>
      `Letzte ${formatNumber(fresh + old + refused)} Anfragen: ${formatNumber(fresh)} mit dem neuen Schlüssel signiert, ${formatNumber(old)} mit dem alten, ${formatNumber(refused)} fehlgeschlagen.`,
    stripNew: 'Neuer Schlüssel',
    stripOld: 'Alter Schlüssel',
    stripRefused: 'Fehlgeschlagen',
    endsIn: 'Der alte Schlüssel läuft ab in',
    noEnd:
      'Der alte Schlüssel läuft nicht von selbst ab. Mustern Sie ihn aus, sobald ihn niemand mehr verwendet.',
    stillUsed: 'Der alte Schlüssel ist noch in Gebrauch',
    stillUsedText: 'Letzte angenommene Anfrage:',
    stillUsedHint: 'Finden Sie heraus, woher diese Anfragen kommen, bevor der Schlüssel abläuft.',
    seeRequests: 'Anfragen ansehen',
    quiet: 'Seit der Umstellung kam keine Anfrage mehr mit dem alten Schlüssel',
    quietText:
      'Sobald alle Ihre Anwendungen die API mit dem neuen Schlüssel aufgerufen haben, können Sie den alten ausmustern.',
    retireNow: 'Alten Schlüssel jetzt ausmustern',
    extend: 'Alten Schlüssel verlängern',
    leave: 'Sie können diese Seite verlassen. Der alte Schlüssel läuft von selbst ab.',
  },
  done: {
    title: 'Schlüsselwechsel abgeschlossen',
    text: 'Der neue Schlüssel ist in Gebrauch, der alte gilt nicht mehr.',
    newKey: 'Aktueller Schlüssel',
    oldKey: 'Bisheriger Schlüssel',
    ended: 'Beendet',
    next: 'Nächster Wechsel bis',
    todo: 'Löschen Sie den alten privaten Schlüssel überall, wo er gespeichert ist.',
    toClient: 'Zurück zum Client',
  },
  compromised: {
    offerTitle: 'Ist der private Schlüssel kompromittiert?',
    offerText: 'Warten Sie keine Übergangszeit ab. Widerrufen Sie den Schlüssel sofort.',
    offer: 'Schlüssel ist kompromittiert',
    plannedOffer: 'Nicht kompromittiert? Schlüssel stattdessen wechseln',
    title: 'Kompromittierten Schlüssel widerrufen',
    which: 'Um welchen Schlüssel geht es?',
    stops: 'Was sofort nicht mehr funktioniert',
    stopsRequests:
      'Alle Anfragen, die mit diesem Schlüssel signiert sind, egal von wem sie kommen. Die Antwort ist 401 mit dem Code signature_invalid.',
    stopsLast: 'Zuletzt verwendet:',
    stopsNever: 'Er hat noch nie eine Anfrage signiert.',
    stopsShare: (requests: number): string =>
      `In den letzten 24 Stunden hat er ${plural(requests, 'angenommene Anfrage', 'angenommene Anfragen')} signiert.`,
    stopsForever: 'Ein Widerruf lässt sich nicht rückgängig machen.',
    goesOn: 'Was weiter funktioniert',
    otherKey: 'Anfragen, die mit dem anderen Schlüssel signiert sind.',
    nothing:
      'Nichts. Dieser Client hat keinen anderen Schlüssel. Er kann die API erst wieder aufrufen, wenn Sie einen hinzufügen.',
    nothingHint:
      'Wenn ein Ausfall schlimmer wäre als das Risiko, fügen Sie zuerst den neuen Schlüssel hinzu und rollen Sie ihn aus.',
    addFirst: 'Zuerst neuen Schlüssel hinzufügen',
    after: 'Nächste Schritte',
    afterSteps: [
      'Fügen Sie hier einen neuen Schlüssel hinzu und rollen Sie ihn aus.',
      'Prüfen Sie die Anfragen aus dieser Zeit. Kamen alle von Ihnen?',
      'Finden Sie heraus, wie der Schlüssel nach außen gelangt ist, bevor es mit dem neuen auch passiert.',
    ],
    seeRequests: 'Anfragen prüfen',
    revoke: 'Diesen Schlüssel jetzt widerrufen',
    none: 'Dieser Client hat keinen Schlüssel, den Sie widerrufen könnten.',
    addNew: 'Neuen Schlüssel hinzufügen',
  },
} as const;
