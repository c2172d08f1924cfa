import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { palette } from '../../packages/portal/src/messages/en/palette.ts';
import { requests } from '../../packages/portal/src/messages/en/requests.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { resize, signIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

describe('the first screen of a list', { skip: skipWithoutBrowser }, () => {
  let service: LivedInService;
  let browser: Browser;
  let ada: Visitor;
  let page: Page;

  before(async () => {
    service = await startLivedInService(1);
    browser = await openBrowser();
    ada = await visit(browser, service.origin, { width: 1440, height: 900 });
    ({ page } = ada);
    await signIn(ada, 'ada@northwind.example');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const rows = (): Locator => page.locator('main tbody tr');
  const control = (name: string): Locator => page.getByRole('combobox', { name, exact: true });
  const cause = (name: string): Locator => page.getByRole('button', { name: new RegExp(`^${name} \\d+$`) });

  interface Row {
    /** From the top of the screen. */
    readonly top: number;
    readonly bottom: number;
    readonly height: number;
  }

  async function rowsOf(path: string): Promise<readonly Row[]> {
    await page.goto(`/portal${path}`);
    await rows().first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    return rows().evaluateAll((all) =>
      all.map((row) => {
        const { top, bottom, height } = row.getBoundingClientRect();
        return { top, bottom, height };
      }),
    );
  }

  it('of requests begins above 260 px and has twelve or more, one line each', async (t) => {
    const all = await rowsOf('/logs/requests');
    const inView = all.filter(({ bottom }) => bottom <= 900);
    const [first] = all;
    t.diagnostic(`first row at ${first!.top} px, ${inView.length} rows in view, ${first!.height} px each`);
    assert.ok(first!.top < 260, `the first row is at ${first!.top} px`);
    assert.ok(inView.length >= 12, `${inView.length} rows are in view`);
    assert.deepEqual(
      all.filter(({ height }) => height < 40 || height > 44),
      [],
    );
  });

  it('names causes of failures, each of which filters the list and is a way to its latest request', async () => {
    await page.goto('/portal/logs/requests');
    await cause('Address not allowed').click();
    await page.waitForURL(/outcome=network_not_allowed/);
    assert.equal(await cause('Address not allowed').getAttribute('aria-pressed'), 'true');
    assert.equal(await control(requests.outcome).inputValue(), 'Address not allowed');
    // The number of the chip is the number of requests in the list.
    const count = Number(/\d+/.exec(await cause('Address not allowed').innerText())?.[0]);
    const totals = { count, accepted: 0, observed: 0, refused: count, isComplete: true };
    await page.getByText(requests.totals(totals)).waitFor();
    await cause('Address not allowed').click();
    await page.waitForURL(/requests$/);
    await page.getByRole('link', { name: requests.lookAtLastOf('Address not allowed') }).click();
    await page
      .getByRole('region', { name: requests.detail, exact: true })
      .getByText('network_not_allowed')
      .first()
      .waitFor();
  });

  it('has filters that are removed one by one from the keyboard, and keep the focus', async () => {
    await page.goto('/portal/logs/requests?outcome=refused&status=4xx&period=7d');
    const remove = (name: string): Locator => page.getByRole('button', { name: `Clear ${name}` });
    await remove('Status').press('Enter');
    await page.waitForURL(/outcome=refused&period=7d$/);
    assert.equal(await control('Status').evaluate((field) => field === document.activeElement), true);
    await remove('Period').press('Enter');
    await page.waitForURL(/outcome=refused$/);
    assert.equal(await control('Period').inputValue(), 'Last 24 hours');
    assert.equal(await remove('Period').count(), 0);
    await remove('Outcome').press('Enter');
    await page.waitForURL(/requests$/);
  });

  it('of clients begins with the newest, and has 44 to 52 px for each', async (t) => {
    const name = 'Nightly reconciliation of the archive in Gothenburg';
    const tags = ['production', 'team-payments-and-settlements', 'eu'];
    const networkWhitelist = [{ entry: '0.0.0.0' }];
    await service.owner.send('POST', '/v1/clients', { name, tags, networkWhitelist });
    const all = await rowsOf('/integrations/api-keys');
    t.diagnostic(`first row at ${all[0]!.top} px, rows of ${all.map(({ height }) => height).join(', ')} px`);
    assert.ok(all[0]!.top < 260, `the first row is at ${all[0]!.top} px`);
    assert.equal(all.length, service.clientIds.length + 1);
    assert.deepEqual(
      all.filter(({ height }) => height < 44 || height > 52),
      [],
    );
    await rows().first().getByRole('link', { name }).waitFor();
    assert.equal(await control('Sort by').inputValue(), 'Newest first');
    // A row of filters, also with the button that clears them.
    for (const path of ['', '?tag=production&status=active']) {
      await rowsOf(`/integrations/api-keys${path}`);
      const bar = page.getByRole('search', { name: 'Filter clients' });
      assert.ok((await bar.boundingBox())!.height < 40, `the filters take more than a line: ${path}`);
    }
  });

  it('has hints for the mouse and the keyboard, and none before', async () => {
    await rowsOf('/integrations/api-keys');
    const hint = page.getByRole('tooltip');
    assert.equal(await hint.count(), 0);
    const copy = rows()
      .first()
      .getByRole('button', { name: /^Copy / });
    const name = (await copy.getAttribute('aria-label')) ?? '';
    await copy.hover();
    await hint.getByText(name, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await hint.waitFor({ state: 'detached' });
    await page.mouse.move(0, 0);
    await rows().first().getByRole('checkbox').focus();
    while (!(await copy.evaluate((button) => button === document.activeElement)))
      await page.keyboard.press('Tab');
    await hint.getByText(name, { exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await hint.waitFor({ state: 'detached' });
    await page.goto('/portal/settings/audit-log');
    await page.locator('main ol time').first().hover();
    await hint.getByText(/\d{4}/).waitFor();
  });

  it('asks before a client of a row is revoked, and gives the focus back to its menu', async () => {
    await rowsOf('/integrations/api-keys');
    const menu = rows()
      .first()
      .getByRole('button', { name: /^Actions for / });
    for (const times of ['once', 'again']) {
      await menu.click();
      await page.getByRole('menuitem', { name: 'Revoke' }).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.waitForFunction((button) => button === document.activeElement, await menu.elementHandle());
      assert.equal(await menu.count(), 1, times);
    }
  });

  it('can be filtered on the narrowest phone, and never scrolls sideways', async () => {
    await page.goto('/portal/logs/requests?period=7d');
    await rows().first().waitFor();
    await resize(page, 320);
    await control('Status').click();
    await page.getByRole('option', { name: '4xx client error' }).click();
    await page.waitForURL(/status=4xx/);
    await rows().first().waitFor();
    assert.deepEqual(await stickingOut(page), []);
    // The table reaches from one edge of the page to the other.
    assert.equal(
      await page.evaluate(() => document.querySelector('table')!.parentElement!.scrollWidth <= 320),
      true,
    );
    await page.getByRole('button', { name: /navigation/i }).click();
    const search = page.getByRole('dialog').getByRole('button', { name: palette.open });
    await search.waitFor();
    assert.equal(await search.innerText(), palette.open);
    await page.keyboard.press('Escape');
    await resize(page, 1440);
    assert.deepEqual(ada.complaints, []);
  });
});
