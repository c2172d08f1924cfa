import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Response } from 'playwright-core';
import { openBrowser, skipWithoutBrowser, visit } from './browser.ts';
import { layoutShift } from './layout-shift.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { load, openVisitors, type Visitors } from './showing.ts';
import { viewNames, viewsOf } from './views.ts';

/** German texts are longer: the same views need up to 4 kB more. */
const scriptBytesMax = 160_000;
/** The font and the style sheet of the first frame are two of them. */
const filesMax = 30;

/** The files that a new browser loads until the page shows its data. Calls of the API are counted separately. */
describe('the first view', { skip: skipWithoutBrowser }, () => {
  let service: LivedInService;
  let browser: Browser;
  let visitors: Visitors;

  before(async () => {
    service = await startLivedInService(1);
    browser = await openBrowser();
    visitors = await openVisitors(browser, service);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  for (const { name, title } of viewNames.filter(({ open }) => open === undefined)) {
    it(`is at most ${scriptBytesMax / 1000} kB of JavaScript and ${filesMax} files: ${title}`, async (t) => {
      const view = viewsOf(service).find((one) => one.name === name)!;
      const visitor = await visit(browser, service.origin);
      t.after(() => visitor.context.close());
      await visitor.context.addCookies(await visitors[view.visitor].context.cookies());
      const files: Response[] = [];
      visitor.page.on('response', (response) => {
        if (isFile(response)) files.push(response);
      });
      await load({ ...visitors, [view.visitor]: visitor }, view);
      const scripts = files.filter((response) => response.url().endsWith('.js'));
      const sizes = await Promise.all(scripts.map((response) => response.request().sizes()));
      const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
      t.diagnostic(`${(bytes / 1000).toFixed(1)} kB, ${files.length} files`);
      // Every page has half of it: less means that nothing was measured.
      assert.ok(bytes > 70_000 && bytes <= scriptBytesMax, `${bytes} bytes of JavaScript`);
      assert.ok(files.length <= filesMax, `${files.length} files`);
      await visitor.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      t.diagnostic(`the layout shifted by ${(await layoutShift(visitor.page)).toFixed(3)}`);
    });
  }
});

/** Everything in the portal except its sign-in calls. */
function isFile(response: Response): boolean {
  const { pathname } = new URL(response.url());
  return pathname.startsWith('/portal') && !pathname.startsWith('/portal/auth/');
}
