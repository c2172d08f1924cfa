import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { openBrowser, skipWithoutBrowser, visit } from './browser.ts';
import { type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { signIn } from './showing.ts';

describe('a provider with many accounts', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let page: Page;

  before(async () => {
    service = await startPortalService();
    const operator = await setUpOperator(service);
    for (let index = 1; index <= 58; index++)
      await operator.send('POST', '/v1/accounts', { name: `Customer ${index}` });
    await operator.send('POST', '/v1/accounts', { name: 'Société Générale' });
    browser = await openBrowser();
    const visitor = await visit(browser, service.origin);
    ({ page } = visitor);
    await signIn(visitor, 'olga@provider.example');
    await page.goto('/portal/operator/accounts');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const rows = (): Locator => page.getByRole('table', { name: 'Accounts' }).locator('tbody tr');
  const search = (): Locator => page.getByRole('searchbox', { name: 'Search' });

  it('sees the first of them, and more when it asks', async () => {
    await page.getByRole('status').getByText('First 50 accounts').waitFor();
    assert.equal(await rows().count(), 50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('status').getByText('60 accounts').waitFor();
    assert.equal(await rows().count(), 60);
    assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);
  });

  it('adds an account and invites its owner in one dialog', async () => {
    await page.getByRole('button', { name: 'Add account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Zürich Trading');
    const email = dialog.getByRole('textbox', { name: 'Owner’s email (optional)' });
    await email.fill('nobody');
    await dialog.getByRole('button', { name: 'Add account' }).click();
    await dialog.getByText('Enter one email address, such as lee@example.com.').waitFor();
    await email.fill('zoe@zurich.example');
    await dialog.getByRole('button', { name: 'Add account' }).click();
    // This service sends no mail.
    await page.getByRole('dialog', { name: 'Invitation link' }).getByText('zoe@zurich.example').waitFor();
    const link = await page
      .getByRole('dialog')
      .getByText(/#token=/)
      .textContent();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const guest = await visit(browser, service.origin);
    await guest.page.goto(link ?? '');
    await guest.page.getByText('Zürich Trading').first().waitFor();
    await guest.context.close();
  });

  it('finds one among all of them, without its accents, at an address that can be sent to others', async () => {
    await search().fill('societe');
    await page.getByRole('status').getByText('1 account', { exact: true }).waitFor();
    assert.match((await rows().allTextContents()).join(), /Société Générale/);
    assert.equal(new URL(page.url()).search, '?search=societe');
    await page.reload();
    await page.getByRole('status').getByText('1 account', { exact: true }).waitFor();
    assert.equal(await search().inputValue(), 'societe');
  });

  it('keeps a search with characters that addresses escape', async () => {
    for (const text of ['100%25', 'a+b %2B', '50 % & more']) {
      await search().fill(text);
      await page.waitForURL((url) => url.searchParams.get('search') === text);
      await page.reload();
      await page.getByText('No matching accounts').waitFor();
      assert.equal(await search().inputValue(), text);
    }
  });

  it('is told what to look for when there is none, and gets the list back', async () => {
    await search().fill('nobody of this name');
    await page.getByText('No matching accounts').waitFor();
    await search().fill('');
    await page.getByRole('status').getByText('First 50 accounts').waitFor();
  });
});
