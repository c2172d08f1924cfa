import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { components } from '../../packages/portal/src/messages/en/components.ts';
import { localProblems } from '../../packages/portal/src/messages/en/problem-advice.ts';
import { securityPolicy } from '../../packages/portal/src/messages/en/security-policy.ts';
import { skipWithoutBrowser, type Visitor } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';
import { openOverview } from './showing.ts';

const { title } = localProblems.serviceUnreachable;

describe('a browser that is offline', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let ada: Visitor;
  let page: Page;

  before(async () => {
    ({ service, browser, ada, page } = await openNorthwind());
    await openOverview(ada);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const link = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).click();

  it('says on a page whose data is missing that the service cannot be reached, and loads it once it can be', async () => {
    // Loads the code of the page, but not its data with these filters.
    await link('API Keys');
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    await ada.context.setOffline(true);
    await page.evaluate(() => {
      history.pushState({}, '', '/portal/integrations/api-keys?status=disabled');
      dispatchEvent(new PopStateEvent('popstate'));
    });
    const notice = page.getByRole('alert').filter({ hasText: title });
    await notice.waitFor();
    assert.equal(await page.locator('main [aria-busy="true"]').count(), 0);
    await notice.getByRole('button', { name: components.tryAgain }).waitFor();
    await ada.context.setOffline(false);
    await notice.waitFor({ state: 'detached' });
  });

  it('says the same of a page whose code is missing, and loads it once it can', async () => {
    await ada.context.setOffline(true);
    await link(securityPolicy.title);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await ada.context.setOffline(false);
    await page.getByRole('heading', { level: 1, name: securityPolicy.title }).waitFor();
  });
});
