import type { OwnPermission } from '@countersign/contract';

/** What each permission of the contract allows, in German. */
export const permissionTexts: Readonly<Record<OwnPermission, string>> = {
  'payments:read': 'Zahlungen des Kontos lesen und auflisten',
  'payments:write': 'Zahlungen des Kontos anlegen und stornieren',
  'clients:read': 'Clients des Kontos und ihre Netzwerk-Whitelists lesen und auflisten',
  'clients:write': 'Clients des Kontos hinzufügen, ändern, deaktivieren, widerrufen und wiederherstellen',
  'keys:read': 'Schlüssel der Clients lesen und auflisten',
  'keys:write': 'Schlüssel der Clients hinzufügen, ausmustern, verlängern und widerrufen',
  'self:rotate': 'Nur die eigenen Schlüssel lesen, hinzufügen, ausmustern und widerrufen',
  'roles:read': 'Rollen und Berechtigungen lesen und auflisten',
  'roles:write': 'Eigene Rollen des Kontos hinzufügen, ändern und entfernen',
  'requests:read': 'Anfragen der Clients lesen und auflisten',
  'audit:read': 'Audit-Ereignisse des Kontos lesen, auflisten und exportieren',
  'webhooks:read': 'Webhooks des Kontos und ihre Zustellungen lesen und auflisten',
  'webhooks:write': 'Webhooks des Kontos hinzufügen, ändern, anhalten, testen und entfernen',
  'alerts:read': 'Alarmregeln des Kontos lesen, mit Messwerten und Alarmen',
  'alerts:write': 'Alarmregeln des Kontos hinzufügen, ändern und entfernen',
  'accounts:read': 'Alle Konten und alles darin lesen; nur für den Betreiber',
  'accounts:write': 'Konten anlegen und ändern und in allen handeln; nur für den Betreiber',
  'accounts:act': 'Für begrenzte Zeit für ein anderes Konto handeln; nur für Mitarbeitende des Betreibers',
  'members:read': 'Mitglieder und Einladungen des Kontos sehen; nur für Mitglieder',
  'members:write': 'Mitglieder einladen, ihre Rollen ändern und sie entfernen; nur für Mitglieder',
  'policy:write': 'Sicherheitsrichtlinie des Kontos ändern; nur für Mitglieder',
};
