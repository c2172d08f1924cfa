import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { waitUntil } from '@countersign/testing/wait-until';
import { skipWithoutBrowser } from './browser.ts';
import { openNorthwind } from './northwind.ts';

describe("the side bar's menu of a person", { skip: skipWithoutBrowser }, () => {
  let northwind: Awaited<ReturnType<typeof openNorthwind>>;

  before(async () => {
    northwind = await openNorthwind();
  });

  after(async () => {
    await northwind?.browser.close();
    await northwind?.service.close();
  });

  it('loads when someone opens it by the keyboard, and gives the focus back', async () => {
    const { page } = northwind;
    await page.goto('/portal/');
    const button = page.getByRole('button', { name: 'ada@northwind.example' });
    const hasFocus = (): Promise<boolean> => button.evaluate((element) => element === document.activeElement);
    await button.focus();
    for (const round of ['first', 'second']) {
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      assert.equal(await button.getAttribute('aria-expanded'), 'true', round);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await waitUntil(hasFocus, `the button has the focus, ${round} time`);
    }
  });
});
