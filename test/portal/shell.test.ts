import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { openBrowser, skipWithoutBrowser, visit } from './browser.ts';
import { type PortalService, startPortalService } from './scene.ts';

describe('while the portal loads', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;

  before(async () => {
    service = await startPortalService();
    browser = await openBrowser();
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  interface Slow {
    readonly page: Page;
    readonly frame: Locator;
    readonly complaints: readonly string[];
    /** Lets the scripts and the style sheet through. */
    readonly arrive: () => void;
  }

  /** Opens a page whose scripts and style sheet do not arrive yet. */
  async function openSlowly(path: string, options: Parameters<typeof visit>[2]): Promise<Slow> {
    const { page, complaints } = await visit(browser, service.origin, options);
    let arrive = (): void => undefined;
    const isArriving = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route(/\/portal\/assets\/(?!shell)[^/]+\.(?:js|css)$/, async (route) => {
      await isArriving;
      await route.continue();
    });
    await page.goto(path, { waitUntil: 'commit' });
    const frame = page.locator('.portal-shell-bar');
    return { page, frame, complaints, arrive };
  }

  for (const [colorScheme, background] of [
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(19, 22, 28)'],
  ] as const) {
    it(`shows its frame in ${colorScheme} colours, and a sign that it loads`, async () => {
      const { page, frame, complaints, arrive } = await openSlowly('/portal/', { colorScheme, width: 1440 });
      await frame.waitFor();
      assert.equal((await frame.boundingBox())?.width, 252);
      assert.equal(
        await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor),
        background,
      );
      const sign = page.locator('.portal-shell-sign');
      await page.waitForFunction(
        (element) => getComputedStyle(element).opacity === '1',
        await sign.elementHandle(),
      );
      arrive();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await frame.waitFor({ state: 'hidden' });
      assert.deepEqual(complaints, []);
      await page.context().close();
    });
  }

  it('shows a bar above the page on phones', async () => {
    const { page, frame } = await openSlowly('/portal/', { width: 390 });
    await frame.waitFor();
    const box = await frame.boundingBox();
    assert.deepEqual([box?.width, box?.height], [390, 52]);
    await page.context().close();
  });

  it('shows no frame where the page will have none', async () => {
    const { page, frame } = await openSlowly('/portal/sign-in', { width: 1440 });
    await page.locator('.portal-shell-sign').waitFor();
    assert.equal(await frame.isVisible(), false);
    await page.context().close();
  });
});
