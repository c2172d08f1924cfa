import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { makeKeyPair } from '../../packages/server/test/key-pair.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import type { PortalSession } from './portal-session.ts';
import { addCustomer, type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { signIn } from './showing.ts';

describe('the forms of the portal', { skip: skipWithoutBrowser }, () => {
  const { publicKey } = makeKeyPair();
  let service: PortalService;
  let browser: Browser;
  let owner: PortalSession;
  let ada: Visitor;
  let page: Page;
  let clientId = '';

  before(async () => {
    service = await startPortalService();
    const person = { name: 'Ada Lindqvist', email: 'ada@northwind.example' };
    owner = await addCustomer(service, await setUpOperator(service), 'Northwind', person);
    const networkWhitelist = [{ entry: '203.0.113.0/24', label: 'Office' }];
    const body = { name: 'Payment service', roles: ['payments-reader'], networkWhitelist, publicKey };
    ({ clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', body));
    browser = await openBrowser();
    ada = await visit(browser, service.origin);
    ({ page } = ada);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const { activeElement } = document;
      const labels = activeElement instanceof HTMLInputElement ? activeElement.labels : undefined;
      return labels?.[0]?.textContent ?? activeElement?.getAttribute('aria-label') ?? '';
    });
  const add = (): Locator => page.getByRole('button', { name: 'Add', exact: true });
  const entries = async (): Promise<readonly string[]> => {
    const path = `/v1/clients/${clientId}/network-whitelist`;
    const whitelist = await owner.send<{ entries: readonly { entry: string }[] }>('GET', path);
    return whitelist.entries.map(({ entry }) => entry).toSorted();
  };

  it('focus the first mistake, which goes as it is corrected', async () => {
    await page.goto('/portal/sign-in');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    assert.equal(await focused(), 'Email');
    const email = page.getByLabel('Email');
    assert.equal(await email.getAttribute('aria-invalid'), 'true');
    await email.fill('ada');
    assert.equal(await email.getAttribute('aria-invalid'), 'true');
    await email.fill('ada@northwind.example');
    await page.locator('input[type=email]:not([aria-invalid=true])').waitFor();
    await signIn(ada, 'ada@northwind.example');
  });

  it('list all mistakes at the top, with the focus and links to the fields', async () => {
    await page.goto('/portal/integrations/api-keys/new');
    await add().click();
    const links = page.locator('a[href^="#client-"]');
    await links.nth(1).waitFor();
    assert.deepEqual(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))), [
      '#client-name',
      '#client-network',
    ]);
    assert.ok(await page.evaluate(() => document.activeElement?.querySelector('a[href="#client-name"]')));
    await links.first().click();
    assert.equal(await focused(), 'Name');
  });

  it('show a refusal beside the field it is about', async () => {
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Web shop');
    await page.getByLabel('Address or network').fill('203.0.113.7');
    await page.keyboard.press('Enter');
    // The page rejects a registered key itself, unless it cannot ask the service.
    await page.route('**/v1/keys/inspect*', (route) => route.abort());
    await page.getByRole('textbox', { name: 'Public key' }).fill(publicKey);
    await page.getByRole('button', { name: 'Copy Fingerprint' }).waitFor();
    await add().click();
    await page.locator('a[href="#client-publicKey"]').waitFor();
    assert.ok(
      await page.evaluate(() => document.activeElement?.querySelector('a[href="#client-publicKey"]')),
    );
    await page.unroute('**/v1/keys/inspect*');
  });

  it('edit a stored whitelist too, and save each change at once', async () => {
    await page.goto(`/portal/integrations/api-keys/${clientId}?tab=network`);
    const list = page.getByRole('list', { name: 'Whitelist entries' });
    await list.getByText('Office').waitFor();
    assert.equal(await list.getByRole('textbox').count(), 0);
    const remove = list.getByRole('button', { name: 'Remove 203.0.113.0/24' });
    assert.equal(await remove.getAttribute('aria-disabled'), 'true', 'the last entry stays');
    await page.getByLabel('Address or network').fill('2001:DB8::/48');
    await page.keyboard.press('Enter');
    await list.getByText('2001:db8::/48').waitFor();
    assert.deepEqual(await entries(), ['2001:db8::/48', '203.0.113.0/24']);
    await page.getByRole('button', { name: 'Test an address' }).click();
    await page.getByLabel('Address to test').fill('2001:db8::7');
    await page.getByText('2001:db8::7 is allowed, by 2001:db8::/48.').waitFor();
    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove entry' }).click();
    await list.getByText('203.0.113.0/24').waitFor({ state: 'detached' });
    assert.deepEqual(await entries(), ['2001:db8::/48']);
  });

  it('ask before a stored whitelist allows everyone', async () => {
    await page.getByLabel('Address or network').fill('0.0.0.0');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Allow any address?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await entries(), ['2001:db8::/48']);
  });
});
