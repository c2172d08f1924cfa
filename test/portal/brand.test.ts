import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit } from './browser.ts';
import { type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { showIn, signIn } from './showing.ts';

const logo = (color: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 32"><rect width="96" height="32" fill="${color}"/></svg>`;

describe("a provider's logo and a harsh colour", { skip: skipWithoutBrowser }, () => {
  let folder: string;
  let service: PortalService;
  let browser: Browser;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-brand-'));
    await writeFile(join(folder, 'light.svg'), logo('#123456'));
    await writeFile(join(folder, 'dark.svg'), logo('#fedcba'));
    service = await startPortalService({
      COUNTERSIGN_SERVICE_NAME: 'Northwind',
      COUNTERSIGN_LOGO_FILE: join(folder, 'light.svg'),
      COUNTERSIGN_DARK_LOGO_FILE: join(folder, 'dark.svg'),
      COUNTERSIGN_ACCENT_COLOR: '#FFF000',
    });
    await setUpOperator(service);
    browser = await openBrowser();
  });

  after(async () => {
    await browser?.close();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const path of ['/portal/sign-in', '/portal/']) {
    it(`are shown at ${path} with enough contrast, under the strict policy`, async () => {
      const visitor = await visit(browser, service.origin);
      const { page, context, complaints } = visitor;
      if (path === '/portal/') await signIn(visitor, 'olga@provider.example');
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const scheme of ['light', 'dark'] as const) {
        await showIn(page, scheme);
        const shown = page.locator('#portal img[data-logo]:visible').first();
        assert.match((await shown.getAttribute('src')) ?? '', scheme === 'dark' ? /dark-logo/ : /\/logo/);
        assert.deepEqual(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth > 0), true);
        assert.deepEqual(await accessibilityFaults(page), []);
      }
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }

  it('are in the page before scripts load, and run nothing when opened directly', async () => {
    const page = await (await fetch(`${service.origin}/portal/`)).text();
    assert.doesNotMatch(page, /\/portal\/icon\.svg/);
    const urls = [...new Set(page.match(/\/portal\/brand\/[\w.-]+/g))];
    assert.equal(urls.length, 3, urls.join('\n'));
    for (const url of urls) {
      const { status, headers } = await fetch(service.origin + url);
      assert.equal(status, 200);
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none';.*; sandbox$/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    }
    const missing = await fetch(`${service.origin}/portal/brand/logo-000000000000.svg`);
    assert.equal(missing.status, 404);
  });
});
