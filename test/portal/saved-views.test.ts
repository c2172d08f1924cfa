import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SavedView, SavedViews } from '@countersign/contract';
import type { Browser, Locator, Page } from 'playwright-core';
import { exporting } from '../../packages/portal/src/messages/en/exporting.ts';
import { requests } from '../../packages/portal/src/messages/en/requests.ts';
import { savedViews as t } from '../../packages/portal/src/messages/en/saved-views.ts';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { layoutShift, shiftMax } from './layout-shift.ts';
import type { PortalSession } from './portal-session.ts';
import { addCustomer, invite, type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { resize, showIn, signIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

const attack = '<img src=x onerror=alert(1)>';

describe('saved views of the request log', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let operator: PortalSession;
  let owner: PortalSession;
  let viewer: PortalSession;
  let ada: Visitor;
  let vera: Visitor;
  let page: Page;

  before(async () => {
    service = await startPortalService();
    operator = await setUpOperator(service);
    const person = { name: 'Ada Lindqvist', email: 'ada@northwind.example' };
    owner = await addCustomer(service, operator, 'Northwind', person);
    const other = { name: 'Vera Viewer', email: 'vera@northwind.example', role: 'viewer' } as const;
    viewer = await invite(service, owner, other);
    browser = await openBrowser();
    ada = await visit(browser, service.origin, { width: 1440, height: 900 });
    vera = await visit(browser, service.origin, { width: 1440, height: 900 });
    await signIn(ada, person.email);
    await signIn(vera, other.email);
    ({ page } = ada);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const button = (on = page): Locator => on.getByRole('button', { name: /^Views/ });
  const item = (name: string | RegExp, on = page): Locator => on.getByRole('menuitem', { name });
  const view = (name: string | RegExp, on = page): Locator => on.getByRole('menuitemradio', { name });

  async function open(query = '', on = page): Promise<void> {
    await on.goto(`/portal/logs/requests${query}`);
    await on.getByRole('heading', { level: 1, name: requests.title }).waitFor();
    await on.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  }

  async function openMenu(on = page): Promise<void> {
    await button(on).click();
    await on.getByRole('menu').waitFor();
  }

  async function choose(name: string | RegExp, on = page): Promise<void> {
    await openMenu(on);
    await item(name, on).click();
  }

  async function views(session: PortalSession): Promise<readonly SavedView[]> {
    return (await session.send<SavedViews>('GET', '/v1/saved-views')).items;
  }

  it('are explained while there are none, and need a name that is not taken', async () => {
    await open('?outcome=refused&period=7d');
    await openMenu();
    await page.getByText(t.none).waitFor();
    await item(t.saveAs).click();
    const dialog = page.getByRole('dialog', { name: t.saveTitle });
    await dialog.getByRole('button', { name: t.save }).click();
    await dialog.getByText(t.nameInvalid).waitFor();
    await dialog.getByLabel(t.name).fill('Rejected this week');
    assert.deepEqual(await accessibilityFaults(page), []);
    await dialog.getByRole('button', { name: t.save }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: requests.viewUsed('Rejected this week'), exact: true }).waitFor();
    await choose(t.saveAs);
    await dialog.getByLabel(t.name).fill('rejected THIS week');
    await dialog.getByRole('button', { name: t.save }).click();
    await dialog.getByText(t.nameTaken).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(
      (await views(owner)).map(({ name, query, isShared }) => [name, query, isShared]),
      [['Rejected this week', 'outcome=refused&period=7d', false]],
    );
  });

  it('are applied, say that they were changed, and are updated', async () => {
    await open();
    await page.getByRole('button', { name: requests.views, exact: true }).waitFor();
    await openMenu();
    await view('Rejected this week').click();
    await page.waitForURL(/outcome=refused&period=7d$/);
    await page.getByRole('combobox', { name: 'Status', exact: true }).click();
    await page.getByRole('option', { name: requests.statusClasses['4xx'] }).click();
    await page
      .getByRole('button', { name: requests.viewChanged('Rejected this week'), exact: true })
      .waitFor();
    await openMenu();
    assert.equal(await view('Rejected this week').getAttribute('aria-checked'), 'true');
    assert.deepEqual(await accessibilityFaults(page), []);
    await item(t.update('Rejected this week')).click();
    await page.getByRole('button', { name: requests.viewUsed('Rejected this week'), exact: true }).waitFor();
    assert.equal((await views(owner))[0]?.query, 'outcome=refused&status=4xx&period=7d');
    // A reload knows it by its filters.
    await page.reload();
    await page.getByRole('button', { name: requests.viewUsed('Rejected this week'), exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: requests.views, exact: true }).waitFor();
  });

  it('leave out the open request, which stays open', async () => {
    await open('?period=30d&request=request_01k9xq2v6h4mz7c1r8t0w5n3bd');
    await choose(t.saveAs);
    const dialog = page.getByRole('dialog', { name: t.saveTitle });
    await dialog.getByLabel(t.name).fill('Month');
    await dialog.getByRole('button', { name: t.save }).click();
    await dialog.waitFor({ state: 'detached' });
    const saved = (await views(owner)).find(({ name }) => name === 'Month');
    assert.equal(saved?.query, 'period=30d');
    await openMenu();
    await view('Rejected this week').click();
    await page.waitForURL(/period=7d&request=request_01k9/);
  });

  it('are shared, renamed and deleted by their author, and seen by others without these', async () => {
    await open('?outcome=refused&status=4xx&period=7d');
    await choose(t.share);
    await page.getByText(t.sharedNow('Rejected this week')).first().waitFor();
    await choose(t.rename);
    const dialog = page.getByRole('dialog', { name: t.renameTitle });
    await dialog.getByLabel(t.name).fill(attack);
    await dialog.getByRole('button', { name: t.save }).click();
    await page.getByRole('button', { name: requests.viewUsed(attack), exact: true }).waitFor();

    await open('', vera.page);
    await openMenu(vera.page);
    await view(new RegExp('onerror'), vera.page).getByText(t.by('Ada Lindqvist')).waitFor();
    assert.equal(await vera.page.getByRole('menuitemradio').count(), 1);
    await view(new RegExp('onerror'), vera.page).click();
    await vera.page.waitForURL(/outcome=refused&status=4xx&period=7d$/);
    await openMenu(vera.page);
    await item(t.saveAs, vera.page).waitFor();
    for (const name of [t.rename, t.remove, t.share, t.unshare])
      assert.equal(await item(name, vera.page).count(), 0, name);
    await vera.page.keyboard.press('Escape');

    await choose(t.remove);
    const question = page.getByRole('dialog', { name: t.removeTitle(attack) });
    await question.getByText(t.removeSharedText).waitFor();
    await question.getByRole('button', { name: t.removeLabel }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: requests.views, exact: true }).waitFor();
    assert.deepEqual(await views(viewer), []);
    await page.goto('/portal/settings/audit-log?action=saved_view');
    for (const words of ['shared the view', 'changed the shared view', 'from the shared ones'])
      await page.getByText(words).first().waitFor();
    assert.deepEqual([ada.complaints, vera.complaints], [[], []]);
  });

  it('are used from the keyboard, on a phone too, without moving what is beside them', async () => {
    for (const [width, scheme] of [
      [1440, 'light'],
      [390, 'dark'],
      [320, 'light'],
    ] as const) {
      await resize(page, width);
      await showIn(page, scheme);
      await open('?period=30d');
      await page.getByRole('button', { name: requests.viewUsed('Month'), exact: true }).waitFor();
      assert.ok((await layoutShift(page)) < shiftMax, `${width}`);
      await button().press('Enter');
      await item(t.saveAs).waitFor();
      assert.deepEqual(await accessibilityFaults(page), []);
      assert.deepEqual(await stickingOut(page), []);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
    }
    await resize(page, 390);
    const [one, other] = await Promise.all([
      button().boundingBox(),
      page.getByRole('button', { name: exporting.export }).boundingBox(),
    ]);
    assert.equal(one?.y, other?.y);
    await resize(page, 1440);
  });
});
