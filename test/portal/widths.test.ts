import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { goTo, openVisitors, resize, showIn, type Visitors } from './showing.ts';
import { stickingOut } from './sticking-out.ts';
import { viewNames, viewsOf } from './views.ts';

/** A phone, a tablet on its side or a small window, and a usual screen. */
const widths = [390, 1024, 1440] as const;

describe('nothing sticks out, is cut off or cannot be used', { skip: skipWithoutBrowser }, () => {
  let service: LivedInService;
  let browser: Browser;
  let visitors: Visitors;

  before(async () => {
    service = await startLivedInService(5);
    browser = await openBrowser();
    // Wide while a view opens something, as the navigation of phones is in a drawer.
    visitors = await openVisitors(browser, service, { width: 1440, height: 900 });
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  for (const { name, title } of viewNames) {
    it(`with ${title}`, async () => {
      const view = viewsOf(service).find((one) => one.name === name)!;
      const { page } = await goTo(visitors, view);
      const faults: string[] = [];
      for (const width of widths) {
        await resize(page, width);
        for (const fault of await stickingOut(page)) faults.push(`${width} px: ${fault}`);
        // What is wide is looked at by `accessibility.test.ts`, and a width between changes no colours.
        if (width === 1440) continue;
        for (const fault of await accessibilityFaults(page)) faults.push(`${width} px: ${fault}`);
        if (width !== 390) continue;
        await showIn(page, 'dark');
        for (const fault of await accessibilityFaults(page, { isColoursOnly: true }))
          faults.push(`${width} px, dark: ${fault}`);
        await showIn(page, 'light');
      }
      assert.deepEqual(faults, []);
    });
  }
});
