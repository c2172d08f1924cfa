import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { vectorFiles } from '../../signature/test/conformance/files.ts';
import { type ModulePages, skipWithoutBrowser, startModulePages } from '../../signature/test/module-pages.ts';
import { type ExplainedCase, explainCases, type MistakenCases } from './in-page.ts';

describe('the explainer in Chromium', { skip: skipWithoutBrowser }, () => {
  let pages: ModulePages;

  before(async () => {
    pages = await startModulePages();
  });

  after(() => pages.close());

  test('explains mistakes in the page as on Node, and no request leaves the machine', async (context) => {
    const { origin } = pages;
    const asked: string[] = [];
    const page = await pages.open();
    page.on('request', (request) => asked.push(request.url()));
    const module = '/packages/explain/test/in-page.ts';
    const { results, medianMs } = (await page.evaluate(
      `import('${module}').then((inPage) => inPage.explainInPage())`,
    )) as { results: ExplainedCase[]; medianMs: number };
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(`${origin}/packages/`) && !url.startsWith(`${origin}/vectors/`)),
      [],
    );
    const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');
    const [single, account] = await Promise.all(
      ['single', 'account'].map((name) => vectorFiles.json(`vectors/mistakes/${name}.json`)),
    );
    assert.deepEqual(results, explainCases({ ...(single as object), account } as MistakenCases, sha256));
    assert.ok(results.length > 50, `only ${results.length} cases`);
    context.diagnostic(`${results.length} requests explained in the page, median ${medianMs.toFixed(1)} ms`);
  });
});
