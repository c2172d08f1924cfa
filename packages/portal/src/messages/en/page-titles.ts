/** The titles of pages, as the navigation and the pages show them. Apart from the pages' texts, which load with the pages. */
export const pageTitles = {
  accounts: 'Accounts',
  alertRules: 'Alert rules',
  analytics: 'Analytics',
  apiKeys: 'API Keys',
  auditLog: 'Audit log',
  documentation: 'Documentation',
  health: 'System health',
  operatorSettings: 'Settings',
  overview: 'Overview',
  requests: 'Requests',
  roles: 'Roles',
  securityPolicy: 'Security policies',
  signatureDebugger: 'Signature debugger',
  team: 'Team',
  tryIt: 'Try it',
  webhooks: 'Webhooks',
} as const;
