import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import { invite, type PortalService } from './scene.ts';
import { resize, signIn } from './showing.ts';

interface Temporary {
  readonly clientId: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly network: object;
  readonly createdAt: string;
  readonly expiresAt: string;
}

describe('Try it', { skip: skipWithoutBrowser }, () => {
  const pair = makeKeyPair();
  let service: PortalService;
  let browser: Browser;
  let owner: PortalSession;
  let ada: Visitor;
  let page: Page;
  let clientId = '';

  before(async () => {
    ({ service, owner, browser, ada, page } = await openNorthwind());
    await invite(service, owner, { name: 'Vera', email: 'vera@northwind.example', role: 'viewer' });
    const networkWhitelist = [{ entry: '127.0.0.1' }, { entry: '::1' }];
    const client = { roles: ['payments-reader'], networkWhitelist };
    await owner.send('POST', '/v1/clients', { ...client, name: 'Without a key' });
    const body = { ...client, name: 'With a key', publicKey: pair.publicKey, acceptWithoutDate: true };
    ({ clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', body));
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const choose = async (name: string): Promise<void> => {
    await page.getByRole('combobox', { name: 'Client' }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  const send = (): Promise<void> => page.getByRole('button', { name: 'Sign and send' }).click();
  const part = (name: string): Promise<string | null> =>
    page.getByRole('region', { name, exact: true }).textContent();

  it('refuses paths that leave the API, and texts that are no key', async () => {
    await page.goto('/portal/try-it');
    await choose('With a key');
    const path = page.getByRole('textbox', { name: 'Path' });
    for (const wrong of ['@evil.example/', 'v1/whoami', '/v1/payments/{paymentId}']) {
      await path.fill(wrong);
      await page.locator('input[aria-invalid=true]').waitFor();
    }
    await path.fill('/v1/signature-test');
    await page.getByText('Your key', { exact: true }).click();
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText('Paste a private key or choose its file.').waitFor();
    const text = page.getByRole('textbox', { name: 'Private key (PEM or Base64)' });
    await text.fill('-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----');
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.locator('textarea[aria-invalid=true]').first().waitFor();
    assert.equal(await text.inputValue(), '');
    assert.equal(await page.getByRole('button', { name: 'Sign and send' }).isDisabled(), true);
  });

  it('doesn’t register a key that would retire the one in use', async () => {
    await page.goto('/portal/try-it');
    await choose('With a key');
    await page.getByText('This client has a key in use.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Generate and register' }).count(), 0);
  });

  it('signs with the person’s key, which is in no request and no storage', async () => {
    await page.goto('/portal/try-it?operation=testSignatureByPost');
    await choose('With a key');
    assert.equal(await page.getByRole('textbox', { name: 'Path' }).inputValue(), '/v1/signature-test');
    await page.getByRole('textbox', { name: 'Body (optional)' }).fill('{"hello":"page"}');
    await page.getByText('Your key', { exact: true }).click();
    const file = {
      name: 'private.pem',
      mimeType: 'application/x-pem-file',
      buffer: Buffer.from(pair.privateKey),
    };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('This page has a key for the client.').waitFor();
    await send();
    await page.getByText('The signature was accepted').waitFor();
    assert.match((await part('Response')) ?? '', new RegExp(`HTTP/1.1 200[^]*"clientId": "${clientId}"`));
    assert.match(
      (await part('Signature base')) ?? '',
      /^"@method": POST\n"@target-uri": [^]*"content-digest": /,
    );
    assert.match((await part('Sent request')) ?? '', /Signature-Input: sig=[^]*\{"hello":"page"\}$/);
    await page.getByRole('button', { name: 'Forget this key' }).click();
    await page.getByText('Add a key first.').waitFor();
    // The same key as text.
    await page.getByRole('textbox', { name: 'Private key (PEM or Base64)' }).fill(pair.privateKey);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText('This page has a key for the client.').waitFor();
    await send();
    await page.getByText('The signature was accepted').waitFor();

    const lines = pair.privateKey.split('\n').filter((line) => /^[\w+/=]{40,}$/.test(line));
    assert.ok(lines.length > 10);
    const stored = await page.evaluate(async () => ({
      storage: JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
      databases: await indexedDB.databases(),
      caches: await caches.keys(),
      document: document.documentElement.outerHTML,
      fields: [...document.querySelectorAll('input, textarea')].map(
        (field) => (field as HTMLInputElement).value,
      ),
    }));
    assert.deepEqual([stored.databases, stored.caches], [[], []]);
    const places = [...ada.sent, stored.storage, stored.document, ...stored.fields].join('\n');
    assert.ok(places.includes('/v1/signature-test'));
    for (const line of lines) assert.ok(!places.includes(line));
    const signed = ada.sent.filter((request) => /^signature-input: /im.test(request));
    assert.equal(signed.length, 2);
    for (const request of signed) assert.doesNotMatch(request, /^cookie: /im);
  });

  it('registers a temporary key, explains a refusal, and revokes the key', async () => {
    await page.goto('/portal/try-it?operation=getWhoami');
    await choose('Without a key');
    await page.getByText('This client requires a signed Date header').waitFor();
    await page.getByRole('button', { name: 'Generate and register' }).click();
    await page.getByText('This page has a key for the client.').waitFor();
    await send();
    await page.getByText('Rejected with status 401').waitFor();
    assert.equal(
      await page.getByRole('link', { name: 'components_invalid' }).first().getAttribute('href'),
      '/portal/docs/errors#components_invalid',
    );
    await page.getByRole('link', { name: 'Open in the request log' }).waitFor();
    await page.getByRole('button', { name: 'Allow signatures without “date”' }).click();
    await page.getByText('This client requires a signed Date header').waitFor({ state: 'detached' });
    await send();
    await page.getByText('The signature was accepted').waitFor();
    await page.getByRole('button', { name: 'Revoke temporary key' }).click();
    await page.getByText('Add a key first.').waitFor();
    const list = await owner.send<{ data: { clientId: string; name: string }[] }>('GET', '/v1/clients');
    const { clientId: other } = list.data.find(({ name }) => name === 'Without a key')!;
    const keys = await owner.send<{ data: { status: string; endsAt: string; createdAt: string }[] }>(
      'GET',
      `/v1/clients/${other}/keys`,
    );
    assert.deepEqual(
      keys.data.map(({ status }) => status),
      ['revoked'],
    );
    const [key] = keys.data;
    assert.ok(Date.parse(key!.endsAt) - Date.parse(key!.createdAt) <= 16 * 60_000);
  });

  it('adds a temporary client with one click, signs with its key, and forgets both', async () => {
    await page.goto('/portal/try-it');
    const earlier = ada.sent.length;
    await page.getByRole('button', { name: 'Add temporary client and send' }).click();
    await page.getByText('The signature was accepted').waitFor();
    await page.getByText('The client expires in').waitFor();
    const list = await owner.send<{ data: Temporary[] }>('GET', '/v1/clients?search=Try+it');
    const [client] = list.data;
    assert.equal(list.data.length, 1);
    assert.match(client?.name ?? '', /^Try it: /);
    assert.deepEqual([client?.roles, client?.network], [[], { entries: 1, isEveryone: false }]);
    const lifeMs = Date.parse(client!.expiresAt) - Date.parse(client!.createdAt);
    assert.ok(lifeMs > 14 * 60_000 && lifeMs < 16 * 60_000);
    assert.match(
      (await part('Response')) ?? '',
      new RegExp(`HTTP/1.1 200[^]*"clientId": "${client!.clientId}"`),
    );
    const sent = ada.sent.slice(earlier);
    assert.equal(sent.filter((request) => /^signature-input: /im.test(request)).length, 1);
    for (const request of sent) assert.doesNotMatch(request, /PRIVATE KEY/);
    // It can be used again, and is not sent again by itself.
    await send();
    await page.getByText('The signature was accepted').waitFor();
    await page.goto('/portal/integrations/api-keys');
    await page
      .getByText(/Temporary, expires in 1[45] minutes/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: client!.name }).click();
    await page
      .getByText(/Temporary, expires in 1[45] minutes/)
      .first()
      .waitFor();
  });

  it('has the command that sends the same', async () => {
    await page.goto('/portal/try-it');
    await choose('With a key');
    await page.getByRole('textbox', { name: 'Path' }).fill("/v1/signature-test?a=it's");
    const command = await part('Command');
    assert.equal(
      command,
      `countersign request GET '${service.origin}/v1/signature-test?a=it%27s' --client-id ${clientId} --key private.pem`,
    );
  });

  it('offers a viewer nothing that would fail', async () => {
    const vera = await visit(browser, service.origin);
    await signIn(vera, 'vera@northwind.example');
    await vera.page.goto('/portal/try-it');
    await vera.page.getByRole('combobox', { name: 'Client' }).waitFor();
    assert.equal(await vera.page.getByRole('button', { name: 'Add temporary client and send' }).count(), 0);
    await vera.page.getByRole('combobox', { name: 'Client' }).click();
    await vera.page.getByRole('option', { name: 'Without a key' }).click();
    await vera.page.getByText('Your role can’t register keys.').waitFor();
    for (const name of [
      'Generate and register',
      'Allow signatures without “date”',
      'Add temporary client and send',
    ])
      assert.equal(await vera.page.getByRole('button', { name }).count(), 0);
    await vera.context.close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible and fits, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.goto('/portal/try-it');
      await page.getByRole('button', { name: 'Add temporary client and send' }).waitFor();
      await page.getByRole('group', { name: 'Roles of the temporary client' }).waitFor();
      assert.deepEqual(await accessibilityFaults(page, { isColoursOnly: colorScheme === 'dark' }), []);
      await choose('Without a key');
      await page.getByRole('button', { name: 'Generate and register' }).waitFor();
      for (const width of [390, 1024, 1440]) {
        await resize(page, width);
        assert.deepEqual(await accessibilityFaults(page, { isColoursOnly: colorScheme === 'dark' }), []);
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(beyond <= 0, `sticks out by ${beyond} px at ${width}`);
      }
    });
  }

  it('breaks no rule of the security policy', () => {
    assert.deepEqual(ada.complaints, []);
  });
});
