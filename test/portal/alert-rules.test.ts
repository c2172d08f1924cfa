import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AlertRule } from '@countersign/contract';
import type { RunningService } from '@countersign/testing/running-service';
import type { Browser, Locator, Page } from 'playwright-core';
import { alertWords } from '../../packages/portal/src/messages/en/alert-words.ts';
import { alerts as t } from '../../packages/portal/src/messages/en/alerts.ts';
import { notices } from '../../packages/portal/src/messages/en/notices.ts';
import { brokenRules } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { openDemonstration, ownDemoAccount } from './demo-account.ts';
import type { PortalSession } from './portal-session.ts';
import { resize } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

describe('alert rules in the portal', { skip: skipWithoutBrowser }, () => {
  let running: RunningService;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;
  let owner: PortalSession;

  before(async () => {
    const demonstration = await openDemonstration({ noticesEveryMs: 200 });
    ({ running } = demonstration);
    owner = await ownDemoAccount(demonstration);
    browser = await openBrowser();
    visitor = await visit(browser, demonstration.origin, { width: 1440 });
    ({ page } = visitor);
    await page.goto('/portal/');
    await page.getByRole('button', { name: 'Open demo account' }).click();
    await page.getByRole('link', { name: t.title, exact: true }).click();
  });

  after(async () => {
    await browser?.close();
    await running?.close();
  });

  const heading = (name: string): Locator => page.getByRole('heading', { level: 1, name });
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const field = (name: string): Locator => page.getByRole('textbox', { name, exact: true });
  const choose = async (label: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  it('are explained while there are none, and added from there', async () => {
    await page.getByText(t.empty.title).waitFor();
    assert.deepEqual(await brokenRules(page), []);
    await page.getByRole('link', { name: t.add }).click();
    await heading(t.form.addTitle).waitFor();
  });

  it('need a name, thresholds within their bounds and a channel, and say which', async () => {
    await field(t.form.percentAbove).fill('120');
    await page.getByText(t.form.incomplete).waitFor();
    for (const channel of ['inInbox', 'byMail'] as const)
      await page.getByRole('checkbox', { name: t.channelNames[channel] }).uncheck();
    await button(t.form.add).click();
    await page.getByText(t.form.nameWrong).first().waitFor();
    await page.getByText(t.form.wrong(0, 99)).first().waitFor();
    await page.getByText(t.form.noChannel).first().waitFor();
    assert.deepEqual(await brokenRules(page), []);
  });

  it('are read back as a sentence, with what they measure now', async () => {
    await field(t.form.percentAbove).fill('20');
    await page.getByRole('checkbox', { name: t.channelNames.inInbox }).check();
    const condition = { kind: 'failure_rate', percentAbove: 20, requestsMin: 50, minutes: 15 } as const;
    await page.getByText(alertWords.rule(condition, undefined)).waitFor();
    await page.getByText(/^Now: .+ would not fire\./).waitFor();
    await choose(t.form.kind, t.kinds.key_due);
    await field(t.form.days).fill('90');
    await page.getByText(alertWords.rule({ kind: 'key_due', days: 90 }, undefined)).waitFor();
    await choose(t.form.kind, t.kinds.no_requests);
    await field(t.form.silentFor).fill('10');
    await choose(t.form.unit, t.form.units.minutes);
    await page.getByText(alertWords.rule({ kind: 'no_requests', minutes: 10 }, undefined)).waitFor();
    await choose(t.form.kind, t.kinds.failure_rate);
  });

  it('are in the list after that, with their state, and fire into the inbox', async () => {
    await field(t.form.name).fill('Requests fail');
    await button(t.form.add).click();
    await heading(t.title).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Requests fail' });
    await row.getByText(t.states.ok, { exact: true }).waitFor();
    // A key of the demo account that ends.
    const { data } = await owner.send<{ data: { clientId: string }[] }>('GET', '/v1/clients?search=checkout');
    const { clientId } = data[0]!;
    const keys = await owner.send<{ data: { keyId: string; status: string }[] }>(
      'GET',
      `/v1/clients/${clientId}/keys`,
    );
    const { keyId } = keys.data.find(({ status }) => status === 'active')!;
    await owner.send('POST', `/v1/clients/${clientId}/keys/${keyId}/retire`, {});
    await owner.send<AlertRule>('POST', '/v1/alert-rules', {
      name: 'Keys end',
      condition: { kind: 'key_due', days: 90 },
      clientId,
    });
    await page.reload();
    const firing = page.getByRole('row').filter({ hasText: 'Keys end' });
    await firing.getByText(t.states.firing, { exact: true }).waitFor({ timeout: 30_000 });
    assert.deepEqual(await brokenRules(page), []);
    await page.getByRole('link', { name: t.toNotices, exact: true }).click();
    await page
      .getByText(/A key expires in \d+ days?/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: notices.open.rules }).first().click();
    await heading(t.title).waitFor();
  });

  it('are changed in the same form, and switched off', async () => {
    await page.getByRole('link', { name: /Requests fail/ }).click();
    await heading(t.form.updateTitle).waitFor();
    await page.getByText(t.form.nothingChanged).waitFor();
    await page.getByRole('switch', { name: t.form.isEnabled }).click();
    await button(t.form.update).click();
    await heading(t.title).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Requests fail' });
    await row.getByText(t.states.off, { exact: true }).waitFor();
  });

  it('fit a phone of 320 pixels, list and form', async () => {
    await resize(page, 320);
    assert.deepEqual(await stickingOut(page), []);
    await page.goto('/portal/notices/rules/new');
    await heading(t.form.addTitle).waitFor();
    assert.deepEqual(await stickingOut(page), []);
    assert.deepEqual(await brokenRules(page), []);
    await resize(page, 1440);
  });

  it('are deleted after a question', async () => {
    await page.goto('/portal/notices/rules');
    await page.getByRole('link', { name: /Keys end/ }).click();
    await button(t.remove.action).click();
    const dialog = page.getByRole('dialog', { name: t.remove.title });
    await dialog.getByRole('button', { name: t.remove.action }).click();
    await heading(t.title).waitFor();
    await page.getByText(t.remove.done).waitFor();
    await page.getByRole('row').filter({ hasText: 'Keys end' }).waitFor({ state: 'detached' });
  });
});
