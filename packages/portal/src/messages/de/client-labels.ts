/** A client's tags and metadata. */
export const clientLabels = {
  tags: 'Tags',
  tagsHint:
    'Damit gruppieren Sie Clients und filtern die Liste. Drücken Sie nach jedem Tag die Eingabetaste. Erlaubt sind Kleinbuchstaben und Ziffern, dazwischen - _ . : oder /.',
  tagsWrong: 'Verwenden Sie Kleinbuchstaben und Ziffern, dazwischen jeweils nur ein - _ . : oder /.',
  metadata: 'Metadaten',
  metadataHint: 'Ihre eigenen Notizen: ein Eintrag pro Zeile, etwa owner = Ada.',
  metadataWrong: (line: number): string =>
    `Zeile ${line}: Schreiben Sie „Name = Wert“. Ein Name beginnt mit einem Buchstaben, enthält nur Buchstaben, Ziffern, _ . und - und kommt nur einmal vor.`,
  none: 'Keine',
} as const;
