import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Page } from 'playwright-core';
import { skipWithoutBrowser } from './browser.ts';
import { layoutShift, shiftMax } from './layout-shift.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';
import { resize } from './showing.ts';

describe('no page moves what it has shown', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let page: Page;
  let paths: readonly string[];

  before(async () => {
    const northwind = await openNorthwind();
    ({ service, browser, page } = northwind);
    await northwind.owner.send('POST', '/v1/clients', {
      name: 'Shop',
      networkWhitelist: [{ entry: '0.0.0.0' }],
      publicKey: makeKeyPair().publicKey,
    });
    await northwind.owner.send('POST', '/v1/invitations', { email: 'dana@northwind.example', role: 'admin' });
    await resize(page, 1440);
    await page.goto('/portal/');
    const links = page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link');
    await links.first().waitFor();
    paths = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname));
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  for (const width of [1440, 390]) {
    it(`of the navigation, in ${width} px`, async (context) => {
      assert.ok(paths.length > 8, paths.join(' '));
      await resize(page, width);
      const moved: string[] = [];
      for (const path of paths) {
        await page.goto(path);
        await page.locator('main h1:not(.portal-visually-hidden)').waitFor();
        await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
        const shift = await layoutShift(page);
        context.diagnostic(`${path}: ${shift.toFixed(3)}`);
        if (shift >= shiftMax) moved.push(`${path}: ${shift.toFixed(3)}`);
      }
      assert.deepEqual(moved, []);
    });
  }
});
