import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { databaseFileName } from '../../packages/server/src/registry/local-registry.ts';
import {
  type OpenIdProvider,
  runOpenIdProvider,
} from '../../packages/server/test/identity/openid-provider.ts';
import { providerSettings } from '../../packages/server/test/identity/provider-sign-in.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { type PortalService, setUpOperator, startPortalService } from './scene.ts';

/* A person who can only use the company's own identity provider. */

describe('somebody who signs in through the identity provider', { skip: skipWithoutBrowser }, () => {
  let provider: OpenIdProvider;
  let service: PortalService;
  let browser: Browser;
  let olga: Visitor;
  let page: Page;
  const email = 'olga@provider.example';

  before(async () => {
    provider = await runOpenIdProvider();
    provider.claims = { sub: 'olga', email, email_verified: true };
    service = await startPortalService(providerSettings(provider.issuer));
    await setUpOperator(service);
    browser = await openBrowser();
    olga = await visit(browser, service.origin);
    ({ page } = olga);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
    await provider?.close();
  });

  const proof = (): Locator => page.getByRole('dialog', { name: 'Confirm it’s you' });
  const confirm = (): Locator => proof().getByRole('button', { name: 'Confirm with Example SSO' });
  const editor = (): Locator => page.getByRole('dialog', { name: /role/i });
  const now = (): number => Math.floor(Date.now() / 1000);
  const rolesNamed = (name: string): number => {
    const database = new DatabaseSync(join(service.dataFolder, databaseFileName), { readOnly: true });
    const { count } = database.prepare('select count(*) as count from roles where name = ?').get(name) as {
      count: number;
    };
    database.close();
    return count;
  };

  it('is told that what could sign in before has ended, with the first sign-in', async () => {
    await page.goto('/portal/sign-in');
    await page.getByRole('link', { name: 'Sign in with Example SSO' }).click();
    await page.getByText('Earlier sign-in methods were removed').waitFor();
    await page.getByText('you have no password here').waitFor();
  });

  it('is told what is missing when the provider does not say when it asked', async () => {
    await page.goto('/portal/settings/roles');
    await page.getByRole('button', { name: 'Add role' }).click();
    await editor().getByLabel('Name').fill('auditors');
    await editor().getByRole('checkbox').first().check();
    await editor()
      .getByRole('button', { name: /^(Add|Save|Create)/ })
      .click();
    await confirm().click();
    await proof().getByRole('alert').waitFor();
    assert.match(
      (await proof().getByRole('alert').textContent()) ?? '',
      /contact support.*Example SSO.*auth_time/,
    );
    assert.equal(rolesNamed('auditors'), 0);
  });

  it('confirms in a window of the provider, and what was begun goes on', async () => {
    provider.claims = { ...provider.claims, auth_time: now() };
    await confirm().click();
    await proof().waitFor({ state: 'detached' });
    await editor().waitFor({ state: 'detached' });
    assert.equal(rolesNamed('auditors'), 1);
    assert.deepEqual(olga.complaints, []);
  });
});
