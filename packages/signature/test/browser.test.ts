import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserResult } from './conformance/browser.ts';
import { type ModulePages, skipWithoutBrowser, startModulePages } from './module-pages.ts';

describe('conformance, Web Crypto in Chromium', { skip: skipWithoutBrowser }, () => {
  let pages: ModulePages;

  before(async () => {
    pages = await startModulePages();
  });

  after(() => pages.close());

  test('the whole suite gives the same answers as on Node, and no request leaves the machine', async (context) => {
    const { origin, browser } = pages;
    const page = await pages.open();
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(origin)) elsewhere.push(request.url());
    });
    const module = '/packages/signature/test/conformance/browser.ts';
    const results = (await page.evaluate(
      `import('${module}').then((suite) => suite.runInPage())`,
    )) as BrowserResult[];
    const failed = results.filter((one) => one.error !== undefined);
    assert.deepEqual(failed.slice(0, 5), []);
    assert.deepEqual(elsewhere, []);
    assert.ok(results.length > 900, `only ${results.length} tests ran`);
    const skipped = results.filter((one) => one.skipped !== undefined);
    for (const one of skipped) await context.test(one.name, { skip: one.skipped! }, () => undefined);
    context.diagnostic(`${results.length - skipped.length} tests ran in Chromium ${browser.version()}`);
  });
});
