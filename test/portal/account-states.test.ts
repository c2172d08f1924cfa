import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { brokenRules } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit } from './browser.ts';
import { addCustomer, type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { signIn } from './showing.ts';

describe('an operator suspends and closes an account', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let operator: Page;
  let owner: Page;

  before(async () => {
    service = await startPortalService();
    const person = { name: 'Ada Lindqvist', email: 'ada@northwind.example' };
    await addCustomer(service, await setUpOperator(service), 'Northwind', person);
    browser = await openBrowser();
    const [one, other] = [await visit(browser, service.origin), await visit(browser, service.origin)];
    operator = one.page;
    owner = other.page;
    await signIn(one, 'olga@provider.example');
    await signIn(other, person.email);
    await operator.goto('/portal/operator/accounts');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const row = () => operator.getByRole('row', { name: /Northwind/ });
  const choose = async (item: string): Promise<void> => {
    await operator.getByRole('button', { name: 'Actions for Northwind' }).click();
    await operator.getByRole('menuitem', { name: item }).click();
  };

  it('shows whose account it is', async () => {
    await row().getByText('Ada Lindqvist').waitFor();
    assert.deepEqual(await brokenRules(operator), []);
  });

  it('needs a reason, and changes nothing without one', async () => {
    await choose('Suspend account');
    const dialog = operator.getByRole('dialog', { name: 'Suspend Northwind?' });
    await dialog.getByRole('button', { name: 'Suspend account' }).click();
    await dialog.getByText('Enter 10 to 500 characters.').waitFor();
    assert.deepEqual(await brokenRules(operator), []);
    await operator.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await row().getByText('Suspended').count(), 0);
  });

  it('is told to the members with the reason, who cannot change anything any more', async () => {
    await choose('Suspend account');
    const dialog = operator.getByRole('dialog', { name: 'Suspend Northwind?' });
    await dialog.getByLabel('Reason').fill('Unpaid since <b>September</b>');
    await dialog.getByRole('button', { name: 'Suspend account' }).click();
    await row().getByText('Suspended').waitFor();
    await owner.goto('/portal/integrations/api-keys');
    const notice = owner.getByRole('complementary', { name: 'This account is suspended' });
    await notice.getByText('Reason: Unpaid since <b>September</b>').waitFor();
    assert.equal(await owner.getByRole('link', { name: 'Add client' }).count(), 0);
    assert.deepEqual(await brokenRules(owner), []);
  });

  it('is undone by resuming', async () => {
    await choose('Resume account');
    const dialog = operator.getByRole('dialog', { name: 'Resume Northwind?' });
    await dialog.getByLabel('Reason').fill('Paid by bank transfer');
    await dialog.getByRole('button', { name: 'Resume account' }).click();
    await row().getByText('Suspended').waitFor({ state: 'detached' });
    await owner.reload();
    await owner.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await owner.getByRole('complementary', { name: 'This account is suspended' }).count(), 0);
  });

  it('is closed only after its name was typed, for good', async () => {
    await choose('Close account');
    const dialog = operator.getByRole('dialog', { name: 'Close Northwind?' });
    await dialog.getByLabel('Reason').fill('The contract has ended');
    const button = dialog.getByRole('button', { name: 'Close account' });
    assert.equal(await button.isDisabled(), true);
    await dialog.getByRole('textbox', { name: /Northwind/ }).fill('Northwind');
    await button.click();
    await row().getByText('Closed').waitFor();
    await operator.getByRole('button', { name: 'Actions for Northwind' }).click();
    await operator.getByRole('menuitem', { name: 'Edit' }).waitFor();
    assert.equal(await operator.getByRole('menuitem', { name: 'Resume account' }).count(), 0);
    await owner.reload();
    await owner.getByRole('complementary', { name: 'This account is closed' }).waitFor();
  });
});
