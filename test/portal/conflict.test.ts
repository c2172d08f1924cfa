import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Dialog, Locator, Page } from 'playwright-core';
import { apiKeys } from '../../packages/portal/src/messages/en/api-keys.ts';
import { skipWithoutBrowser, type Visitor } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import { invite, type PortalService } from './scene.ts';

interface Client {
  readonly clientId: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly tags: readonly string[];
}

describe('two people who change one client', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let ada: Visitor;
  let page: Page;
  let ben: PortalSession;
  let edit = '';
  let client = '';

  before(async () => {
    const northwind = await openNorthwind();
    const { owner } = northwind;
    ({ service, browser, ada, page } = northwind);
    ben = await invite(service, owner, { name: 'Ben Okafor', email: 'ben@northwind.example', role: 'admin' });
    const { clientId } = await owner.send<Client>('POST', '/v1/clients', {
      name: 'Payment service',
      roles: ['payments-reader'],
      networkWhitelist: [{ entry: '203.0.113.0/24', label: 'Office' }],
      publicKey: makeKeyPair().publicKey,
    });
    client = `/v1/clients/${clientId}`;
    edit = `/portal/integrations/api-keys/${clientId}/edit`;
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const name = (): Locator => page.getByRole('textbox', { name: 'Name', exact: true });
  const update = (): Locator => page.getByRole('button', { name: 'Update', exact: true });
  const dialog = (): Locator => page.getByRole('dialog', { name: 'Someone else changed this' });

  async function benRenames(next: string): Promise<void> {
    await ben.send('PATCH', client, { name: next }, { 'If-Match': '*' });
  }

  /** Ada writes a name; Ben saves another one meanwhile; Ada sends hers. */
  async function collide(mine: string, theirs: string): Promise<void> {
    await page.goto(edit);
    await name().fill(mine);
    await benRenames(theirs);
    await update().click();
    await dialog().waitFor();
  }

  async function row(label: string): Promise<readonly string[]> {
    const cells = dialog().getByRole('row', { name: label }).locator('th, td');
    return (await cells.allTextContents()).map((text) => text.trim());
  }

  it('the second one sees both versions side by side, and nothing is saved', async () => {
    await collide('Payments of Ada', 'Payments of Ben');
    assert.deepEqual(await row('Name'), ['Name different', 'Payments of Ada', 'Payments of Ben']);
    assert.equal(await dialog().getByRole('row').count(), 2, 'only what both changed');
    assert.equal((await ben.send<Client>('GET', client)).name, 'Payments of Ben');
  });

  it('closing it leads back to the form, with what was entered', async () => {
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    assert.equal(await name().inputValue(), 'Payments of Ada');
    await update().click();
    await dialog().waitFor();
  });

  it('they can take what is there now, and go on from it', async () => {
    await dialog().getByRole('button', { name: 'Discard my changes' }).click();
    await dialog().waitFor({ state: 'detached' });
    assert.equal(await name().inputValue(), 'Payments of Ben');
    assert.ok(await update().isDisabled());
    await name().fill('Payments of both');
    await update().click();
    await page.getByRole('heading', { level: 1, name: 'Payments of both' }).waitFor();
  });

  it('they can save their own version over it', async () => {
    await collide('Payments of Ada', 'Payments of Ben, again');
    await dialog().getByRole('button', { name: 'Save my version' }).click();
    await page.getByRole('heading', { level: 1, name: 'Payments of Ada' }).waitFor();
    const saved = await ben.send<Client>('GET', client);
    assert.deepEqual([saved.name, saved.roles], ['Payments of Ada', ['payments-reader']]);
  });

  it('what only one of them changed is kept, without a question', async () => {
    await page.goto(edit);
    await name().fill('Payments of two');
    await ben.send('PATCH', client, { tags: ['eu'], roles: [] }, { 'If-Match': '*' });
    await update().click();
    await page.getByText(apiKeys.form.updatedWithOthers('Payments of two')).waitFor();
    const saved = await ben.send<Client>('GET', client);
    assert.deepEqual([saved.name, saved.roles, saved.tags], ['Payments of two', [], ['eu']]);
  });

  it('a second try after a failure takes back nothing that the other one saved', async () => {
    await ben.send('PATCH', client, { roles: ['payments-reader'] }, { 'If-Match': '*' });
    await page.goto(edit);
    await name().fill('Payments, tried twice');
    await page.getByLabel('Address or network').fill('192.0.2.7');
    await page.keyboard.press('Enter');
    await ben.send('PATCH', client, { roles: [] }, { 'If-Match': '*' });
    await page.route('**/network-whitelist', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await update().click();
    await page.getByText(apiKeys.form.partly).waitFor();
    await page.unroute('**/network-whitelist');
    await update().click();
    await page.getByRole('heading', { level: 1, name: 'Payments, tried twice' }).waitFor();
    assert.deepEqual((await ben.send<Client>('GET', client)).roles, []);
    const { entries } = await ben.send<{ entries: { entry: string }[] }>(
      'GET',
      `${client}/network-whitelist`,
    );
    assert.ok(entries.some(({ entry }) => entry === '192.0.2.7'));
  });

  it('who is overtaken once more while they choose is asked once more', async () => {
    await collide('Payments of Ada, later', 'Payments of Ben, first');
    await benRenames('Payments of Ben, second');
    await dialog().getByRole('button', { name: 'Save my version' }).click();
    await dialog().getByText('Payments of Ben, second').waitFor();
    assert.equal((await ben.send<Client>('GET', client)).name, 'Payments of Ben, second');
  });

  describe('what is not saved', () => {
    const question = (): Locator => page.getByRole('dialog', { name: 'Leave without saving?' });
    const apiKeysLink = (): Locator => page.getByRole('link', { name: 'API Keys', exact: true }).first();

    before(async () => {
      await page.goto('/portal/integrations/api-keys');
      await page.getByRole('button', { name: /^Actions for / }).click();
      await page.getByRole('menuitem', { name: 'Update' }).click();
      await update().waitFor();
    });

    it('is not guarded before there is anything', async () => {
      await page.getByRole('link', { name: 'Overview', exact: true }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.goBack();
      await update().waitFor();
    });

    it('stays when a link was followed by mistake', async () => {
      await name().fill('Half a na');
      await apiKeysLink().click();
      await question().getByRole('button', { name: 'Stay on this page' }).click();
      await question().waitFor({ state: 'detached' });
      assert.ok(page.url().endsWith('/edit'), page.url());
      assert.equal(await name().inputValue(), 'Half a na');
    });

    it("stays when the browser's button was pressed by mistake", async () => {
      await page.evaluate(() => history.back());
      await question().getByRole('button', { name: 'Stay on this page' }).click();
      await question().waitFor({ state: 'detached' });
      assert.ok(page.url().endsWith('/edit'), page.url());
      assert.equal(await name().inputValue(), 'Half a na');
    });

    it('makes the browser ask when the page is loaded anew', async () => {
      const asked = page.waitForEvent('dialog');
      await page.evaluate(() => void setTimeout(() => location.reload()));
      const browsers: Dialog = await asked;
      assert.equal(browsers.type(), 'beforeunload');
      await browsers.dismiss();
      assert.equal(await name().inputValue(), 'Half a na');
    });

    it('is left behind when they say so', async () => {
      await apiKeysLink().click();
      await question().getByRole('button', { name: 'Leave without saving' }).click();
      await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
      assert.deepEqual(ada.complaints, []);
    });
  });
});
