import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPairFor } from '@countersign/testing/key-pair';
import type { Browser, Page } from 'playwright-core';
import { keyInput } from '../../packages/portal/src/messages/en/key-input.ts';
import { rotate } from '../../packages/portal/src/messages/en/rotate.ts';
import { snippets } from '../../packages/portal/src/messages/en/snippets.ts';
import { skipWithoutBrowser } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import type { PortalService } from './scene.ts';

describe('the file of a private key', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let owner: PortalSession;
  let browser: Browser;
  let page: Page;
  let clientId = '';
  let first = '';
  let second: { readonly name: string; readonly privateKey: string };

  before(async () => {
    ({ service, owner, browser, page } = await openNorthwind());
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Generates a key pair in the page, and returns the file that it saves. */
  async function generateHere(): Promise<{ readonly name: string; readonly privateKey: string }> {
    await page.getByRole('tab', { name: keyInput.ways.generate }).click();
    // 4,096 bits take seconds; the size does not matter here.
    await page.getByLabel(keyInput.generate.kind).selectOption('2048');
    await page.getByRole('button', { name: keyInput.generate.action }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: keyInput.generated.download, exact: true }).click();
    const file = await download;
    await page.getByRole('checkbox', { name: keyInput.generated.confirm }).check();
    return { name: file.suggestedFilename(), privateKey: await readFile(await file.path(), 'utf8') };
  }

  const program = (): Promise<string> =>
    page.getByRole('region', { name: snippets.code('curl') }).innerText();

  it('has the name that the programs read, whatever the client is called', async () => {
    await page.goto('/portal/integrations/api-keys/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('../Web "shop" $HOME');
    await page.getByLabel('Address or network').fill('127.0.0.1');
    await page.keyboard.press('Enter');
    first = (await generateHere()).name;
    assert.match(first, /^web-shop-home-[a-z0-9]{8}-private\.pem$/);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.waitForURL('**/new?added=*');
    clientId = new URL(page.url()).searchParams.get('added') ?? '';
    assert.ok((await program()).includes(`PRIVATE_KEY='${first}'`));
  });

  it('can be another one, which the programs then read', async () => {
    await page.getByLabel(snippets.privateKeyFile).fill("keys/it's.pem");
    assert.ok((await program()).includes(String.raw`PRIVATE_KEY='keys/it'\''s.pem'`));
    await page.getByLabel(snippets.privateKeyFile).fill('');
    assert.ok((await program()).includes(`PRIVATE_KEY='${first}'`));
  });

  it('is another file for the new key of a rotation', async () => {
    await page.goto(`/portal/integrations/api-keys/${clientId}/rotate?step=key`);
    second = await generateHere();
    assert.match(second.name, /^web-shop-home-[a-z0-9]{8}-private\.pem$/);
    assert.notEqual(second.name, first);
    await page.getByRole('button', { name: rotate.key.submit }).click();
    await page.getByText(rotate.deploy.snippet).click();
    assert.ok((await program()).includes(`PRIVATE_KEY='${second.name}'`));
  });

  it('of the new key in use does not make retiring the old one the first thing to do', async () => {
    const signer = createSigner({ keyid: clientId, privateKey: second.privateKey });
    const { method, url, headers } = signer.sign({
      method: 'GET',
      url: `${service.origin}/v1/signature-test`,
    });
    assert.equal((await fetch(url, { method, headers })).status, 200);
    const retire = page.getByRole('button', { name: rotate.switch.retireNow });
    await retire.waitFor();
    assert.equal(await retire.getAttribute('data-variant'), 'default');
    assert.equal(await page.locator('main [data-variant="filled"]').count(), 0);
  });

  it('of a kind that a program lacks is named before it is tried', async () => {
    const { publicKey } = makeKeyPairFor('ecdsa-p256-sha256');
    const networkWhitelist = [{ entry: '127.0.0.1' }];
    const body = { name: 'On a curve', roles: ['payments-reader'], networkWhitelist, publicKey };
    const added = await owner.send<{ clientId: string }>('POST', '/v1/clients', body);
    await page.goto(`/portal/integrations/api-keys/${added.clientId}?tab=snippets`);
    const notice = page.getByText(snippets.rsaOnly.title('ECDSA P-256'));
    await page.getByRole('tab', { name: 'Ruby' }).click();
    await notice.waitFor();
    await page.getByText(snippets.rsaOnly.withPackage).waitFor();
    await page.getByRole('tab', { name: 'Go', exact: true }).click();
    await page.getByRole('region', { name: snippets.code('Go') }).waitFor();
    assert.equal(await notice.count(), 0);
    await page.getByText(snippets.withoutPackage).click();
    await notice.waitFor();
    await page.getByText(snippets.rsaOnly.withoutPackage).waitFor();
  });
});
