import type { Page } from 'playwright-core';
import type { LivedInService } from './lived-in-service.ts';

/** A page of the portal, or a page with a dialog open. */
export interface View {
  /** Also the name of its picture. */
  readonly name: string;
  readonly title: string;
  readonly visitor: 'nobody' | 'owner' | 'operator';
  readonly path: string;
  /** Must be visible before the view counts as loaded. */
  readonly shows: string | RegExp;
  /** Looked at from the end of its page: elsewhere, the bar at the window's edge may lie over half of a row's buttons. */
  readonly isAtEnd?: boolean;
  /** Opens the dialog, or fills in the form. */
  readonly open?: (page: Page) => Promise<void>;
}

/** Lists every view. */
export function viewsOf({
  clientIds,
  mistaken,
  webhookId,
}: Pick<LivedInService, 'clientIds' | 'mistaken' | 'webhookId'>): readonly View[] {
  return [
    ...signedOut,
    ...account(clientIds, mistaken),
    ...webhooks(webhookId),
    ...alertRules,
    ...settings,
    ...provider,
  ];
}

const signedOut: readonly View[] = [
  { name: 'sign-in', title: 'Sign in', visitor: 'nobody', path: '/sign-in', shows: 'Sign in' },
  {
    name: 'forgot-password',
    title: 'Forgotten password',
    visitor: 'nobody',
    path: '/forgot-password',
    shows: 'Reset your password',
  },
];

