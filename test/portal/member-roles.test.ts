import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { KeyboardUser } from './keyboard.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import { invite, type PortalService } from './scene.ts';
import { resize, signIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

describe('roles that an account makes for its members', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let page: Page;
  let owner: PortalSession;
  let ben: Visitor;

  before(async () => {
    ({ service, browser, page, owner } = await openNorthwind());
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const dialog = (shown: Page = page): Locator => shown.getByRole('dialog');
  const openMenu = async (name: string, item: string): Promise<void> => {
    await page.getByRole('button', { name }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('are found from the team, and added with the keyboard alone', async () => {
    await page.goto('/portal/settings/team');
    await page.getByRole('link', { name: 'Manage member roles' }).click();
    await page.getByRole('tab', { name: 'For members', selected: true }).waitFor();
    await page.getByText('No custom roles yet').waitFor();
    const user = new KeyboardUser(page);
    await user.press(/^button: Add role/);
    await dialog().getByText('Add role for members').waitFor();
    await dialog()
      .getByRole('checkbox', { name: /^members:write/ })
      .waitFor();
    await user.type(/^text: Name/, 'support');
    await user.type(/^text: Summary/, 'Answers questions about requests');
    await user.press(/^checkbox: clients:read/, 'Space');
    await user.press(/^checkbox: requests:read/, 'Space');
    await user.press(/^button: Add$/);
    await page.getByText('The role support was created').waitFor();
    await page.getByRole('row', { name: /support.*2 permissions/s }).waitFor();
    assert.deepEqual(user.unseen, []);
    const { data } = await owner.send<{ data: { permissions: string[] }[] }>(
      'GET',
      '/v1/roles?holders=members',
    );
    assert.deepEqual(
      data.map(({ permissions }) => permissions),
      [['clients:read', 'requests:read']],
    );
  });

  it('stand beside the built-in ones, apart from those of clients', async () => {
    const matrix = page.getByRole('region', { name: 'Permissions by role' });
    await matrix.getByRole('columnheader', { name: 'Owner' }).waitFor();
    await matrix.getByRole('columnheader', { name: 'support' }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    for (const width of [390, 320]) {
      await resize(page, width);
      assert.deepEqual(await stickingOut(page), []);
    }
    await resize(page, 1440);
    await page.getByRole('tab', { name: 'For clients' }).click();
    await matrix.getByRole('columnheader', { name: 'auditor' }).waitFor();
    assert.equal(await matrix.getByRole('columnheader', { name: 'support' }).count(), 0);
  });

  it('are offered to whoever is invited, who may do that and nothing else', async () => {
    await page.goto('/portal/settings/team');
    await page.getByRole('button', { name: 'Invite' }).first().click();
    await dialog().getByRole('radio', { name: 'support' }).waitFor();
    await dialog().getByText('Answers questions about requests').waitFor();
    await page.keyboard.press('Escape');
    await invite(service, owner, { name: 'Ben Okafor', email: 'ben@northwind.example', role: 'support' });
    ben = await visit(browser, service.origin);
    await signIn(ben, 'ben@northwind.example');
    await ben.page.goto('/portal/');
    await ben.page.getByRole('link', { name: 'Requests' }).first().waitFor();
    await ben.page.getByText('support', { exact: true }).first().waitFor();
    for (const name of ['Team', 'Roles', 'Audit log', 'Webhooks'])
      assert.equal(await ben.page.getByRole('link', { name, exact: true }).count(), 0, name);
  });

  it('show whom a change concerns, and count at once', async () => {
    await page.goto('/portal/settings/roles?for=members');
    await openMenu('Actions for role support', 'Edit');
    await dialog().getByText('You haven’t changed anything yet.').waitFor();
    await dialog()
      .getByRole('checkbox', { name: /^members:read/ })
      .check();
    await dialog().getByText('Permissions of 1 member change with their next request:').waitFor();
    await dialog().getByText('Ben Okafor').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('The role support was saved').waitFor();
    await ben.page.goto('/portal/settings/team');
    await ben.page.getByRole('rowheader', { name: /Ben Okafor/ }).waitFor();
    await ben.page.getByRole('cell', { name: 'support' }).waitFor();
    assert.ok(await ben.page.getByRole('button', { name: 'Invite' }).isDisabled());
  });

  it('stay while someone has them, and say what to do', async () => {
    await openMenu('Actions for role support', 'Remove');
    await dialog()
      .getByText(/no pending invitation offers it/)
      .waitFor();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await dialog().getByText('The role is still in use').waitFor();
    await dialog()
      .getByText(/give its members another role/)
      .waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.goto('/portal/settings/team');
    await openMenu('Actions for Ben Okafor', 'Change role');
    await dialog().getByRole('radio', { name: 'Viewer' }).check();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('Ben Okafor is now Viewer').waitFor();
    await page.goto('/portal/settings/roles?for=members');
    await openMenu('Actions for role support', 'Remove');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The role support was removed').waitFor();
    await waitUntil(
      async () => (await page.getByText('No custom roles yet').count()) === 1,
      'the empty list',
    );
  });

  it('have German words', async () => {
    const german = await visit(browser, service.origin, { locale: 'de-DE' });
    await signIn(german, 'ada@northwind.example');
    await german.page.goto('/portal/settings/roles?for=members');
    await german.page.getByRole('tab', { name: 'Für Mitglieder', selected: true }).waitFor();
    await german.page.getByRole('button', { name: 'Rolle hinzufügen' }).click();
    await dialog(german.page).getByText('Rolle für Mitglieder hinzufügen').waitFor();
    await dialog(german.page).getByText('Sicherheitsrichtlinie', { exact: true }).waitFor();
    await german.context.close();
  });
});
