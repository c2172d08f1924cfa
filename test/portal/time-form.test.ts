import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { profile } from '../../packages/portal/src/messages/en/profile.ts';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { resize, signIn } from './showing.ts';

const t = profile.times;

describe("a person's time zone and form of dates", { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;

  before(async () => {
    service = await startPortalService();
    await setUpOperator(service);
    browser = await openBrowser();
    visitor = await visit(browser, service.origin);
    ({ page } = visitor);
    await signIn(visitor, 'olga@provider.example');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Opens the first entry of the audit log, and returns when it happened. */
  async function timeInAuditLog(): Promise<string> {
    await page.goto('/portal/settings/audit-log');
    const first = page.getByRole('main').locator('time').first();
    await first.waitFor();
    return (await first.innerText()).replaceAll('\n', ' ');
  }

  it('are chosen in the profile, with a search, and apply at once and on every page', async () => {
    await page.goto('/portal/settings/profile');
    const now = page.getByText(/^Now: /);
    await page.getByRole('combobox', { name: t.zone }).fill('kolk');
    await page.getByRole('option', { name: /Kolkata|Calcutta/ }).click();
    await page.getByRole('combobox', { name: t.date, exact: true }).selectOption('iso');
    await page.getByRole('combobox', { name: t.clock, exact: true }).selectOption('12');
    await now.filter({ hasText: /^Now: \d{4}-\d\d-\d\d, \d{1,2}:\d\d:\d\d\s[ap]m GMT\+5:30$/i }).waitFor();
    for (const width of [390, 1440]) {
      await resize(page, width);
      assert.deepEqual(await accessibilityFaults(page), []);
    }
    assert.match(await timeInAuditLog(), /\d{4}-\d\d-\d\d, \d{1,2}:\d\d:\d\d\s[ap]m GMT\+5:30|ago|now/i);
  });

  it('are kept for the next visit, and anything else in their place is ignored', async () => {
    await page.goto('/portal/settings/profile');
    const zone = page.getByRole('combobox', { name: t.zone });
    assert.match(await zone.inputValue(), /Kolkata|Calcutta/);
    for (const kept of ['{', 'null', '[]', '{"zone":"<b>","date":"x","clock":7}']) {
      await page.evaluate((text) => localStorage.setItem('countersign-time-form', text), kept);
      await page.reload();
      await zone.waitFor();
      assert.match(await zone.inputValue(), /^Your browser’s: /, kept);
    }
    assert.deepEqual(visitor.complaints, []);
  });
});