function account([first, second]: readonly string[], mistaken: string): readonly View[] {
  const client = `/integrations/api-keys/${first}`;
  const rotating = `/integrations/api-keys/${second}`;
  const owner = { visitor: 'owner' } as const;
  return [
    { ...owner, name: 'overview', title: 'Overview', path: '/', shows: 'Get started' },
    {
      ...owner,
      name: 'api-keys',
      title: 'Integrations > API Keys',
      path: '/integrations/api-keys',
      shows: 'Payment service',
    },
    {
      ...owner,
      name: 'revoke-client',
      title: 'A client is revoked',
      path: '/integrations/api-keys',
      shows: 'Payment service',
      async open(page) {
        await page.getByRole('button', { name: 'Actions for Payment service' }).click();
        await page.getByRole('menuitem', { name: 'Revoke' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    {
      ...owner,
      name: 'add-client',
      title: 'Add client',
      path: '/integrations/api-keys/new',
      shows: 'More settings',
      async open(page) {
        await page.getByRole('textbox', { name: 'Name' }).fill('Web shop');
        const entry = page.getByRole('textbox', { name: 'Address or network' });
        for (const text of ['203.0.113.0/24', '203.0.113.7']) {
          await entry.fill(text);
          await entry.press('Enter');
        }
        await page.getByRole('checkbox', { name: /payments-operator/ }).check();
      },
    },
    {
      ...owner,
      name: 'generate-key',
      title: 'Generating a key pair in the browser',
      path: '/integrations/api-keys/new',
      shows: 'More settings',
      async open(page) {
        await page.getByRole('tab', { name: 'Generate here' }).click();
        await page.getByRole('button', { name: 'Generate key pair' }).click();
        await page.getByText('Save the private key now').first().waitFor();
      },
    },
    {
      ...owner,
      name: 'private-key-refused',
      title: 'A private key was pasted',
      path: '/integrations/api-keys/new',
      shows: 'More settings',
      async open(page) {
        const begin = '-----BEGIN PRIVATE KEY-----';
        await page
          .getByRole('textbox', { name: 'Public key' })
          .fill(`${begin}\nMIIEvQIBADANBgkqhkiG9w0BAQ\n`);
        await page
          .getByText(/^That was a private key/)
          .first()
          .waitFor();
      },
    },
    {
      ...owner,
      name: 'update-client',
      title: 'Update',
      path: `${client}/edit`,
      shows: 'More settings',
    },
    { ...owner, name: 'client', title: 'A client', path: client, shows: 'Why requests failed' },
    { ...owner, name: 'client-keys', title: 'Its keys', path: `${rotating}?tab=keys`, shows: 'SHA256:' },
    {
      ...owner,
      name: 'client-network',
      title: 'Its network',
      path: `${rotating}?tab=network`,
      shows: 'Test an address',
    },
    {
      ...owner,
      name: 'client-roles',
      title: 'Its roles',
      path: `${client}?tab=roles`,
      shows: 'Update roles',
    },
    {
      ...owner,
      name: 'client-requests',
      title: 'Its requests',
      path: `${client}?tab=requests`,
      shows: 'Accepted',
    },
    {
      ...owner,
      name: 'client-snippets',
      title: 'Code examples',
      path: `${client}?tab=snippets`,
      shows: 'Python',
    },
    {
      ...owner,
      name: 'client-history',
      title: 'Its history',
      path: `${client}?tab=history`,
      shows: 'created the client',
    },
    { ...owner, name: 'rotate-key', title: 'Rotate key', path: `${client}/rotate`, shows: 'Continue' },
    {
      ...owner,
      name: 'rotate-waiting',
      title: 'Waiting for the first use of a new key',
      path: `${rotating}/rotate`,
      shows: 'Waiting for the first request with the new key',
    },
    {
      ...owner,
      name: 'requests',
      title: 'Logs > Requests',
      path: '/logs/requests',
      shows: 'Failures by cause',
    },
    {
      ...owner,
      name: 'request',
      title: 'Why a request was rejected',
      path: '/logs/requests?outcome=digest_mismatch',
      shows: 'Failures by cause',
      async open(page) {
        await page
          .getByRole('link', { name: /v1\/payments/ })
          .first()
          .click();
        await page.getByText('What to do').first().waitFor();
      },
    },
    {
      ...owner,
      name: 'change-clients',
      title: 'Several clients are changed',
      path: '/integrations/api-keys',
      isAtEnd: true,
      shows: 'Payment service',
      async open(page) {
        await page.getByRole('checkbox', { name: 'Select all' }).check();
        await page.getByRole('button', { name: 'Change…' }).click();
        await page.getByRole('menuitem', { name: 'Remove a network entry' }).click();
        await page.getByRole('dialog').getByLabel('Address or network').waitFor();
      },
    },
    {
      ...owner,
      name: 'import',
      title: 'Import clients',
      path: '/integrations/api-keys/import',
      shows: 'CSV file and key files',
    },
    {
      ...owner,
      name: 'import-preview',
      title: 'The preview of an import',
      path: '/integrations/api-keys/import',
      shows: 'CSV file and key files',
      async open(page) {
        const text = `name,network,roles\nPartner shop,203.0.113.0/24,payments-reader\n${'x'.repeat(120)},203.0.113.77/24,no-such-role\n`;
        const file = { name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
        await page.locator('input[type=file]').setInputFiles(file);
        await page.getByRole('button', { name: 'Check', exact: true }).click();
        await page.getByText('1 of 2 clients can be imported').waitFor();
      },
    },
    {
      ...owner,
      name: 'documentation',
      title: 'Integrations > Documentation',
      path: '/docs',
      shows: 'First request in the shell',
    },
    {
      ...owner,
      name: 'document',
      title: 'A document',
      path: '/docs/signing/python',
      shows: 'Client ID in the examples',
    },
    { ...owner, name: 'try-it', title: 'Integrations > Try it', path: '/try-it', shows: 'Method' },
    {
      ...owner,
      name: 'try-it-client',
      title: 'Try it, with a client that has a key',
      path: '/try-it',
      shows: 'Method',
      async open(page) {
        await page.getByRole('combobox', { name: 'Client' }).click();
        await page.getByRole('option', { name: 'Payment service', exact: true }).click();
        await page.getByText('This client has a key in use.').waitFor();
      },
    },
    {
      ...owner,
      name: 'palette',
      title: 'The search on Ctrl-K',
      path: '/',
      shows: 'Get started',
      async open(page) {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search the portal' }).fill('pay');
        await page
          .getByRole('option', { name: /Payment service/ })
          .first()
          .waitFor();
      },
    },
    { ...owner, name: 'analytics', title: 'Logs > Analytics', path: '/logs/analytics', shows: 'Operations' },
    {
      ...owner,
      name: 'debugger',
      title: 'Logs > Signature debugger',
      path: '/logs/debugger',
      shows: 'Explain',
      open: (page) => explain(page, mistaken),
    },
  ];
}

const alertRules: readonly View[] = [
  {
    visitor: 'owner',
    name: 'alert-rules',
    title: 'Logs > Alert rules',
    path: '/notices/rules',
    shows: 'Requests fail',
  },
  {
    visitor: 'owner',
    name: 'add-alert-rule',
    title: 'Add alert rule',
    path: '/notices/rules/new',
    isAtEnd: true,
    shows: 'What to watch',
    async open(page) {
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Payouts fail');
      await page.getByText(/^Now: /).waitFor();
    },
  },
];

function webhooks(webhookId: string): readonly View[] {
  const owner = { visitor: 'owner' } as const;
  const path = '/integrations/webhooks';
  return [
    { ...owner, name: 'webhooks', title: 'Integrations > Webhooks', path, shows: 'Audit archive' },
    {
      ...owner,
      name: 'add-webhook',
      title: 'Add webhook',
      path: `${path}/new`,
      isAtEnd: true,
      shows: 'Receiver',
      async open(page) {
        await page.getByText('Selected types', { exact: true }).click();
        await page.locator('summary').first().click();
        await page.getByRole('checkbox', { name: 'client.added' }).check();
      },
    },
    {
      ...owner,
      name: 'webhook',
      title: 'A webhook',
      path: `${path}/${webhookId}`,
      shows: 'webhook.test',
    },
    {
      ...owner,
      name: 'delivery',
      title: 'What a webhook was sent',
      path: `${path}/${webhookId}?type=webhook.test`,
      shows: 'webhook.test',
      async open(page) {
        await page.getByRole('link', { name: 'webhook.test' }).first().click();
        await page.getByText('Status 204', { exact: true }).first().waitFor();
      },
    },
    {
      ...owner,
      name: 'update-webhook',
      title: 'Update a webhook',
      path: `${path}/${webhookId}/edit`,
      shows: 'Receiver',
    },
  ];
}

const settings: readonly View[] = (
  [
    { name: 'team', title: 'Settings > Team', path: '/settings/team', shows: 'Chiara Rossi' },
    {
      name: 'invite',
      title: 'Inviting a member',
      path: '/settings/team',
      shows: 'Chiara Rossi',
      async open(page) {
        await page.getByRole('button', { name: 'Invite' }).first().click();
        await page.getByRole('dialog').waitFor();
      },
    },
    { name: 'roles', title: 'Settings > Roles', path: '/settings/roles', shows: 'refunds' },
    {
      name: 'change-role',
      title: 'A role is changed',
      path: '/settings/roles',
      shows: 'refunds',
      async open(page) {
        await page.getByRole('button', { name: 'Actions for role refunds' }).click();
        await page.getByRole('menuitem', { name: 'Edit' }).click();
        await page.getByText('Effect on clients').first().waitFor();
      },
    },
    {
      name: 'member-roles',
      title: 'Roles for members',
      path: '/settings/roles?for=members',
      shows: 'support',
    },
    {
      name: 'change-member-role',
      title: 'A role for members is changed',
      path: '/settings/roles?for=members',
      shows: 'support',
      async open(page) {
        await page.getByRole('button', { name: 'Actions for role support' }).click();
        await page.getByRole('menuitem', { name: 'Edit' }).click();
        await page.getByText('Effect on members').first().waitFor();
      },
    },
    {
      name: 'security-policies',
      title: 'Settings > Security policies',
      path: '/settings/security',
      shows: 'Require a second factor',
    },
    {
      name: 'pending-changes',
      title: 'Settings > Pending changes',
      path: '/settings/pending-changes',
      shows: 'Nothing is waiting',
    },
    { name: 'audit-log', title: 'Settings > Audit log', path: '/settings/audit-log', shows: 'Ben Okafor' },
    { name: 'notices', title: 'Notices', path: '/notices', shows: 'Notices, newest first' },
    { name: 'profile', title: 'Settings > My profile', path: '/settings/profile', shows: 'This session' },
    {
      name: 'authenticator-app',
      title: 'An authenticator app is set up',
      path: '/settings/profile',
      shows: 'This session',
      async open(page) {
        await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
        await page.getByText('Or enter this secret').waitFor();
      },
    },
  ] satisfies readonly Omit<View, 'visitor'>[]
).map((view) => ({ ...view, visitor: 'owner' }));

const provider: readonly View[] = (
  [
    { name: 'operator-overview', title: 'Overview of the provider', path: '/', shows: 'Customer accounts' },
    {
      name: 'accounts',
      title: 'Operator > Accounts',
      path: '/operator/accounts',
      shows: 'Northwind Payments',
    },
    {
      name: 'act',
      title: 'Acting for a customer, with a reason',
      path: '/operator/accounts',
      shows: 'Northwind Payments',
      async open(page) {
        await page.getByRole('button', { name: 'Act for Northwind Payments' }).first().click();
        await page.getByRole('dialog').waitFor();
      },
    },
    {
      name: 'suspend-account',
      title: 'An account is suspended',
      path: '/operator/accounts',
      shows: 'Northwind Payments',
      async open(page) {
        await page.getByRole('button', { name: 'Actions for Northwind Payments' }).click();
        await page.getByRole('menuitem', { name: 'Suspend account' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    {
      name: 'service-settings',
      title: 'Operator > Settings',
      path: '/operator/settings',
      shows: 'COUNTERSIGN_PORT',
    },
    { name: 'health', title: 'Operator > System health', path: '/operator/health', shows: 'Replay guard' },
  ] satisfies readonly Omit<View, 'visitor'>[]
).map((view) => ({ ...view, visitor: 'operator' }));

/** Pastes the request, and checks it with its client's keys. */
async function explain(page: Page, request: string): Promise<void> {
  await page.getByRole('textbox', { name: /HTTP request, curl command/ }).fill(request);
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await page.getByRole('button', { name: /^Prove it with / }).click();
  await page.getByText('What is wrong').first().waitFor();
}

/** Names and titles of the views, known before a service runs. */
export const viewNames: readonly Pick<View, 'name' | 'title' | 'open'>[] = viewsOf({
  clientIds: [],
  mistaken: '',
  webhookId: '',
});
