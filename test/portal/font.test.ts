import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page, Response } from 'playwright-core';
import { openBrowser, skipWithoutBrowser, visit } from './browser.ts';
import { type PortalService, startPortalService } from './scene.ts';

describe("the portal's font", { skip: skipWithoutBrowser }, () => {
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

  /** Opens the sign-in page in a new browser, and returns the fonts that it loads. */
  async function open(): Promise<{ page: Page; fonts: readonly Response[]; complaints: readonly string[] }> {
    const { page, complaints } = await visit(browser, service.origin);
    const fonts: Response[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() === 'font') fonts.push(response);
    });
    await page.goto('/portal/docs');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(async () => void (await document.fonts.ready));
    return { page, fonts, complaints };
  }

  it('comes once, from the service, for good, and under the strict policy', async () => {
    const { page, fonts, complaints } = await open();
    assert.equal(fonts.length, 1, fonts.map((font) => font.url()).join('\n'));
    const [font] = fonts;
    assert.equal(new URL(font!.url()).origin, service.origin);
    const headers = font!.headers();
    assert.equal(headers['content-type'], 'font/woff2');
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.ok((await font!.body()).length < 50_000);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('loads letters of other Latin alphabets only where a text has them', async () => {
    const { page, fonts } = await open();
    await page.evaluate(async () => {
      document.querySelector('h1')!.textContent = 'Łukasz Dvořák';
      await document.fonts.ready;
    });
    assert.equal(fonts.length, 2);
    await page.context().close();
  });

  it('moves nothing when it arrives late', async () => {
    const { page } = await visit(browser, service.origin);
    let arrive = (): void => undefined;
    const isArriving = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route('**/*.woff2', async (route) => {
      await isArriving;
      await route.continue();
    });
    await page.goto('/portal/docs', { waitUntil: 'commit' });
    const heading = page.getByRole('heading', { level: 1 });
    await heading.waitFor();
    const place = await heading.boundingBox();
    const last = page.getByRole('link').last();
    const endBefore = await last.boundingBox();
    arrive();
    await page.evaluate(async () => void (await document.fonts.ready));
    assert.ok(await page.evaluate(() => document.fonts.check('1em Inter')));
    assert.deepEqual(await heading.boundingBox(), place);
    assert.equal((await last.boundingBox())?.y, endBefore?.y);
    await page.context().close();
  });
});
