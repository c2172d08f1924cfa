import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@countersign/contract';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import type { PortalSession } from './portal-session.ts';
import { addCustomer, invite, type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { signIn } from './showing.ts';

const office = '203.0.113.0/24';

describe('many clients in the portal', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let owner: PortalSession;
  let ada: Visitor;
  let page: Page;

  before(async () => {
    service = await startPortalService();
    const operator = await setUpOperator(service);
    owner = await addCustomer(service, operator, 'Northwind', {
      name: 'Ada',
      email: 'ada@northwind.example',
    });
    for (let index = 0; index < 60; index += 1) {
      const networkWhitelist = [{ entry: office, label: 'Office' }, { entry: '198.51.100.7' }];
      const tags = index < 55 ? ['partner'] : [];
      const name = `Client ${String(index).padStart(2, '0')}`;
      await owner.send('POST', '/v1/clients', { name, tags, networkWhitelist });
    }
    const only = [{ entry: office }];
    await owner.send('POST', '/v1/clients', {
      name: 'Client 99 <b>',
      tags: ['partner'],
      networkWhitelist: only,
    });
    browser = await openBrowser();
    ada = await visit(browser, service.origin);
    ({ page } = ada);
    await signIn(ada, 'ada@northwind.example');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const clients = async (query: string): Promise<readonly Client[]> =>
    (await owner.send<{ data: readonly Client[] }>('GET', `/v1/clients?limit=100&${query}`)).data;
  const box = (name: string): Locator => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const bar = (): Locator => page.getByRole('region', { name: 'Selected clients' });
  const choose = async (action: string): Promise<void> => {
    await bar().getByRole('button', { name: 'Change…' }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const dialog = (): Locator => page.getByRole('dialog');
  const button = (name: string | RegExp): Locator => dialog().getByRole('button', { name });

  it('a viewer sees no control, and the service refuses the change', async () => {
    const viewer = await invite(service, owner, {
      name: 'Vic',
      email: 'vic@northwind.example',
      role: 'viewer',
    });
    const vic = await visit(browser, service.origin);
    await signIn(vic, 'vic@northwind.example');
    await vic.page.goto('/portal/integrations/api-keys?sort=name');
    await vic.page.getByRole('link', { name: 'Client 00' }).waitFor();
    assert.equal(await vic.page.getByRole('checkbox').count(), 0);
    await vic.page.getByRole('link', { name: 'Client 00' }).click();
    await vic.page.getByText('6,000 (service default)').waitFor();
    assert.equal(await vic.page.getByRole('link', { name: 'Update', exact: true }).count(), 0);
    await assert.rejects(viewer.send('POST', '/v1/client-changes', { filter: {}, action: 'disable' }), /403/);
    await vic.context.close();
  });

  it('the table is sorted by its columns, and tells how many clients there are', async () => {
    await page.goto('/portal/integrations/api-keys');
    await page.getByText('50 of 61 clients').waitFor();
    const header = page.getByRole('columnheader', { name: 'Name' });
    await header.getByRole('button').click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await header.getByRole('button').click();
    await page.locator('th[aria-sort=descending]').waitFor();
    await page.getByRole('link', { name: 'Client 99 <b>' }).waitFor();
    assert.match(page.url(), /sort=-name/);
    assert.equal(
      await page
        .getByRole('link', { name: /^Client/ })
        .first()
        .textContent(),
      'Client 99 <b>',
    );
  });

  it('rows are selected from the keyboard, with shift a range of them', async () => {
    await page.goto('/portal/integrations/api-keys?sort=name');
    await box('Client 02').focus();
    await page.keyboard.press('Space');
    await bar().getByText('1 client selected').waitFor();
    await box('Client 05').focus();
    await page.keyboard.press('Shift+Space');
    await bar().getByText('4 clients selected').waitFor();
    await box('Client 03').click();
    await bar().getByText('3 clients selected').waitFor();
    await bar().getByRole('button', { name: 'Clear selection' }).click();
    await bar().waitFor({ state: 'detached' });
  });

  it('tags that are none are told before anything is asked of the service', async () => {
    await box('Client 02').click();
    await choose('Add tags');
    await button('Preview').click();
    await dialog().getByText('Enter at least one tag.').waitFor();
    await dialog().getByLabel('Tags').fill('Not a tag');
    await page.keyboard.press('Enter');
    await button('Preview').click();
    await dialog()
      .getByText(/^Use lower-case letters/)
      .waitFor();
    await button('Cancel').click();
    await dialog().waitFor({ state: 'detached' });
    assert.equal((await clients('search=Client 02'))[0]?.tags.length, 1);
  });

  it('a network is taken away from all that match: previewed, done, and undone', async () => {
    await page.goto('/portal/integrations/api-keys?tag=partner&sort=name');
    await box('Client 00').click();
    await bar().getByRole('button', { name: 'Select all 56 matching clients' }).click();
    await bar().getByText('All 56 matching clients are selected').waitFor();
    // Elsewhere on the page, the bar may lie over half of a row's buttons.
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await choose('Remove a network entry');
    await dialog().getByLabel('Address or network').fill('203.0.113.77/24');
    await button('Preview').click();
    await dialog().getByLabel('Address or network').and(page.locator('[aria-invalid=true]')).waitFor();
    await dialog().getByLabel('Address or network').fill(office);
    await button('Preview').click();
    await dialog().getByText('55 clients will change.').waitFor();
    await dialog().getByText('1 client can’t be changed:').waitFor();
    await dialog()
      .getByText(/This is the last entry/)
      .waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(
      new Set((await clients('tag=partner')).map(({ network }) => network.entries)),
      new Set([2, 1]),
    );
    await button('Change 55 clients').click();
    await dialog().getByText('55 clients changed.').waitFor();
    assert.deepEqual(
      new Set((await clients('tag=partner')).map(({ network }) => network.entries)),
      new Set([1]),
    );
    await button('Undo').click();
    await dialog().getByText('55 clients changed back.').waitFor();
    await button('Done').click();
    const whitelist = await owner.send<{ entries: readonly { entry: string; label: string }[] }>(
      'GET',
      `/v1/clients/${(await clients('search=Client 00'))[0]?.clientId}/network-whitelist`,
    );
    assert.deepEqual(
      whitelist.entries.map(({ entry, label }) => [entry, label]),
      [
        ['198.51.100.7', ''],
        [office, 'Office'],
      ],
    );
    const others = await clients('search=Client 5');
    assert.deepEqual(new Set(others.map(({ network }) => network.entries)), new Set([2]));
  });

  it('members and roles are counted and sorted too', async () => {
    const names = (): Promise<readonly string[]> =>
      page.getByRole('rowheader').evaluateAll((cells) => cells.map((cell) => cell.textContent));
    const sort = (name: string): Promise<void> =>
      page.getByRole('columnheader', { name }).getByRole('button').click();
    await page.goto('/portal/settings/team');
    await page.getByText('2 members').waitFor();
    await sort('Member');
    await page.locator('th[aria-sort=ascending]').waitFor();
    assert.match((await names()).join(' '), /Ada.*Vic/);
    await sort('Member');
    await page.locator('th[aria-sort=descending]').waitFor();
    assert.match((await names()).join(' '), /Vic.*Ada/);
    for (const name of ['b-role', 'a-role'])
      await owner.send('POST', '/v1/roles', { name, permissions: ['payments:read'] });
    await page.goto('/portal/settings/roles');
    await page.getByText(/^2 roles\. /).waitFor();
    await page
      .getByRole('table')
      .first()
      .getByRole('columnheader', { name: 'Name' })
      .getByRole('button')
      .click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    assert.match((await names()).join(' '), /a-role.*b-role/);
    assert.deepEqual(await accessibilityFaults(page), []);
  });

  it('on a phone too, and nothing sticks out', async () => {
    const phone = await visit(browser, service.origin, { width: 390, height: 800 });
    await signIn(phone, 'ada@northwind.example');
    ({ page } = phone);
    await page.goto('/portal/integrations/api-keys?sort=name');
    await box('Client 47').click();
    await box('Client 49').click({ modifiers: ['Shift'] });
    await bar().getByText('3 clients selected').waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    await choose('Disable');
    await button('Preview').click();
    await dialog().getByText('Their requests will be rejected until you enable them again.').waitFor();
    await button('Change 3 clients').click();
    await dialog().getByText('3 clients changed.').waitFor();
    assert.equal((await clients('status=disabled')).length, 3);
    await phone.context.close();
    ({ page } = ada);
  });

  it("a client's limits and metadata are changed with the rest of it", async () => {
    const [client] = await clients('search=Client 00');
    const path = `/portal/integrations/api-keys/${client?.clientId}`;
    const update = page.getByRole('button', { name: 'Update', exact: true });
    await page.goto(path);
    await page.getByText('6,000 (service default)').waitFor();
    await page.getByRole('link', { name: 'Update', exact: true }).click();
    const perMinute = page.getByLabel('Limit per minute for this client');
    const metadata = page.getByRole('textbox', { name: 'Metadata' });
    await page.getByText('Optional: up to 6,000, the default if empty.').first().waitFor();
    await perMinute.fill('six');
    await metadata.fill('owner');
    await update.click();
    await page
      .getByText('Enter a whole number from 1 to 10,000,000, or leave the field empty.')
      .first()
      .waitFor();
    await page
      .getByText(/^Line 1: write key = value/)
      .first()
      .waitFor();
    await perMinute.fill('9000');
    await metadata.fill('owner = Ada <script>\nurl = https://a.example/?x=1');
    await update.click();
    await page
      .getByText(/6,?000/)
      .last()
      .waitFor();
    assert.equal((await clients('search=Client 00'))[0]?.requestsPerMinuteMax, null);
    await perMinute.fill('60');
    await update.click();
    await page.getByText('60 (set for this client)').waitFor();
    await page.getByText('https://a.example/?x=1').waitFor();
    const [saved] = await clients('search=Client 00');
    assert.deepEqual(
      [saved?.requestsPerMinuteMax, saved?.metadata, saved?.tags],
      [60, { owner: 'Ada <script>', url: 'https://a.example/?x=1' }, ['partner']],
    );
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(ada.complaints, []);
  });
});
