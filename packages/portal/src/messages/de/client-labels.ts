/** Tags and metadata on a client's page. */
export const clientLabels = {
  title: 'Tags und Metadaten',
  description:
    'Mit Tags gruppieren Sie Clients und filtern die Liste. Metadaten sind für Ihre eigenen Notizen da.',
  tags: 'Tags',
  tagsHint:
    'Drücken Sie nach jedem Tag die Eingabetaste. Erlaubt sind Kleinbuchstaben und Ziffern, dazwischen - _ . : oder /.',
  tagsWrong: 'Verwenden Sie Kleinbuchstaben und Ziffern, dazwischen jeweils nur ein - _ . : oder /.',
  metadata: 'Metadaten',
  metadataHint: 'Optional: ein Eintrag pro Zeile, etwa owner = Ada.',
  metadataWrong: (line: number): string =>
    `Zeile ${line}: Schreiben Sie „Name = Wert“. Ein Name beginnt mit einem Buchstaben, enthält nur Buchstaben, Ziffern, _ . und - und kommt nur einmal vor.`,
  none: 'Keine',
  save: 'Tags und Metadaten speichern',
  saved: (name: string): string => `Tags und Metadaten von ${name} wurden gespeichert`,
} as const;
