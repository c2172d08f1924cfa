import { plural } from './plural.ts';

export const profile = {
  title: 'Mein Profil',
  description: 'Wie Sie sich anmelden und wo Sie angemeldet sind.',
  saved: 'Gespeichert',

  earlierEndedTitle: 'Frühere Anmeldeverfahren wurden entfernt',
  earlierEndedText:
    'Für Ihre E-Mail-Adresse hatte schon jemand ein Passwort eingerichtet, ohne nachzuweisen, dass es die eigene Adresse ist. Dieses Passwort gilt nicht mehr, ebenso wenig die Passkeys, die Authenticator-App und die Wiederherstellungscodes, die damit eingerichtet wurden. Alle anderen Sitzungen wurden beendet. Wenn Sie das selbst waren, melden Sie sich künftig mit Ihrem Unternehmenskonto an. Wenn nicht, informieren Sie einen Inhaber des Kontos: Das Audit-Log zeigt, was in Ihrem Namen geschehen ist.',

  personTitle: 'Über Sie',
  name: 'Name',
  nameHint: 'Sichtbar für andere Mitglieder und im Audit-Log.',
  email: 'E-Mail-Adresse',
  save: 'Speichern',
  nameRequired: 'Geben Sie einen Namen ein.',

  times: {
    title: 'Zeit und Datum',
    text: 'Wie das Portal in diesem Browser Zeiten für Sie schreibt. Exporte bleiben in UTC.',
    zone: 'Zeitzone',
    zoneOfBrowser: (zone: string): string => `Die Ihres Browsers: ${zone}`,
    zoneNotFound: 'Keine Treffer',
    date: 'Datum',
    clock: 'Uhrzeit',
    ofLanguage: (example: string): string => `Standard: ${example}`,
    clocks: {
      '24': (example: string): string => `24 Stunden: ${example}`,
      '12': (example: string): string => `12 Stunden: ${example}`,
    },
    now: (time: string): string => `Jetzt: ${time}`,
  },

  passwordTitle: 'Passwort',
  passwordText: 'Wenn Sie Ihr Passwort ändern, werden Sie überall sonst abgemeldet.',
  passwordNone: 'Sie melden sich über Ihr Unternehmen an und haben hier deshalb kein Passwort.',
  currentPassword: 'Aktuelles Passwort',
  newPassword: 'Neues Passwort',
  changePassword: 'Passwort ändern',
  passwordChanged: 'Passwort geändert. Sie wurden überall sonst abgemeldet.',
  required: 'Pflichtfeld.',
  currentWrong: 'Das ist nicht Ihr aktuelles Passwort.',

  secondTitle: 'Zweiter Faktor',
  secondText: 'Mit einem zweiten Faktor reicht ein gestohlenes Passwort nicht für die Anmeldung.',
  on: 'Aktiv',
  off: 'Nicht aktiv',
  totpName: 'Authenticator-App',
  totpOnText: 'Bei der Anmeldung geben Sie einen Code von Ihrem Smartphone ein.',
  totpOffText: 'Eine App auf Ihrem Smartphone zeigt alle 30 Sekunden einen neuen Code.',
  totpAdd: 'Einrichten',
  totpAddLabel: 'Authenticator-App einrichten',
  totpRemove: 'Deaktivieren',
  totpRemoveLabel: 'Authenticator-App deaktivieren',
  totpRemoveTitle: 'Authenticator-App deaktivieren?',
  totpRemoveText:
    'Zum Anmelden genügt dann Ihr Passwort, und Ihre Wiederherstellungscodes gelten nicht mehr.',
  totpRemoved: 'Authenticator-App deaktiviert',

  totpDialogTitle: 'Authenticator-App einrichten',
  totpScan: 'Scannen Sie diesen Code mit Ihrer Authenticator-App.',
  totpQr: 'QR-Code für Ihre Authenticator-App',
  totpManual: 'Oder geben Sie dieses Geheimnis in der App ein:',
  totpSecret: 'Geheimnis',
  totpCode: 'Code aus der App',
  totpCodeWrong:
    'Dieser Code ist falsch. Geben Sie den Code ein, den die App jetzt anzeigt. Wenn es wieder nicht klappt, prüfen Sie die Uhr Ihres Smartphones.',
  totpCodeHint: '6 Ziffern',
  totpConfirm: 'Aktivieren',

  recoveryName: 'Wiederherstellungscodes',
  recoveryLeft: (count: number): string =>
    `Noch ${plural(count, 'Code', 'Codes')}, falls Sie Ihr Smartphone verlieren.`,
  recoveryLow: (count: number): string =>
    count === 0
      ? 'Keine mehr übrig. Wenn Sie Ihr Smartphone verlieren, können Sie sich nicht mehr anmelden.'
      : `Nur noch ${plural(count, 'Code', 'Codes')} übrig. Erstellen Sie neue.`,
  recoveryNew: 'Neue Codes erstellen',
  recoveryNewTitle: 'Neue Wiederherstellungscodes erstellen?',
  recoveryNewText: 'Ihre bisherigen Codes gelten dann nicht mehr.',
  recoveryDialogTitle: 'Wiederherstellungscodes sichern',
  recoveryDialogText:
    'Mit jedem Code können Sie sich einmal ohne Ihr Smartphone anmelden. Die Codes werden nur jetzt angezeigt. Bewahren Sie sie an einem sicheren Ort auf.',
  recoveryLabel: 'Wiederherstellungscodes',
  recoveryCopy: 'Kopieren',
  recoveryDownload: 'Herunterladen',
  recoverySaved: 'Ich habe diese Codes an einem sicheren Ort gespeichert',
  recoveryDone: 'Fertig',
  recoveryFile: (serviceName: string, email: string): string =>
    `${serviceName}: Wiederherstellungscodes für ${email}`,
  recoveryFileNote: 'Jeder Code gilt einmal.',
  recoveryGate: 'Speichern Sie zuerst die Codes. Sie werden nicht noch einmal angezeigt.',

  passkeysTitle: 'Passkeys',
  passkeysText:
    'Sie melden sich mit Fingerabdruck, Gesicht oder Sicherheitsschlüssel an: ohne Tippen und sicher vor Phishing.',
  passkeysImpossible:
    'Sie haben diese Seite über ihre IP-Adresse geöffnet, Passkeys sind aber an einen Hostnamen gebunden. Öffnen Sie die Seite über ihren Hostnamen, um Passkeys zu verwenden. Auf diesem Rechner ist das http://localhost mit demselben Port.',
  passkeysUnsupported: 'Dieser Browser unterstützt keine Passkeys. Verwenden Sie einen neueren Browser.',
  passkeysNone: 'Noch keine Passkeys',
  passkeyAdd: 'Passkey hinzufügen',
  passkeyNameTitle: 'Passkey hinzufügen',
  passkeyName: 'Name',
  passkeyNameHint: 'Damit Sie ihn wiedererkennen, etwa der Name des Geräts.',
  passkeyNameRequired: 'Geben Sie einen Namen ein.',
  passkeyContinue: 'Weiter auf Ihrem Gerät',
  passkeyAdded: 'Passkey hinzugefügt',
  passkeyRemove: 'Entfernen',
  passkeyRemoveLabel: (name: string): string => `Passkey ${name} entfernen`,
  passkeyRemoveTitle: (name: string): string => `${name} entfernen?`,
  passkeyRemoveText:
    'Sie können sich damit nicht mehr anmelden. Auf dem Gerät bleibt der Passkey, bis Sie ihn dort löschen.',
  passkeyRemoved: 'Passkey entfernt',
  created: 'Hinzugefügt:',
  lastUsed: 'Zuletzt verwendet:',
  never: 'nie',

  sessionsTitle: 'Sitzungen',
  sessionsText:
    'Hier sind Sie angemeldet. Wenn Sie eine Sitzung nicht kennen, beenden Sie sie und ändern Sie Ihr Passwort.',
  sessionCurrent: 'Diese Sitzung',
  sessionDevice: 'Gerät',
  sessionAddress: 'Adresse',
  sessionSeen: 'Zuletzt aktiv',
  sessionStarted: 'Angemeldet',
  sessionEnd: 'Beenden',
  sessionEndLabel: (device: string): string => `Sitzung beenden: ${device}`,
  sessionEnded: 'Sitzung beendet',
  sessionEndOthers: 'Alle anderen beenden',
  sessionEndOthersTitle: 'Alle anderen Sitzungen beenden?',
  sessionEndOthersText: 'Hier bleiben Sie angemeldet.',
  sessionsEnded: 'Alle anderen Sitzungen wurden beendet',
  unknownDevice: 'Unbekanntes Gerät',
  deviceOn: (browser: string, system: string): string => `${browser} unter ${system}`,
  actions: 'Aktionen',
} as const;
