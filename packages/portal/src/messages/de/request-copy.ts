export const requestCopy = {
  copy: 'Kopieren',
  link: 'Link zu dieser Anfrage',
  signedCommand: 'countersign-Befehl',
  curl: 'curl-Befehl',
  testCase: 'Testfall (HAR)',
  notStored: 'Header, Bodys und Query-Werte werden nicht gespeichert.',
} as const;
