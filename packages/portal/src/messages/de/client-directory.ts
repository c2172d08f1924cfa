/** Why entries of a directory do not count. */
const reasons: Readonly<Record<string, string>> = {
  not_a_key: 'kein Schlüssel',
  too_long: 'zu lang',
  private_key: 'privater Schlüssel',
  published_test_key: 'veröffentlichter Testschlüssel',
  kind_not_supported: 'Schlüsselart nicht unterstützt',
  algorithm_not_supported: 'Algorithmus nicht unterstützt',
  not_for_signatures: 'nicht für Signaturen',
  key_id_invalid: 'Schlüssel-ID ungültig',
  key_id_ambiguous: 'Schlüssel-ID mehrdeutig',
  validity_invalid: 'Gültigkeitsdauer ungültig',
  expired: 'abgelaufen',
  malformed: 'fehlerhaft aufgebaut',
  weak: 'zu schwach',
  duplicate: 'doppelt',
  several_algorithms: 'mehrere Algorithmen',
  owner_mismatch: 'falscher Eigentümer',
  too_many: 'zu viele',
  revoked: 'widerrufen',
  registered_elsewhere: 'bei einem anderen Client registriert',
};

export const clientDirectory = {
  title: 'Schlüsselverzeichnis',
  description:
    'Die Schlüssel dieses Clients kommen aus einem Verzeichnis, das er veröffentlicht. Um sie zu ändern, ändern Sie das Verzeichnis.',
  url: 'URL',
  lastAttempt: 'Letzter Abruf',
  lastSuccess: 'Letzter erfolgreicher Abruf',
  nextAttempt: 'Nächster Abruf',
  refresh: 'Jetzt abrufen',
  refreshed: 'Das Verzeichnis wird in wenigen Sekunden abgerufen.',
  problem: 'Problem',
  keys: 'Verwendbare Schlüssel',
  skipped: 'Übersprungene Einträge',
  notYet: 'Noch nicht',
  skippedEntries: (skipped: Readonly<Record<string, number>>): string =>
    Object.entries(skipped)
      .map(([reason, count]) => {
        const words = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
        return `${words ?? reason.replaceAll('_', ' ')} (${count})`;
      })
      .join(', '),
};
