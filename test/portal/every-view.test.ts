import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { goTo, openVisitors, resize, settle, showIn, type Visitors } from './showing.ts';
import { stickingOut } from './sticking-out.ts';
import { viewNames, viewsOf } from './views.ts';

/**
 * A usual screen, a tablet on its side or a small window, and a phone, and whether their views are also
 * checked in dark colours.
 */
const screens = [
  { width: 1440, isInTheDark: true },
  // A width in between changes no colours.
  { width: 1024, isInTheDark: false },
  { width: 390, isInTheDark: true },
] as const;

/** Where only the room is another: a usual screen at 200 % zoom (WCAG 2.2, 1.4.4), and 400 % or the narrowest phone (1.4.10). */
const tightScreens = [
  { width: 720, height: 450, deviceScaleFactor: 2, name: 'at 200 % zoom' },
  { width: 320, height: 640, deviceScaleFactor: 1, name: '320 px' },
] as const;

describe(
  'in every width, axe finds nothing wrong, and nothing sticks out or is cut off',
  {
    skip: skipWithoutBrowser,
  },
  () => {
    let service: LivedInService;
    let browser: Browser;
    let visitors: Visitors;

    before(async () => {
      service = await startLivedInService(5);
      browser = await openBrowser();
      // Wide while a view opens something, because phones have the navigation in a drawer.
      visitors = await openVisitors(browser, service, { width: 1440, height: 900 });
    });

    after(async () => {
      await browser?.close();
      await service?.close();
    });

    for (const { name, title } of viewNames) {
      it(`with ${title}`, async () => {
        const view = viewsOf(service).find((one) => one.name === name)!;
        const { page, complaints } = await goTo(visitors, view);
        const faults: string[] = [];
        for (const { width, isInTheDark } of screens) {
          await resize(page, width);
          if (view.isAtEnd)
            await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
          const found = [...(await stickingOut(page)), ...(await accessibilityFaults(page))];
          faults.push(...found.map((fault) => `${width} px: ${fault}`));
          if (isInTheDark)
            faults.push(...(await faultsInTheDark(page)).map((fault) => `${width} px: ${fault}`));
        }
        for (const screen of tightScreens)
          faults.push(...(await faultsInTightRoom(page, screen)).map((fault) => `${screen.name}: ${fault}`));
        await resize(page, screens[0].width);
        assert.deepEqual(faults, []);
        assert.deepEqual(complaints, []);
      });
    }
  },
);

/**
 * The page follows the system's colours; `npm run docs:portal` checks every rule in dark ones, not only those
 * about colours.
 */
async function faultsInTheDark(page: Page): Promise<readonly string[]> {
  await showIn(page, 'dark');
  const faults = await accessibilityFaults(page, { isColoursOnly: true });
  await showIn(page, 'light');
  return faults.map((fault) => `dark: ${fault}`);
}

async function faultsInTightRoom(
  page: Page,
  { width, height, deviceScaleFactor }: (typeof tightScreens)[number],
): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    await page.setViewportSize({ width, height });
    // Each pixel of the page then has four of the screen.
    const metrics = { width, height, deviceScaleFactor, mobile: false };
    await session.send('Emulation.setDeviceMetricsOverride', metrics);
    await settle(page);
    return await stickingOut(page);
  } finally {
    await session.send('Emulation.clearDeviceMetricsOverride');
    await session.detach();
  }
}
