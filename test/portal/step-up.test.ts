import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { changeDatabase } from './change-database.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import type { PortalSession } from './portal-session.ts';
import { addCustomer, type PortalService, password, setUpOperator, startPortalService } from './scene.ts';
import { signIn } from './showing.ts';

interface Role {
  readonly roleId: string;
  readonly permissions: readonly string[];
}

const email = 'ada@northwind.example';

/** Ways to write another origin, or a script, as a return path; `return-path.test.ts` has the others. */
const elsewhere = [
  'https://evil.example',
  String.raw`/\evil.example`,
  '/\t/evil.example',
  'javascript:globalThis.hasRun=1',
  'data:text/html,<script>globalThis.hasRun=1</script>',
];

describe('a proof of who somebody is', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let ada: Visitor;
  let page: Page;
  let session: PortalSession;
  let role = '';

  before(async () => {
    service = await startPortalService();
    const person = { name: 'Ada Lindqvist', email };
    session = await addCustomer(service, await setUpOperator(service), 'Northwind', person);
    const { roleId } = await session.send<Role>('POST', '/v1/roles', {
      name: 'refunds',
      permissions: ['payments:read'],
    });
    role = `/v1/roles/${roleId}`;
    browser = await openBrowser();
    ada = await visit(browser, service.origin);
    ({ page } = ada);
    await signIn(ada, email);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const editor = (): Locator => page.getByRole('dialog', { name: /refunds/ });
  const proof = (): Locator => page.getByRole('dialog', { name: 'Confirm it’s you' });
  const permission = (name: string): Locator => editor().getByRole('checkbox', { name });
  const permissions = async (): Promise<string> =>
    (await session.send<Role>('GET', role)).permissions.toSorted().join();
  /** The number of role changes that the page has sent. */
  const changes = (): number => ada.sent.filter((text) => text.startsWith('PATCH ')).length;

  /** Everyone authenticated eleven minutes ago. */
  async function letProofsAge(): Promise<void> {
    const provedAtMs = Date.now() - 11 * 60_000;
    const { changes: aged } = await changeDatabase(service, (database) =>
      database
        .prepare('UPDATE person_sessions SET password_proved_at_ms = ?, factor_proved_at_ms = NULL')
        .run(provedAtMs),
    );
    assert.ok(Number(aged) > 0);
  }

  async function changeRole(name: string): Promise<void> {
    await page.goto('/portal/settings/roles');
    await page.getByRole('button', { name: 'Actions for role refunds' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await permission(name).check();
    await editor().getByRole('button', { name: 'Save' }).click();
  }

  it('is not asked for again soon after the sign-in', async () => {
    await changeRole('payments:write');
    await editor().waitFor({ state: 'detached' });
    assert.equal(await permissions(), 'payments:read,payments:write');
    assert.equal(changes(), 1);
  });

  it('is asked for when it is old, and a wrong password changes nothing', async () => {
    await letProofsAge();
    await changeRole('clients:read');
    await proof().getByLabel('Password', { exact: true }).fill('not the password at all');
    await proof().getByRole('button', { name: 'Confirm' }).click();
    await proof().getByRole('alert').waitFor();
    const words = (await proof().getByRole('alert').textContent()) ?? '';
    assert.match(words, /password/i);
    // The dialog has no field for an email address.
    assert.doesNotMatch(words, /email/i);
    assert.doesNotMatch(words, /step_up|credentials_invalid|40[13]|undefined|object/);
    assert.equal(await proof().getByLabel('Password', { exact: true }).inputValue(), '');
    assert.equal(await permissions(), 'payments:read,payments:write');
  });

  it('that is right lets the change through, without sending it again by hand', async () => {
    await proof().getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await editor().waitFor({ state: 'detached' });
    assert.equal(await permissions(), 'clients:read,payments:read,payments:write');
    assert.equal(await proof().count(), 0);
  });

  it('that is not given leaves the form as it was', async () => {
    await letProofsAge();
    await changeRole('keys:read');
    await proof().waitFor();
    await page.keyboard.press('Escape');
    await proof().waitFor({ state: 'detached' });
    assert.ok(await permission('keys:read').isChecked());
    assert.equal(await permissions(), 'clients:read,payments:read,payments:write');
  });

  it('is what the service asks for, whatever the page does', async () => {
    const status = await page.evaluate(async (path) => {
      const state = await (await fetch('/portal/auth/state')).json();
      return (
        await fetch(path, {
          method: 'PATCH',
          headers: {
            'Content-Type': 'application/json',
            'Countersign-Account': state.accounts[0].accountId,
            'Countersign-CSRF': '1',
            'If-Match': '*',
          },
          body: '{"permissions":["keys:read"]}',
        })
      ).status;
    }, role);
    assert.equal(status, 403);
    assert.deepEqual(ada.complaints, []);
  });

  describe('at the sign-in', () => {
    async function signInTo(returnPath: string): Promise<void> {
      await ada.context.clearCookies();
      await page.goto(`/portal/sign-in?return=${encodeURIComponent(returnPath)}`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('button', { name: /your menu/ }).waitFor();
    }

    it('leads to the page that was asked for', async () => {
      await signInTo('/settings/roles?from=link');
      assert.equal(page.url(), `${service.origin}/portal/settings/roles?from=link`);
    });

    it('leads to nobody else', async () => {
      await signInTo('//evil.example');
      assert.equal(page.url(), `${service.origin}/portal/`);
    });

    it('leads to nobody else when it is not needed', async () => {
      for (const place of elsewhere) {
        await page.goto(`/portal/sign-in?return=${encodeURIComponent(place)}`);
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        assert.equal(page.url(), `${service.origin}/portal/`, place);
      }
      assert.equal(await page.evaluate(() => 'hasRun' in globalThis), false);
      assert.deepEqual(
        ada.sent.filter((text) => !text.includes(` ${service.origin}/`)),
        [],
      );
      assert.deepEqual(ada.complaints, []);
    });
  });
});
