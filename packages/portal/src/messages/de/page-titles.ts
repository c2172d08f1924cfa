/** The titles of pages, as the navigation and the pages show them. Apart from the pages' texts, which load with the pages. */
export const pageTitles = {
  alertRules: 'Alarmregeln',
  analytics: 'Auswertung',
  accounts: 'Konten',
  apiKeys: 'API-Schlüssel',
  auditLog: 'Audit-Log',
  documentation: 'Dokumentation',
  health: 'Systemzustand',
  operatorSettings: 'Einstellungen',
  overview: 'Übersicht',
  requests: 'Anfragen',
  roles: 'Rollen',
  securityPolicy: 'Sicherheitsrichtlinien',
  signatureDebugger: 'Signatur-Debugger',
  team: 'Team',
  tryIt: 'Ausprobieren',
  webhooks: 'Webhooks',
} as const;
