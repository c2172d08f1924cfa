import type { BulkAction } from '@countersign/contract';
import { formatNumber, plural } from './plural.ts';

const clients = (count: number): string => plural(count, 'Client', 'Clients');

/** Changes of many clients at once. */
export const clientBulk = {
  region: 'Ausgewählte Clients',
  selected: (count: number): string => `${clients(count)} ausgewählt`,
  allSelected: (total: number | undefined): string =>
    total === undefined
      ? 'Alle passenden Clients sind ausgewählt'
      : `Alle ${formatNumber(total)} passenden Clients sind ausgewählt`,
  selectAll: (total: number | undefined): string =>
    total === undefined
      ? 'Alle passenden Clients auswählen'
      : `Alle ${formatNumber(total)} passenden Clients auswählen`,
  tooMany: (max: number): string =>
    `Sie können höchstens ${clients(max)} auf einmal ändern. Grenzen Sie die Auswahl mit Filtern ein.`,
  clear: 'Auswahl aufheben',
  change: 'Ändern …',
  actions: {
    enable: 'Aktivieren',
    disable: 'Deaktivieren',
    add_tags: 'Tags hinzufügen',
    remove_tags: 'Tags entfernen',
    add_roles: 'Rollen zuweisen',
    remove_roles: 'Rollen entfernen',
    add_network_entry: 'Netzwerkeintrag hinzufügen',
    remove_network_entry: 'Netzwerkeintrag entfernen',
  } satisfies Record<BulkAction, string>,
  titles: {
    enable: (count: string): string => `${count} aktivieren`,
    disable: (count: string): string => `${count} deaktivieren`,
    add_tags: (count: string): string => `${count}: Tags hinzufügen`,
    remove_tags: (count: string): string => `${count}: Tags entfernen`,
    add_roles: (count: string): string => `${count}: Rollen zuweisen`,
    remove_roles: (count: string): string => `${count}: Rollen entfernen`,
    add_network_entry: (count: string): string => `${count}: Netzwerkeintrag hinzufügen`,
    remove_network_entry: (count: string): string => `${count}: Netzwerkeintrag entfernen`,
  } satisfies Record<BulkAction, (count: string) => string>,
  clients,
  allThatMatch: 'Alle passenden Clients',
  tags: 'Tags',
  tagsHint:
    'Drücken Sie nach jedem Tag die Eingabetaste. Erlaubt sind Kleinbuchstaben und Ziffern, dazwischen - _ . : oder /.',
  roles: 'Rollen',
  entry: 'Adresse oder Netzwerk',
  entryHint: 'Zum Beispiel 203.0.113.7 oder 203.0.113.0/24.',
  label: 'Bezeichnung',
  labelHint: 'Optional: wem die Adresse gehört.',
  missing: {
    tags: 'Geben Sie mindestens ein Tag ein.',
    tagsWrong: 'Verwenden Sie Kleinbuchstaben und Ziffern, dazwischen jeweils nur ein - _ . : oder /.',
    roles: 'Wählen Sie mindestens eine Rolle.',
    entry: 'Geben Sie eine Adresse oder ein Netzwerk ein.',
  },
  preview: 'Vorschau',
  wouldChange: (count: number): string => `${clients(count)} ${count === 1 ? 'wird' : 'werden'} geändert.`,
  isUnchanged: (count: number): string =>
    `${clients(count)} ${count === 1 ? 'bleibt' : 'bleiben'} unverändert.`,
  wouldFail: (count: number): string =>
    `${clients(count)} ${count === 1 ? 'lässt' : 'lassen'} sich nicht ändern:`,
  nothing: 'Es ändert sich nichts.',
  disableWarning: 'Ihre Anfragen werden abgelehnt, bis Sie diese Clients wieder aktivieren.',
  showChanged: (count: number): string => `${clients(count)} anzeigen`,
  back: 'Zurück',
  apply: (count: number): string => `${clients(count)} ändern`,
  changed: (count: number): string => `${clients(count)} ${count === 1 ? 'wurde' : 'wurden'} geändert.`,
  failed: (count: number): string =>
    `${clients(count)} ${count === 1 ? 'ließ' : 'ließen'} sich nicht ändern:`,
  undo: 'Rückgängig machen',
  undone: (count: number): string => `Bei ${clients(count)} wurde die Änderung rückgängig gemacht.`,
  close: 'Fertig',
  unknownClient: 'Unbekannter Client',
} as const;
