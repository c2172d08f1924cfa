/** Tags and metadata on a client's page. */
export const clientLabels = {
  title: 'Tags and metadata',
  description: 'Tags group clients, and the list filters by them. Metadata is for your own notes.',
  tags: 'Tags',
  tagsHint: 'Press Enter after each tag. Lower-case letters and digits, with - _ . : or / between them.',
  tagsWrong: 'Use lower-case letters and digits, with single - _ . : or / between them.',
  metadata: 'Metadata',
  metadataHint: 'Optional: one entry per line, such as owner = Ada.',
  metadataWrong: (line: number): string =>
    `Line ${line}: write key = value. A key starts with a letter, contains only letters, digits, _ . and -, and appears only once.`,
  none: 'None',
  save: 'Save tags and metadata',
  saved: (name: string): string => `Tags and metadata for ${name} were saved`,
} as const;
