import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { goTo, openVisitors, showIn, type Visitors } from './showing.ts';
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

  for (const { name, title } of viewNames) {
    it(`with ${title}`, async () => {
      const view = viewsOf(service).find((one) => one.name === name)!;
      const { page, complaints } = await goTo(visitors, view);
      assert.deepEqual(await accessibilityFaults(page), []);
      // The page follows the system's colours; `npm run docs:portal` tries every rule in dark ones too.
      await showIn(page, 'dark');
      assert.deepEqual(await accessibilityFaults(page, { isColoursOnly: true }), []);
      await showIn(page, 'light');
      assert.deepEqual(complaints, []);
    });
  }
});
