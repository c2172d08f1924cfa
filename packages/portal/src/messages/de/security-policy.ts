import { pageTitles } from './page-titles.ts';
import { formatNumber, plural } from './plural.ts';

export const securityPolicy = {
  title: pageTitles.securityPolicy,
  description: 'Vorgaben für Mitglieder, Schlüssel und Anfragen dieses Kontos.',
  people: 'Mitglieder',
  secondFactor: 'Zweiten Faktor verlangen',
  secondFactorText:
    'Eine Authenticator-App oder ein Passkey. Wer keinen zweiten Faktor hat, kann in diesem Konto nichts tun, außer einen einzurichten.',
  operatorsAlways: 'In diesem Konto brauchen alle einen zweiten Faktor, egal was Sie hier wählen.',
  everybodyHas: 'Alle Mitglieder haben einen zweiten Faktor.',
  lacking: (count: number): string =>
    count === 1
      ? '1 Mitglied hat noch keinen zweiten Faktor und muss beim nächsten Besuch einen einrichten:'
      : `${formatNumber(count)} Mitglieder haben noch keinen zweiten Faktor und müssen beim nächsten Besuch einen einrichten:`,
  andMore: (count: number): string => `und ${formatNumber(count)} weitere`,
  ownFirst:
    'Sie selbst haben noch keinen zweiten Faktor. Richten Sie zuerst einen ein, sonst sperren Sie sich aus.',
  toProfile: 'Zu „Mein Profil“',
  sessionHours: 'Maximale Sitzungsdauer',
  sessionHoursText: 'Nach so vielen Stunden werden Mitglieder abgemeldet.',
  hours: 'Stunden',
  sessionUnlimited: 'Keine Vorgabe für das Konto',
  networks: 'Erlaubte Netze',
  networksText:
    'Mitglieder können dieses Konto, im Portal und mit einer Sitzung, nur von diesen Adressen aus nutzen. Für Clients gelten weiter ihre eigenen Netzwerk-Whitelists.',
  everywhere: 'überall',
  ownAddress: (address: string): string =>
    `Ihre eigene Adresse, ${address}, steht nicht in dieser Liste. Fügen Sie sie hinzu, sonst sperren Sie sich aus.`,
  actingNetworks:
    'Sie handeln für dieses Konto. Diese Liste gilt deshalb nicht für Sie, nur für seine Mitglieder. Sie können sie leeren, wenn diese sich ausgesperrt haben.',
  keys: 'Schlüssel',
  keyAge: 'Maximales Schlüsselalter',
  keyAgeText: 'Ältere Schlüssel werden abgelehnt. Üblich ist ein Schlüsselwechsel etwa alle 90 Tage.',
  days: 'Tage',
  keyUnlimited: 'Schlüssel laufen nicht wegen ihres Alters ab',
  keysEnding: (count: number): string =>
    count === 1
      ? '1 Schlüssel ist schon älter und wird abgelehnt, sobald Sie speichern:'
      : `${formatNumber(count)} Schlüssel sind schon älter und werden abgelehnt, sobald Sie speichern:`,
  keysEndingSome: 'Berücksichtigt sind nur die ersten 100 Clients.',
  keyOf: (client: string, days: number): string => `${client}, ${plural(days, 'Tag', 'Tage')} alt`,
  approval: 'Freigabe',
  secondPerson: 'Zweite Person für riskante Änderungen verlangen',
  secondPersonText:
    'Sehr weite Netzwerk-Whitelists, mehr Berechtigungen für Clients, das Widerrufen von Clients und Schlüsseln und Rollen, die freigeben dürfen, warten auf die Freigabe durch eine andere Person. Einen Client zu deaktivieren, wartet nie.',
  secondPersonOn:
    'Beim Speichern werden ausstehende Einladungen zu Rollen, die freigeben dürfen, zurückgezogen. Massenänderungen, Importe und signierte Anfragen können solche Änderungen dann nicht mehr vornehmen.',
  secondPersonOff: 'Auch das Ausschalten muss eine zweite Person freigeben.',
  hoursInvalid: 'Geben Sie eine ganze Zahl von 1 bis 720 ein.',
  daysInvalid: 'Geben Sie eine ganze Zahl von 1 bis 3.650 ein.',
  requests: 'Anfragen',
  requestsKept: 'Maximales Alter von Anfragen',
  requestsKeptText:
    'Anfragen und ihre Erklärungen werden nach so vielen Tagen gelöscht. Zahlen und Auswertungen bleiben, ebenso das Audit-Log.',
  requestsRemoved: (days: number): string =>
    `Anfragen, die älter als ${plural(days, 'Tag', 'Tage')} sind, werden wenige Minuten nach dem Speichern gelöscht. Sie lassen sich nicht wiederherstellen.`,
  keptInvalid: (max: number): string => `Geben Sie eine ganze Zahl von 1 bis ${formatNumber(max)} ein.`,
  save: 'Speichern',
  discard: 'Änderungen verwerfen',
  saved: 'Die Richtlinien wurden gespeichert',
  noPermission: 'Sie können die Richtlinien ansehen. Ändern können sie nur Inhaber und Administratoren.',
  on: 'verlangt',
  off: 'nicht verlangt',
  noLimit: 'keine Grenze',
  hoursOf: (hours: number): string => plural(hours, 'Stunde', 'Stunden'),
  daysOf: (days: number): string => plural(days, 'Tag', 'Tage'),
} as const;
