import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { isAlsoGerman } from '../../packages/portal/test/german-words.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { openVisitors, resize, type Visitors } from './showing.ts';
import { stickingOut } from './sticking-out.ts';
import { viewNames, viewsOf } from './views.ts';

describe('the portal in German', { skip: skipWithoutBrowser }, () => {
  let service: LivedInService;
  let browser: Browser;
  let visitors: Visitors;
  let english: ReadonlySet<string>;

  before(async () => {
    service = await startLivedInService(5);
    browser = await openBrowser();
    visitors = await openVisitors(browser, service, { width: 1440, height: 900, locale: 'de-DE' });
    english = await englishTexts();
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  for (const { name, title } of viewNames.filter(({ open }) => open === undefined)) {
    it(`says nothing in English on the view ${title}, and nothing sticks out`, async () => {
      const view = viewsOf(service).find((one) => one.name === name)!;
      const { page, complaints } = visitors[view.visitor];
      await page.goto(`/portal${view.path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      assert.equal(await page.locator('html').getAttribute('lang'), 'de');
      const left = (await shownTexts(page)).filter((text) => english.has(text));
      assert.deepEqual(left, []);
      for (const width of [1440, 390, 320]) {
        await resize(page, width);
        assert.deepEqual(await stickingOut(page), [], `${width} px`);
      }
      await resize(page, 1440);
      assert.deepEqual(complaints, []);
    });
  }

  it('writes times as German readers do', async () => {
    const { page } = visitors.owner;
    await page.goto('/portal/settings/audit-log');
    await page
      .getByText(/^vor \d+ (?:Tag|Stunde|Minute)/)
      .first()
      .waitFor({ state: 'attached' });
  });
});

describe('the language of the portal', { skip: skipWithoutBrowser }, () => {
  let service: LivedInService;
  let browser: Browser;
  let visitor: Visitor;

  before(async () => {
    service = await startLivedInService(1);
    browser = await openBrowser();
    visitor = await visit(browser, service.origin);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('is chosen before the sign-in, and stays', async () => {
    const { page } = visitor;
    await page.goto('/portal/sign-in');
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.locator('html[lang="de"]').waitFor();
    await page.reload();
    await page.locator('html[lang="de"]').waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    await page.locator('html[lang="en"]').waitFor();
  });
});

async function englishTexts(): Promise<ReadonlySet<string>> {
  const folder = new URL('../../packages/portal/src/messages/en/', import.meta.url);
  const modules = await Promise.all(
    readdirSync(folder).map((name) => import(new URL(name, folder).href) as Promise<unknown>),
  );
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      if (!isAlsoGerman(value)) found.add(value);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  modules.forEach(collect);
  // Also the name of the provider's account.
  found.delete('Operator');
  return found;
}

/** Every text that a person reads or hears on a page. */
function shownTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      // Set apart: in its own language.
      if (parentElement?.closest('script, style, code, pre, [lang="en"]') === null)
        found.add(textContent?.trim() ?? '');
    }
    for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
      for (const element of document.body.querySelectorAll(`[${name}]`))
        if (element.closest('[lang="en"]') === null) found.add(element.getAttribute(name)!);
    return [...found];
  });
}
