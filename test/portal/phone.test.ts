import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { skipWithoutBrowser } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';
import { openOverview, resize } from './showing.ts';

describe('the portal on a phone', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let page: Page;
  let ada: Awaited<ReturnType<typeof openNorthwind>>['ada'];

  before(async () => {
    ({ service, browser, page, ada } = await openNorthwind());
    await resize(page, 390);
    await openOverview(ada);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('opens its navigation without a title, a second bell or a hint of keys', async () => {
    await page.getByRole('button', { name: 'Open navigation' }).click();
    const drawer = page.getByRole('dialog', { name: 'Main navigation' });
    await drawer.getByRole('link', { name: 'Team' }).waitFor();
    assert.equal(await drawer.getByText('Main navigation', { exact: true }).count(), 0);
    assert.equal(await drawer.getByRole('link', { name: /notice/i }).count(), 0);
    assert.equal(await drawer.getByText(/Ctrl K|⌘K/).isVisible(), false);
    await drawer.getByRole('button', { name: 'Close navigation' }).click();
    await drawer.waitFor({ state: 'detached' });
  });

  it('says in one line that there is demo data, until it is told not to on this device', async () => {
    await page.route('**/portal/auth/state', async (route) => {
      const response = await route.fetch();
      const state = (await response.json()) as { accounts: object[] };
      const accounts = state.accounts.map((account) => ({ ...account, hasDemoData: true }));
      await route.fulfill({ response, json: { ...state, accounts } });
    });
    await openOverview(ada);
    const banner = page.locator('aside').filter({ hasText: 'Demo data' });
    await banner.waitFor();
    const { height } = (await banner.boundingBox())!;
    assert.ok(height <= 48, `${height} px`);
    await banner.getByRole('button', { name: 'Hide on this device' }).click();
    await banner.waitFor({ state: 'hidden' });
    await openOverview(ada);
    await page.getByRole('link', { name: /notice/i }).waitFor();
    assert.equal(await banner.isVisible(), false);
    await resize(page, 1280);
    await banner.getByText('This account contains demo data').waitFor();
  });
});
