import { pageTitles } from './page-titles.ts';
import { type CountSoFar, pluralSoFar } from './plural.ts';

export const auditLog = {
  title: pageTitles.auditLog,
  description: 'Wer hat was geändert, und von wo aus? Einträge werden nie entfernt.',
  action: 'Aktion',
  anyAction: 'Alle Aktionen',
  families: {
    client: { group: 'Clients', any: 'Alle Änderungen an Clients' },
    network: { group: 'Netzwerk-Whitelists', any: 'Alle Änderungen am Netzwerk' },
    key: { group: 'Schlüssel', any: 'Alle Änderungen an Schlüsseln' },
    role: { group: 'Rollen', any: 'Alle Änderungen an Rollen' },
    member: { group: 'Mitglieder', any: 'Alle Änderungen an Mitgliedern' },
    policy: { group: 'Sicherheitsrichtlinien', any: 'Alle Änderungen an Richtlinien' },
    pending_change: { group: 'Ausstehende Änderungen', any: 'Alle ausstehenden Änderungen' },
    account: { group: 'Konto', any: 'Alle Änderungen am Konto' },
    alert_rule: { group: 'Alarmregeln', any: 'Alle Änderungen an Alarmregeln' },
    saved_view: { group: 'Gespeicherte Ansichten', any: 'Alle Änderungen an freigegebenen Ansichten' },
    acting: { group: 'Zugriffe des Supports', any: 'Alle Zugriffe des Supports' },
  },
  actor: 'Mitglied',
  anyActor: 'Alle',
  nobodyFound: 'Keine Treffer',
  client: 'Client',
  anyClient: 'Alle Clients',
  noClientFound: 'Keine Treffer',
  list: 'Änderungen, neueste zuerst',
  newEntries: (count: CountSoFar): string =>
    `${capitalised(pluralSoFar(count, 'neue Änderung', 'neue Änderungen'))} anzeigen`,
  newAnnounced: (count: CountSoFar): string => pluralSoFar(count, 'neue Änderung', 'neue Änderungen'),
  noneTitle: 'Keine Änderungen passen zu diesen Filtern',
  noneText: 'Wählen Sie einen längeren Zeitraum oder setzen Sie die Filter zurück.',
  details: 'Details',
  before: 'Vorher',
  after: 'Nachher',
  member: 'Feld',
  nothing: 'leer',
  none: 'keine Angabe',
  yes: 'ja',
  no: 'nein',
  event: 'Ereignis-ID',
  request: 'Anfrage-ID',
  sourceAddress: 'Von',
  time: 'Zeit',
  noContent: 'Weitere Details wurden nicht aufgezeichnet.',
} as const;

/** The words for a number that may be too low start the label: `Mehr als 1.000 …`. */
function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
