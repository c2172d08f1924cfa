import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
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

  // The short form of `npm run docs:portal`, where axe looks at every view in both: every other view in dark colours.
  for (const colours of ['light', 'dark'] as const) {
    describe(`in ${colours} colours`, () => {
      before(async () => {
        for (const { page } of Object.values(visitors)) {
          await page.emulateMedia({ colorScheme: colours });
          await page.goto('about:blank');
        }
      });

      for (const { name, title } of viewNames.filter(
        (_, index) => (index % 2 === 0) === (colours === 'light'),
      )) {
        it(`with ${title}`, async () => {
          const view = viewsOf(service).find((one) => one.name === name)!;
          const { page, complaints } = await goTo(visitors, view);
          await page.locator(`[data-mantine-color-scheme="${colours}"]`).waitFor();
          assert.deepEqual(await accessibilityFaults(page), []);
          assert.deepEqual(complaints, []);
        });
      }
    });
  }
});
