/** Returns true if a text of the portal may be the same in German: a word that both have, a name, or code. */
export function isAlsoGerman(text: string): boolean {
  return words.has(text) || !/[a-z]{3}/i.test(text) || /^(?:-----BEGIN|POST \/|keyid$)/.test(text);
}

const words: ReadonlySet<string> = new Set([
  'Body',
  'Body (optional)',
  'Client',
  'Clients',
  'Code',
  'Details',
  'Log',
  'Logs',
  'Median',
  'Name',
  'Operation',
  'Passkeys',
  'PostgreSQL',
  'Problem',
  'Redis',
  'Registry',
  'SMTP',
  'SQLite',
  'Secret',
  'Status',
  'Streams',
  'System',
  'Tag',
  'Tags',
  'Team',
  'Test',
  'Text',
  'URL',
  'Version',
  'Webhook',
  'Webhooks',
  // The name of a setting.
  'permissions',
]);
