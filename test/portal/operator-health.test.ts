import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { brokenRules } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { signIn } from './showing.ts';

describe('health and settings for the operator', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;

  before(async () => {
    service = await startPortalService({ COUNTERSIGN_SERVICE_NAME: 'Northwind Gate' });
    await setUpOperator(service);
    browser = await openBrowser();
    visitor = await visit(browser, service.origin);
    ({ page } = visitor);
    await signIn(visitor, 'olga@provider.example');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('shows each part with its state, how slow it is and why', async () => {
    await page.goto('/portal/operator/health');
    const parts = page.getByRole('table', { name: 'Components' });
    await parts.getByRole('row', { name: /^Database OK [\d.]+ ms [\d.]+ ms/ }).waitFor();
    const mail = parts.getByRole('row', { name: /^Email/ });
    await mail.getByText('No mail server is configured: emails are written to a folder.').waitFor();
    assert.deepEqual(await brokenRules(page), []);
  });

  it('shows the settings in force, and those that were set', async () => {
    await page.goto('/portal/operator/settings');
    const list = page.getByRole('table', { name: 'Settings in force' });
    await list.getByRole('row', { name: /COUNTERSIGN_SERVICE_NAME.*Northwind Gate.*Environment/ }).waitFor();
    await list.getByRole('row', { name: /COUNTERSIGN_CREATED_MAX_AGE_SECONDS.*300.*Default/ }).waitFor();
    assert.deepEqual(await brokenRules(page), []);
    await page.getByRole('switch', { name: 'Configured settings only' }).click();
    await list
      .getByRole('row', { name: /COUNTERSIGN_CREATED_MAX_AGE_SECONDS/ })
      .waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search' }).fill('no such setting');
    await page.getByText('No matching settings').waitFor();
    assert.deepEqual(visitor.complaints, []);
  });

  it('fits on a phone, a tablet and a desktop', async () => {
    for (const path of ['accounts', 'health', 'settings']) {
      await page.goto(`/portal/operator/${path}`);
      await page.getByRole('table').waitFor();
      for (const width of [390, 1024, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const beyond = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.equal(beyond, 0, `${path} at ${width} px`);
      }
    }
  });
});
