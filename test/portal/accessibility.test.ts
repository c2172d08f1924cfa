import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { goTo, openVisitors, type Visitors } from './showing.ts';
import { viewNames, viewsOf } from './views.ts';

describe('axe finds nothing wrong', { skip: skipWithoutBrowser }, () => {
  let service: LivedInService;
  let browser: Browser;
  let visitors: Visitors;

  before(async () => {
    service = await startLivedInService(5);
    browser = await openBrowser();
    visitors = await openVisitors(browser, service);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  for (const [index, { name, title }] of viewNames.entries()) {
    it(`with ${title}`, async () => {
      const view = viewsOf(service).find((one) => one.name === name)!;
      // Every rule in the colours of the view before, then those about colours in the others: each view changes them once.
      // `npm run docs:portal` tries every rule in both.
      const [first, second] = index % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
      await setColours(visitors[view.visitor].page, first);
      const { page, complaints } = await goTo(visitors, view);
      assert.deepEqual(await accessibilityFaults(page), [], first);
      await setColours(page, second);
      assert.deepEqual(await accessibilityFaults(page, { isColoursOnly: true }), [], second);
      assert.deepEqual(complaints, []);
    });
  }
});

/** Asks for colours as the system does, which the portal follows; waits until a page that is open has. */
async function setColours(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  if (page.url().includes('/portal'))
    await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
}
