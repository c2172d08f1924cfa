import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Locator, Page } from 'playwright-core';
import { apiKeys } from '../../packages/portal/src/messages/en/api-keys.ts';
import { client } from '../../packages/portal/src/messages/en/client.ts';
import { messageProfiles } from '../../packages/portal/src/messages/en/message-profiles.ts';
import { networkEditor } from '../../packages/portal/src/messages/en/network-editor.ts';
import { rotate } from '../../packages/portal/src/messages/en/rotate.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import type { PortalSession } from './portal-session.ts';
import { addCustomer, invite, type PortalService, setUpOperator, startPortalService } from './scene.ts';
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
  /** Pastes a key and presses a button before the browser draws again, which is sooner than anybody can. */
  const pasteAndPress = async (key: string, button: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Public key' }).focus();
    const pressed = await page.getByRole('button', { name: button, exact: true }).elementHandle();
    await page.evaluate(
      async ([text, element]) => {
        document.execCommand('insertText', false, text);
        await Promise.resolve();
        (element as HTMLElement).click();
      },
      [key, pressed] as const,
    );
  };
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

  it('ask only whether signatures may omit date, where the service accepts no other profile', async () => {
    await page.goto('/portal/integrations/api-keys/new');
    await page.getByText(apiKeys.form.settings, { exact: true }).click();
    const mayOmit = page.getByRole('checkbox', { name: apiKeys.form.mayOmitDate });
    await mayOmit.check();
    assert.equal(await page.getByRole('radiogroup').count(), 0);
    assert.equal(await page.getByRole('heading', { name: messageProfiles.title }).count(), 0);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Old shop');
    await page.getByLabel('Address or network').fill('203.0.113.7');
    await page.keyboard.press('Enter');
    await add().click();
    await page.getByRole('dialog').getByRole('button', { name: apiKeys.form.withoutKey.confirm }).click();
    await page.getByRole('heading', { name: apiKeys.result.title('Old shop') }).waitFor();
    const added = new URL(page.url()).searchParams.get('added') ?? '';
    const { profile } = await owner.send<{ profile: string }>('GET', `/v1/clients/${added}`);
    assert.equal(profile, 'countersign-without-date');
    await page.goto(`/portal/integrations/api-keys/${added}`);
    await page.getByText("Countersign's closed profile, without Date").waitFor();
    await page.goto(`/portal/integrations/api-keys/${added}/edit`);
    assert.equal(await mayOmit.isChecked(), true);
  });

  it('drop a mistake that is corrected in another field', async () => {
    await page.goto('/portal/integrations/api-keys/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Web shop');
    const address = page.getByLabel('Address or network');
    await address.fill('203.0.113.7');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Whitelist entries' }).getByText('203.0.113.7').waitFor();
    await address.fill('203.0.113.8');
    await add().click();
    await page.locator('a[href="#client-network"]').waitFor();
    assert.equal(await address.getAttribute('aria-invalid'), 'true');
    // The list lacks nothing; only the text in the field was to be added or removed.
    await address.fill('');
    await page.locator('a[href="#client-network"]').waitFor({ state: 'detached' });
    assert.notEqual(await address.getAttribute('aria-invalid'), 'true');
  });

  it('bring a refusal that concerns no field into view', async () => {
    await page.goto('/portal/integrations/api-keys/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Web shop');
    await page.getByLabel('Address or network').fill('203.0.113.7');
    await page.keyboard.press('Enter');
    const refusal = { code: 'storage_unavailable', status: 503, title: 'Unavailable', detail: 'Later.' };
    await page.route('**/v1/clients', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 503, contentType: 'application/problem+json', json: refusal })
        : route.continue(),
    );
    await page.evaluate(() => scrollTo(0, 0));
    await add().click();
    await page.getByRole('dialog').getByRole('button', { name: apiKeys.form.withoutKey.confirm }).click();
    await page.locator('main [role="alert"]').waitFor();
    await page.waitForFunction(() => {
      const box = document.querySelector('main [role="alert"]')?.getBoundingClientRect();
      return box !== undefined && box.top >= 0 && box.bottom <= innerHeight;
    });
    await page.unroute('**/v1/clients');
  });

  it('show a refusal beside the field it is about', async () => {
    await page.goto('/portal/integrations/api-keys/new');
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

  it('know of a pasted key before the next press', async () => {
    const pair = makeKeyPair();
    await page.goto('/portal/integrations/api-keys/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Web shop');
    await page.getByLabel('Address or network').fill('203.0.113.7');
    await page.keyboard.press('Enter');
    await pasteAndPress(pair.publicKey, 'Add');
    await page.getByRole('button', { name: 'Copy Fingerprint' }).waitFor();
    const asked = page.getByRole('dialog', { name: apiKeys.form.withoutKey.title });
    assert.equal(await asked.count(), 0, 'not asked whether to add a client without a key');
    await page.goto(`/portal/integrations/api-keys/${clientId}/rotate?step=key`);
    await pasteAndPress(pair.publicKey, rotate.key.submit);
    await page.getByText(rotate.deploy.title, { exact: true }).waitFor();
    await page.waitForURL('**/rotate?key=key_*');
  });

  it('offer the entry that was meant, and say what is special about one', async () => {
    await page.goto('/portal/integrations/api-keys/new');
    const address = page.getByLabel('Address or network');
    const list = page.getByRole('list', { name: 'Whitelist entries' });
    const offers = page.getByRole('group', { name: networkEditor.offers });
    await address.fill('203.0.113.77/24');
    assert.deepEqual(await offers.getByRole('button').allTextContents(), [
      'Add 203.0.113.0/24',
      'Add 203.0.113.77',
    ]);
    await offers.getByRole('button').nth(1).click();
    await list.getByText('203.0.113.77').waitFor();
    assert.equal(await address.inputValue(), '');
    await address.fill('198.51.100.8-198.51.100.12');
    await offers.getByRole('button').click();
    await list.getByText('198.51.100.8/30').waitFor();
    await list.getByText('198.51.100.12').waitFor();
    await address.fill('203.0.113.0 255.255.255.0');
    assert.deepEqual(await offers.getByRole('button').allTextContents(), ['Add 203.0.113.0/24']);
    for (const [text, kind] of [
      ['255.255.255.0', 'netmask'],
      ['192.168.0.0/16', 'private'],
      ['127.0.0.1', 'loopback'],
      ['240.1.2.3', 'reserved'],
    ] as const) {
      await address.fill(text);
      await page.getByText(networkEditor.special[kind]).waitFor();
      await page.keyboard.press('Enter');
      const item = list.getByRole('listitem').filter({ has: page.getByText(text, { exact: true }) });
      await item.getByText(networkEditor.special[kind]).waitFor();
    }
  });

  it('show the stored whitelist, and lead to where it is changed', async () => {
    await page.goto(`/portal/integrations/api-keys/${clientId}?tab=network`);
    const list = page.getByRole('list', { name: 'Whitelist entries' });
    await list.getByText('Office').waitFor();
    assert.equal(await page.getByRole('tabpanel').getByRole('textbox').count(), 0);
    assert.equal(await list.getByRole('button').count(), 0);
    await page.getByRole('button', { name: 'Test an address' }).click();
    await page.getByLabel('Address to test').fill('203.0.113.7');
    await page.getByText('203.0.113.7 is allowed by 203.0.113.0/24.').waitFor();
    await page.getByRole('link', { name: client.network.change }).click();
    await page.getByLabel('Address or network').fill('2001:DB8::/48');
    await page.keyboard.press('Enter');
    await list.getByRole('button', { name: 'Remove 203.0.113.0/24' }).click();
    assert.deepEqual(await entries(), ['203.0.113.0/24'], 'nothing is saved yet');
    await page.getByRole('button', { name: 'Update', exact: true }).click();
    await page.getByText(apiKeys.form.updated('Payment service')).waitFor();
    assert.deepEqual(await entries(), ['2001:db8::/48']);
  });

  it('are not shown to people who may not send them', async () => {
    const chiara = await visit(browser, service.origin);
    await invite(service, owner, { name: 'Chiara Rossi', email: 'chiara@northwind.example', role: 'viewer' });
    await signIn(chiara, 'chiara@northwind.example');
    for (const path of ['new', `${clientId}/edit`]) {
      await chiara.page.goto(`/portal/integrations/api-keys/${path}`);
      await chiara.page.getByText(apiKeys.form.mayNotTitle).waitFor();
      assert.equal(await chiara.page.locator('main').getByRole('textbox').count(), 0, path);
      assert.equal(await chiara.page.locator('main').getByRole('button').count(), 0, path);
    }
    await chiara.context.close();
  });

  it('ask before a whitelist allows everyone', async () => {
    await page.goto(`/portal/integrations/api-keys/${clientId}/edit`);
    await page.getByLabel('Address or network').fill('0.0.0.0');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Allow any address?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.ok(await page.getByRole('button', { name: 'Update', exact: true }).isDisabled());
    assert.deepEqual(await entries(), ['2001:db8::/48']);
  });

  it('start with an address that was rejected, which is saved with the rest', async () => {
    await page.goto(`/portal/integrations/api-keys/${clientId}/edit?allow=198.51.100.7#client-network`);
    const list = page.getByRole('list', { name: 'Whitelist entries' });
    await list.getByText('198.51.100.7').waitFor();
    assert.deepEqual(await entries(), ['2001:db8::/48']);
    await page.getByRole('button', { name: 'Update', exact: true }).click();
    await page.getByText(apiKeys.form.updated('Payment service')).waitFor();
    assert.deepEqual(await entries(), ['198.51.100.7', '2001:db8::/48']);
    for (const nothing of ['no%20address', '2001:db8::7', '%3Cscript%3E', ''])
      await page
        .goto(`/portal/integrations/api-keys/${clientId}/edit?allow=${nothing}`)
        .then(() =>
          page.getByRole('button', { name: 'Update', exact: true }).and(page.locator(':disabled')).waitFor(),
        );
  });
});
