import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { skipWithoutBrowser } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';

/* A trusted proxy in front says where the browser is. */
describe('the allowed networks of an account', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let page: Page;

  before(async () => {
    ({ service, browser, page } = await openNorthwind({ COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1,::1' }));
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const isAt = (address: string): Promise<void> => page.setExtraHTTPHeaders({ 'X-Forwarded-For': address });
  const add = async (entry: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Address or network' }).fill(entry);
    await page.getByRole('button', { name: 'Add entry' }).click();
  };
  const save = (): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();

  it('warns of a list without the own address, and the service rejects it', async () => {
    await isAt('203.0.113.7');
    await page.goto('/portal/settings/security');
    await page.getByText('members can use this account from everywhere').waitFor();
    await add('0.0.0.0/0');
    await page.getByText('An entry that allows every address restricts nothing').waitFor();
    await add('198.51.100.0/24');
    await page.getByText('Your own address, 203.0.113.7, isn’t in this list').waitFor();
    assert.equal(await page.getByText('An entry that allows every address').count(), 0);
    await save();
    await page.getByText('The list excludes your own address').waitFor();
  });

  it('saves a list with the own address', async () => {
    await page.getByRole('button', { name: 'Add this browser’s address, 203.0.113.7' }).click();
    await save();
    await page.getByText('The policies were saved').waitFor();
    assert.equal(await page.getByText('isn’t in this list').count(), 0);
    const list = page.getByRole('list', { name: 'Allowed networks' });
    assert.deepEqual(await list.locator('code').allInnerTexts(), ['198.51.100.0/24', '203.0.113.7']);
  });

  it('an open page notices that it is elsewhere now, and the profile still works', async () => {
    await isAt('192.0.2.1');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { name: 'Northwind can’t be used from here' }).waitFor();
    await page.getByText('your address is 192.0.2.1').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Team' }).count(), 0);
    await page.getByRole('main').getByRole('link', { name: 'My profile' }).click();
    await page.getByText('This session').waitFor();
  });

  it('is usable again from an allowed network, and the audit log has the change', async () => {
    await isAt('198.51.100.20');
    await page.goto('/portal/settings/audit-log');
    await page.getByText('changed the security policies: added').first().waitFor();
  });
});
