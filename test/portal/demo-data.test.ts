import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { demonstrateOnFirstStart } from '../../packages/server/src/demonstration/first-start.ts';
import { freePort } from '../../packages/server/test/free-port.ts';
import { type RunningService, runService } from '../../packages/server/test/running-service.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { PortalSession } from './portal-session.ts';

describe('demo data in the portal', { skip: skipWithoutBrowser }, () => {
  let running: RunningService;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;
  let owner: PortalSession;

  before(async () => {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    running = await runService({
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_PUBLIC_BASE_URLS: origin,
      COUNTERSIGN_DEMONSTRATION: 'yes',
    });
    await demonstrateOnFirstStart(running.service, '', { write: () => true });
    owner = new PortalSession(origin);
    const { features } = await owner.send<{ features: { demonstration: object } }>(
      'GET',
      '/portal/auth/state',
    );
    await owner.send('POST', '/portal/auth/sign-in', features.demonstration);
    const { accounts } = await owner.send<{ accounts: { accountId: string }[] }>('GET', '/portal/auth/state');
    owner.accountId = accounts[0]!.accountId;
    // The last requests of the demo data are written last.
    const latest = new Date(Date.now() - 3_600_000).toISOString();
    for (;;) {
      const { requests } = await owner.send<{ requests: number }>('GET', '/v1/demo-data');
      const { data } = await owner.send<{ data: { clientId: string }[] }>(
        'GET',
        `/v1/requests?from=${latest}`,
      );
      if (requests > 3000 && data.length > 0) break;
      await sleep(100);
    }
    browser = await openBrowser();
    visitor = await visit(browser, origin);
    ({ page } = visitor);
    await page.goto('/portal/');
    await page.getByRole('button', { name: 'Open demo account' }).click();
    // Going to another page before the answer is there would leave the browser signed out.
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
      assert.equal(await page.getByText(/demo data|fictional/i).count(), 2, 'the banner and its button');
    }
    await page.goto('/portal/integrations/api-keys');
    await page.getByRole('link', { name: 'Web checkout' }).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(
      violations.map(({ id }) => id),
      [],
    );
  });

  it('stays when the removal is canceled', async () => {
    await banner().getByRole('button', { name: 'Remove demo data' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove the demo data?' });
    await dialog.getByText(/^8 demo clients and [\d,]+ requests will be removed/).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(
      violations.map(({ id }) => id),
      [],
    );
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
