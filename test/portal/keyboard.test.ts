import assert from 'node:assert/strict';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { KeyboardUser } from './keyboard.ts';
import { addCustomer, type PortalService, password, setUpOperator, startPortalService } from './scene.ts';

/* One story, like those of people: no mouse, and no program that fills in fields or sets the focus. */
describe('with the keyboard alone', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let owner: Visitor;
  let page: Page;
  let user: KeyboardUser;
  let clientId = '';
  let firstKey: KeyObject;

  before(async () => {
    service = await startPortalService();
    const person = { name: 'Ada Lindqvist', email: 'ada@northwind.example' };
    await addCustomer(service, await setUpOperator(service), 'Northwind', person);
    browser = await openBrowser();
    owner = await visit(browser, service.origin, { height: 640 });
    ({ page } = owner);
    user = new KeyboardUser(page);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  async function call(privateKey: KeyObject): Promise<void> {
    const signer = createSigner({ keyid: clientId, privateKey });
    const { url, headers } = signer.sign({ method: 'GET', url: `${service.origin}/v1/whoami` });
    const response = await fetch(url, { headers: { ...headers } });
    assert.equal(response.status, 200, await response.text());
  }

  it('somebody signs in', async () => {
    await page.goto('/portal/sign-in');
    await page.getByLabel('Email').waitFor();
    await user.type(/^email: Email/, 'ada@northwind.example');
    await user.type(/^password: Password/, password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('the first stop skips the navigation', async () => {
    await page.goto('/portal/');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('Tab');
    await user.comesTo(/^a: Skip to/);
    await page.keyboard.press('Enter');
    await user.comesTo(/^main:/);
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate(() => document.activeElement?.closest('main') !== null));
  });

  it('a navigation leads to the title of the next page', async () => {
    await user.tabTo(/^a: API Keys$/, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await user.comesTo(/^h1: API Keys/);
    await user.press(/^a: Add client/);
    await user.comesTo(/^h1: Add client/);
  });

  it('they add a client with a key pair that the page generates', async () => {
    await user.type(/^text: Name/, 'Payment service');
    for (const address of ['127.0.0.1', '::1']) {
      await user.tabTo(/^text: Address or network/, address === '::1' ? 'Shift+Tab' : 'Tab');
      await page.keyboard.type(address);
      await page.keyboard.press('Enter');
    }
    await user.tabTo(/^tab: Paste/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await user.comesTo(/^tab: Generate here/);
    await user.press(/^button: Generate key pair/);
    await page.getByText('Save the private key now').first().waitFor();
    const download = page.waitForEvent('download');
    await user.press(/^button: Download/);
    firstKey = createPrivateKey(await readFile(await (await download).path(), 'utf8'));
    await user.press(/^checkbox: I have saved the private key/, 'Space');
    await user.press(/^checkbox: payments-operator/, 'Space');
    await user.press(/^button: Add$/);
    await page.getByText('Waiting for the first signed request').first().waitFor();
    await user.comesTo(/^h1: Payment service was created/);
    clientId = new URL(page.url()).searchParams.get('added') ?? '';
    await call(firstKey);
    await page.getByText('The first signed request has arrived').first().waitFor();
  });

  it('they rotate its key', async () => {
    await user.press(/^a: Open client/);
    await user.comesTo(/^h1: Payment service/);
    await user.press(/^a: Rotate key/);
    await page.getByText('How long should both keys work?').waitFor();
    await user.tabTo(/^radio: 3 days/);
    await page.keyboard.press('ArrowUp');
    await user.press(/^button: Continue/);
    const next = makeKeyPair();
    await user.paste(/^textarea: /, next.publicKey);
    await page.getByRole('button', { name: 'Copy Fingerprint' }).waitFor();
    await user.press(/^button: Add new key/);
    await page.getByText('Waiting for the first request with the new key').first().waitFor();
    await call(createPrivateKey(next.privateKey));
    await page.getByText('The new key is in use').first().waitFor();
  });

  it('a dialog keeps the focus, and gives it back', async () => {
    await user.tabTo(/^button: Retire the old key now/);
    for (const leave of ['Escape', 'Cancel']) {
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      for (let count = 0; count < 8; count += 1) {
        await page.keyboard.press(count < 4 ? 'Tab' : 'Shift+Tab');
        await user.stop();
        const isWithin = await page.evaluate(
          () => document.activeElement?.closest('[role="dialog"]') !== null,
        );
        assert.ok(isWithin, `after ${count + 1} stops`);
      }
      await (leave === 'Escape' ? page.keyboard.press('Escape') : user.press(/^button: Cancel/));
      await dialog.waitFor({ state: 'detached' });
      await user.comesTo(/^button: Retire the old key now/);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await user.press(/^button: Revoke key now/);
    await page.getByText('Rotation complete').first().waitFor();
  });

  it('a menu opens, is walked through, and gives the focus back', async () => {
    await page.goto('/portal/integrations/api-keys');
    await page.getByRole('link', { name: 'Payment service' }).waitFor();
    await user.press(/^button: Actions for Payment service/);
    await user.comesTo(/^menuitem: /);
    await page.keyboard.press('ArrowDown');
    await user.comesTo(/^menuitem: /);
    await page.keyboard.press('Escape');
    await user.comesTo(/^button: Actions for Payment service/);
  });

  it('the focus was in sight at each stop', () => {
    assert.deepEqual([...new Set(user.unseen)], []);
    assert.deepEqual(owner.complaints, []);
  });
});
