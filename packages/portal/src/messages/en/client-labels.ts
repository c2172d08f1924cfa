/** A client's tags and metadata. */
export const clientLabels = {
  tags: 'Tags',
  tagsHint:
    'Group clients, and the list filters by them. Press Enter after each tag. Lower-case letters and digits, with - _ . : or / between them.',
  tagsWrong: 'Use lower-case letters and digits, with single - _ . : or / between them.',
  metadata: 'Metadata',
  metadataHint: 'Your own notes: one entry per line, such as owner = Ada.',
  metadataWrong: (line: number): string =>
    `Line ${line}: write key = value. A key starts with a letter, contains only letters, digits, _ . and -, and appears only once.`,
  none: 'None',
} as const;
