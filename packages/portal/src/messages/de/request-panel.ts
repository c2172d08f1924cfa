export const requestPanel = {
  previous: 'Vorherige Anfrage',
  next: 'Nächste Anfrage',
  openPage: 'Als Seite öffnen',
  close: 'Schließen',
} as const;
