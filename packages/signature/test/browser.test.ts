import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import type { BrowserResult } from './conformance/browser.ts';
import { vectorFiles, vectorUrl } from './conformance/files.ts';
import { type ExplainedCase, explainCases, type MistakenCases } from './explain/in-page.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const skip =
  executablePath === undefined ? 'no Chromium is installed (Debian: apt-get install chromium)' : false;

describe('conformance, Web Crypto in Chromium', { skip }, () => {
  let server: Server;
  let browser: Browser;

  before(async () => {
    server = createServer((request, response) => {
      void fileFor(request.url ?? '').then((file) => {
        response.writeHead(file ? 200 : 404, { 'Content-Type': file?.type ?? 'text/plain' });
        response.end(file?.content);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({
      executablePath: executablePath!,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
      ],
    });
  });

  after(async () => {
    await browser.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('the whole suite gives the same answers as on Node, and no request leaves the machine', async (context) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await browser.newPage();
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(origin)) elsewhere.push(request.url());
    });
    await page.goto(`${origin}/`);
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

  test('explains mistakes in the page as on Node, and no request leaves the machine', async (context) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await browser.newPage();
    const asked: string[] = [];
    await page.goto(`${origin}/`);
    page.on('request', (request) => asked.push(request.url()));
    const module = '/packages/signature/test/explain/in-page.ts';
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

interface ServedFile {
  readonly type: string;
  readonly content: string | Uint8Array;
}

/** The page, the library as JavaScript, the vectors. */
async function fileFor(url: string): Promise<ServedFile | undefined> {
  if (url === '/') return { type: 'text/html', content: '<!doctype html><title>Conformance</title>' };
  const path = url.slice(1);
  if (path.includes('..')) return undefined;
  try {
    if (/^packages\/signature\/(src|test)\/.*\.ts$/.test(path)) {
      const source = await readFile(vectorUrl(path), 'utf8');
      return { type: 'text/javascript', content: stripTypeScriptTypes(source) };
    }
    if (!/^(vectors|shared)\//.test(path)) return undefined;
    return {
      type: path.endsWith('.json') ? 'application/json' : 'application/octet-stream',
      content: await readFile(vectorUrl(path)),
    };
  } catch {
    return undefined;
  }
}
