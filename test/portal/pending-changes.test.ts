import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import { invite, type PortalService } from './scene.ts';
import { resize, signIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

/** A folder for pictures of each step; none are taken without it. */
const pictures = process.env['TEST_PICTURES'];

describe('a second person in the portal', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let ada: Visitor;
  let ben: Visitor;
  let page: Page;
  let owner: PortalSession;
  let clientId = '';

  before(async () => {
    const northwind = await openNorthwind();
    ({ service, browser, ada, page, owner } = northwind);
    await invite(service, owner, { name: 'Ben Okafor', email: 'ben@northwind.example', role: 'owner' });
    const body = {
      name: 'Payment service',
      networkWhitelist: [{ entry: '203.0.113.0/24', label: 'Office' }],
    };
    ({ clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', body));
    ben = await visit(browser, service.origin, { width: 1440, height: 900 });
    await signIn(ben, 'ben@northwind.example');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const picture = async (shown: Page, name: string): Promise<void> => {
    if (pictures === undefined) return;
    mkdirSync(pictures, { recursive: true });
    await shown.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  };

  it('is required by a switch among the security policies', async () => {
    await page.goto('/portal/settings/security');
    const toggle = page.getByRole('switch', { name: /Require a second person/ });
    // The switch is hidden below its track.
    await toggle.click({ force: true });
    await page.getByText(/Pending invitations to roles that can approve/).waitFor();
    await picture(page, 'policy-1440');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The policies were saved').waitFor();
    await page.getByRole('link', { name: 'Pending changes' }).waitFor();
  });

  it('is waited for instead of saying that something was saved, with a link to what waits', async () => {
    await page.goto(`/portal/integrations/api-keys/${clientId}/edit`);
    const entry = page.getByRole('textbox', { name: 'Address or network' });
    await entry.fill('0.0.0.0/0');
    await entry.press('Enter');
    await page.getByRole('button', { name: 'Allow any address' }).click();
    await page.getByRole('button', { name: 'Update', exact: true }).click();
    await page.getByText('Waits for a second person').first().waitFor();
    assert.ok(await page.getByRole('button', { name: 'Update', exact: true }).isDisabled(), 'asked once');
    await picture(page, 'network-waits-1440');
    await page.goto('/portal/integrations/api-keys');
    await page.getByRole('button', { name: 'Actions for Payment service' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    const typed = dialog.getByRole('textbox');
    if ((await typed.count()) > 0) await typed.fill('Payment service');
    await dialog.getByRole('button', { name: /^Revoke/ }).click();
    await dialog.getByText('Waits for a second person').waitFor();
    await picture(page, 'revoke-waits-1440');
    await dialog.getByRole('link', { name: 'See pending changes' }).click();
    await page.getByText('You asked for this. Someone else must approve it.').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0);
    await picture(page, 'own-1440');
  });

  it('sees what would change, in both languages, at every width', async () => {
    await ben.page.goto('/portal/');
    await ben.page.getByRole('link', { name: 'Pending changes' }).click();
    await ben.page.getByText('Revoke Payment service and all its keys').waitFor();
    await ben.page.getByRole('img', { name: '2 changes are waiting' }).waitFor();
    await picture(ben.page, 'queue-1440');
    assert.deepEqual(await accessibilityFaults(ben.page), []);
    for (const width of [390, 320]) {
      await resize(ben.page, width);
      assert.deepEqual(await stickingOut(ben.page), []);
      await picture(ben.page, `queue-${width}`);
    }
    await resize(ben.page, 1440);
    const german = await visit(browser, service.origin, { width: 1440, height: 900, locale: 'de-DE' });
    await signIn(german, 'ben@northwind.example');
    await german.page.goto('/portal/settings/pending-changes');
    await german.page.getByText('Netzwerk-Whitelist von Payment service öffnen').waitFor();
    await picture(german.page, 'queue-german-1440');
    await german.context.close();
  });

  it('is not needed for a temporary client, which then has no roles', async () => {
    await page.goto('/portal/try-it');
    await page.getByText('It gets no roles').waitFor();
    assert.equal(await page.getByText('Roles of the temporary client').count(), 0);
    await page.getByRole('button', { name: 'Add temporary client and send' }).click();
    await page.getByText('Temporary client added').first().waitFor();
  });

  it('rejects with a reason, and approves', async () => {
    const { page: his } = ben;
    const item = (title: string) => his.getByRole('listitem', { name: title });
    await item('Open the network whitelist of Payment service')
      .getByRole('button', { name: 'Reject' })
      .click();
    const dialog = his.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await dialog.getByText('Enter a reason.').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Only the office may call');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await his.getByText('The change was rejected').waitFor();
    await item('Revoke Payment service and all its keys').getByRole('button', { name: 'Approve' }).click();
    await picture(his, 'approve-1440');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await his.getByText('The change was approved and made').waitFor();
    await his.getByText('Nothing is waiting').waitFor();
    const client = await owner.send<{ status: string }>('GET', `/v1/clients/${clientId}`);
    assert.equal(client.status, 'revoked');
    await his.goto('/portal/settings/pending-changes?show=all');
    await his.getByText('Only the office may call').waitFor();
    await picture(his, 'decided-1440');
    await his.goto('/portal/settings/audit-log');
    await his.getByText(/approved the request to revoke/).waitFor();
    await picture(his, 'audit-1440');
    assert.deepEqual([...ada.complaints, ...ben.complaints], []);
  });
});
