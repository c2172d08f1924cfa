import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RunningService } from '@countersign/testing/running-service';
import type { Browser, Page } from 'playwright-core';
import { brokenRules } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { openDemonstration, ownDemoAccount } from './demo-account.ts';
import type { PortalSession } from './portal-session.ts';

describe('demo data in the portal', { skip: skipWithoutBrowser }, () => {
  let running: RunningService;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;
  let owner: PortalSession;

  before(async () => {
    const demonstration = await openDemonstration();
    ({ running } = demonstration);
    owner = await ownDemoAccount(demonstration);
    browser = await openBrowser();
    visitor = await visit(browser, demonstration.origin);
    ({ page } = visitor);
    await page.goto('/portal/');
    await page.getByRole('button', { name: 'Open demo account' }).click();
    // Leaving the page before the response arrives would leave the browser signed out.
    await banner().waitFor();
  });

  after(async () => {
    await browser?.close();
    await running?.close();
  });

  const banner = () => page.getByRole('complementary', { name: 'This account contains demo data' });

  it('is marked by a banner on each page, without a violation of accessibility', async () => {
    for (const path of [
      '/portal/',
      '/portal/integrations/api-keys',
      '/portal/logs/requests',
      '/portal/logs/audit',
    ]) {
      await page.goto(path);
      await banner().waitFor();
      assert.equal(
        await page
          .getByText(/demo data|fictional/i)
          .filter({ visible: true })
          .count(),
        2,
        'the banner and its button',
      );
    }
    await page.goto('/portal/integrations/api-keys');
    await page.getByRole('link', { name: 'Web checkout' }).waitFor();
    assert.deepEqual(await brokenRules(page), []);
  });

  it('stays when the removal is canceled', async () => {
    await banner().getByRole('button', { name: 'Remove demo data' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove the demo data?' });
    await dialog.getByText(/^8 demo clients and [\d,]+ requests will be removed/).waitFor();
    assert.deepEqual(await brokenRules(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    const { clients } = await owner.send<{ clients: number }>('GET', '/v1/demo-data');
    assert.equal(clients, 8);
  });

  it('is removed by the button, and the own client stays', async () => {
    await page.goto('/portal/integrations/api-keys');
    await page.getByRole('link', { name: 'Web checkout' }).waitFor();
    await banner().getByRole('button', { name: 'Remove demo data' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove the demo data?' });
    await dialog.getByRole('button', { name: 'Remove demo data' }).click();
    await banner().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Web checkout' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Demo client' }).first().waitFor();
    const { data } = await owner.send<{ data: { name: string }[] }>('GET', '/v1/clients');
    assert.deepEqual(
      data.map(({ name }) => name),
      ['Demo client'],
    );
    assert.deepEqual(visitor.complaints, []);
  });
});
