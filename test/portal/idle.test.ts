import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { layout } from '../../packages/portal/src/messages/en/layout.ts';
import { signIn as words } from '../../packages/portal/src/messages/en/sign-in.ts';
import { changeDatabase } from './change-database.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { addCustomer, password, type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { signIn } from './showing.ts';

const minuteMs = 60_000;
const email = 'ada@northwind.example';

describe('a page that is left open', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let ada: Visitor;
  let page: Page;

  before(async () => {
    service = await startPortalService();
    await addCustomer(service, await setUpOperator(service), 'Northwind', { name: 'Ada Lindqvist', email });
    browser = await openBrowser();
  });

  beforeEach(async () => {
    await ada?.context.close();
    ada = await visit(browser, service.origin);
    ({ page } = ada);
    await signIn(ada, email);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** The time without any activity of the person. */
  const leaveFor = (milliseconds: number): Promise<unknown> =>
    changeDatabase(service, (database) =>
      database.prepare('UPDATE person_sessions SET last_seen_at_ms = ?').run(Date.now() - milliseconds),
    );
  /** The time without activity in the most recently used session. */
  const leftForMs = async (): Promise<number> => {
    const read = (database: DatabaseSync): unknown =>
      database.prepare('SELECT max(last_seen_at_ms) AS seen FROM person_sessions').get();
    const { seen } = (await changeDatabase(service, read)) as { seen: number };
    return Date.now() - seen;
  };

  /** For the page, more than the half minute after which it checks by itself who is signed in. */
  const aWhileLater = (): Promise<void> => page.clock.fastForward(31_000);

  it('keeps no session by what it asks by itself, and shows the sign-in when it has ended', async () => {
    await page.clock.install();
    await page.goto('/portal/logs/requests?period=24h');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await leaveFor(12 * minuteMs);
    const answered = page.waitForResponse((response) => response.url().endsWith('/portal/auth/state'));
    await aWhileLater();
    await answered;
    assert.ok((await leftForMs()) > 11 * minuteMs, 'the page has kept the session by itself');
    await leaveFor(15 * minuteMs + 1000);
    await aWhileLater();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.getByText(words.endedTitle).waitFor();
    const { pathname, searchParams } = new URL(page.url());
    assert.equal(pathname, '/portal/sign-in');
    assert.match(searchParams.get('return') ?? '', /^\/logs\/requests\?period=24h/);

    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/portal/logs/requests?period=24h**');
    assert.deepEqual(ada.complaints, []);
  });

  const warning = (): Locator => page.getByRole('alert').filter({ hasText: layout.sessionEnding.title });
  /** Opens the profile, types something, and leaves the page alone until a minute before the session's end. */
  async function leaveWithDraft(): Promise<void> {
    await page.clock.install();
    await page.goto('/portal/settings/profile');
    await name().fill('Ada, not saved');
    assert.equal(await warning().count(), 0);
    await leaveFor(14 * minuteMs);
    await aWhileLater();
    await warning().waitFor();
  }

  it('warns before the session of an idle person ends, and any key keeps the session', async () => {
    await leaveWithDraft();
    assert.match((await warning().textContent())!, new RegExp(layout.sessionEnding.kept));
    await page.keyboard.press('Shift');
    await warning().waitFor({ state: 'detached' });
    assert.ok((await leftForMs()) < 10 * minuteMs);
    assert.equal(await name().inputValue(), 'Ada, not saved');
    assert.deepEqual(ada.complaints, []);
  });

  it('warns with a button that keeps the session and the focus', async () => {
    await leaveWithDraft();
    await warning().getByRole('button', { name: layout.sessionEnding.stay }).click();
    await warning().waitFor({ state: 'detached' });
    assert.ok((await leftForMs()) < 10 * minuteMs);
    assert.equal(await name().evaluate((field) => field === document.activeElement), true);
  });

  it('warns nobody who is active in another window', async () => {
    await leaveWithDraft();
    await leaveFor(0);
    await aWhileLater();
    await warning().waitFor({ state: 'detached' });
  });

  it('asks for a new sign-in over what was typed when nobody reacts to the warning', async () => {
    await leaveWithDraft();
    await leaveFor(15 * minuteMs);
    await page.clock.fastForward(61_000);
    await page.getByRole('dialog', { name: words.endedTitle }).waitFor();
    assert.equal(await warning().count(), 0);
    assert.equal(await name().inputValue(), 'Ada, not saved');
  });

  it('warns before the session ends in any case, and offers nothing to keep it', async () => {
    await page.clock.install();
    await page.goto('/portal/logs/requests');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const startedAtMs = Date.now() - 12 * 60 * minuteMs + minuteMs;
    await changeDatabase(service, (database) =>
      database.prepare('UPDATE person_sessions SET created_at_ms = ?').run(startedAtMs),
    );
    await aWhileLater();
    await warning().waitFor();
    assert.match((await warning().textContent())!, new RegExp(layout.sessionEnding.over));
    assert.equal(await warning().getByRole('button').count(), 0);
  });

  const name = (): Locator => page.getByLabel('Name', { exact: true });
  /** Types something, and ends the session. */
  async function endWithDraft(draft: string): Promise<Locator> {
    await page.goto('/portal/settings/profile');
    await name().fill(draft);
    await changeDatabase(service, (database) => database.exec('DELETE FROM person_sessions'));
    const dialog = page.getByRole('dialog', { name: words.endedTitle });
    // The page's next request finds the session gone.
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    await dialog.waitFor();
    return dialog;
  }

  it('keeps what was typed while the person signs in again', async () => {
    const dialog = await endWithDraft('Ada, not saved');
    assert.equal(new URL(page.url()).pathname, '/portal/settings/profile');
    await page.keyboard.press('Escape');
    assert.equal(await dialog.getByLabel('Email').inputValue(), email);
    const { width, height } = (await dialog.boundingBox())!;
    assert.deepEqual({ width, height }, page.viewportSize(), 'nothing of the page shows');
    await dialog.getByLabel('Password', { exact: true }).fill('wrong');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await name().inputValue(), 'Ada, not saved');
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await name().press('Enter');
    assert.equal((await saved).status(), 200);
    assert.deepEqual(ada.complaints, []);
  });

  it('shows nothing of what was typed to the person who signs in next', async () => {
    const dialog = await endWithDraft('Not for others');
    await dialog.getByLabel('Email').fill('olga@provider.example');
    await dialog.getByLabel('Password', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: /^Olga Operator/ }).waitFor();
    assert.equal(await name().inputValue(), 'Olga Operator');
  });

  it('keeps the session of somebody who does something', async () => {
    await page.goto('/portal/logs/requests');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await leaveFor(12 * minuteMs);
    const told = page.waitForResponse((response) => response.url().endsWith('/portal/auth/activity'));
    await page.keyboard.press('Tab');
    assert.equal((await told).status(), 204);
    assert.ok((await leftForMs()) < 10 * minuteMs);
    const { length } = ada.sent.filter((text) => text.includes('/portal/auth/activity'));
    await page.evaluate(() => addEventListener('wheel', () => document.body.classList.add('scrolled')));
    await page.keyboard.press('Tab');
    await page.mouse.wheel(0, 10);
    await page.locator('body.scrolled').waitFor();
    // Anything that the page had sent before would have arrived by now.
    await page.evaluate(async () => (await fetch('/portal/auth/state?sentinel')).text());
    assert.ok(ada.sent.some((text) => text.includes('/portal/auth/state?sentinel')));
    assert.equal(ada.sent.filter((text) => text.includes('/portal/auth/activity')).length, length);
  });
});
