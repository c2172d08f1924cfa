import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { skipWithoutBrowser } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';

describe('how long an account keeps its requests', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let page: Page;

  before(async () => {
    ({ service, browser, page } = await openNorthwind());
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const save = (): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();
  const days = (): ReturnType<Page['getByRole']> =>
    page.getByRole('textbox', { name: 'Maximum age of requests (days)' });
  const periods = async (): Promise<string[]> => {
    await page.goto('/portal/logs/requests');
    await page.getByRole('combobox', { name: 'Period' }).click();
    const options = page.getByRole('option');
    await options.first().waitFor();
    return options.allInnerTexts();
  };

  it('offers every period that the service keeps', async () => {
    assert.equal((await periods()).length, 5);
    await page.getByText('Requests are kept for 30 days').waitFor();
  });

  it('takes no more days than the service keeps', async () => {
    await page.goto('/portal/settings/security');
    await page.getByText('Requests are kept for 30 days').waitFor();
    await page.getByRole('switch', { name: 'Maximum age of requests' }).click();
    for (const number of ['0', '31', '']) {
      await days().fill(number);
      await save();
      await page.getByText('Enter a whole number from 1 to 30.').first().waitFor();
    }
  });

  it('warns of what will be removed, and shows everywhere how long requests are kept', async () => {
    await days().fill('2');
    await page.getByText('Requests older than 2 days are removed').waitFor();
    await save();
    await page.getByText('The policies were saved').waitFor();
    const offered = await periods();
    assert.equal(offered.length, 4);
    assert.ok(!offered.some((text) => text.includes('30')));
    await page.getByText('Requests are kept for 2 days').waitFor();
  });
});
