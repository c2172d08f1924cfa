import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@countersign/contract';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import { invite, type PortalService } from './scene.ts';
import { signIn } from './showing.ts';

describe('the import of clients', { skip: skipWithoutBrowser }, () => {
  const { publicKey } = makeKeyPair();
  let service: PortalService;
  let browser: Browser;
  let owner: PortalSession;
  let ada: Visitor;
  let page: Page;

  before(async () => {
    ({ service, owner, browser, ada, page } = await openNorthwind());
    await page.goto('/portal/integrations/api-keys');
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByRole('heading', { level: 1, name: 'Import clients' }).waitFor();
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const clients = async (): Promise<readonly Client[]> =>
    (await owner.send<{ data: readonly Client[] }>('GET', '/v1/clients?limit=100')).data;
  const choose = async (files: Readonly<Record<string, string>>): Promise<void> => {
    await page.locator('input[type=file]').setInputFiles(
      Object.entries(files).map(([name, text]) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from(text),
      })),
    );
    await page.getByRole('button', { name: 'Check', exact: true }).click();
  };

  it('is not offered to a viewer', async () => {
    await invite(service, owner, { name: 'Vic', email: 'vic@northwind.example', role: 'viewer' });
    const vic = await visit(browser, service.origin);
    await signIn(vic, 'vic@northwind.example');
    await vic.page.goto('/portal/integrations/api-keys/import');
    await vic.page.getByText('Your role can’t add clients to this account.').waitFor();
    assert.equal(await vic.page.locator('input[type=file]').count(), 0);
    await vic.context.close();
  });

  it('says what is wrong with a file, and sends nothing of it', async () => {
    await choose({ 'clients.csv': 'name,network\n"Shop,10.0.0.1' });
    await page.getByText('Line 2: the quote that opens a cell is never closed.').waitFor();
    await choose({ 'clients.csv': 'name,colour\na,b' });
    await page.getByText(/^Unknown column: colour/).waitFor();
    assert.ok(!ada.sent.some((request) => request.includes('/v1/client-imports')));
  });

  it('previews each row, and imports only what was said to be imported', async () => {
    const rows = [
      '\uFEFFname;network;roles;tags;publicKeyFile;metadata.owner',
      '=cmd|A1;203.0.113.0/24 2001:db8::/48;payments-reader;partner;shop.pem;"Ada; Lovelace"',
      '<b>Bold</b>;203.0.113.77/24;no-such-role;;;',
      'Books;198.51.100.7;;Not-A-Tag;;',
      'Plain;198.51.100.8;;;;',
      '',
    ];
    await choose({ 'clients.csv': rows.join('\r\n'), 'shop.pem': publicKey });
    await page.getByText('2 of 4 clients can be imported').waitFor();
    await page.getByText(/^tags: ?Write a tag/).waitFor();
    await page.getByText(/^network: /).waitFor();
    assert.deepEqual(await clients(), []);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.setViewportSize({ width: 390, height: 800 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Import 2 clients' }).click();
    await page.getByText('2 clients imported').waitFor();
    const added = await clients();
    assert.deepEqual(added.map(({ name }) => name).toSorted(), ['=cmd|A1', 'Plain']);
    const shop = added.find(({ name }) => name === '=cmd|A1');
    assert.deepEqual(
      [shop?.tags, shop?.metadata, shop?.network.entries, shop?.keys.length],
      [['partner'], { owner: 'Ada; Lovelace' }, 2, 1],
    );
  });

  it('imports nothing twice when the same rows are sent again', async () => {
    await page.reload();
    await choose({ 'clients.csv': 'name;network\nPlain;198.51.100.8\n' });
    await page.getByText('Another client has this name. It will be added as well.').waitFor();
    const body = {
      clients: [{ name: 'Once', networkWhitelist: [{ entry: '10.0.0.1' }], roles: [], tags: [] }],
    };
    for (let count = 0; count < 2; count += 1) {
      await page.reload();
      await choose({ 'clients.csv': 'name,network\nOnce,10.0.0.1\n' });
      await page.getByRole('button', { name: 'Import 1 client' }).click();
      await page.getByText('1 client imported').waitFor();
    }
    assert.equal((await clients()).filter(({ name }) => name === 'Once').length, 1);
    const last = ada.sent.findLast((request) => request.includes('"name":"Once"')) ?? '';
    assert.ok(last.endsWith(JSON.stringify(body)));
    assert.deepEqual(ada.complaints, []);
  });
});
