import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RunningService } from '@countersign/testing/running-service';
import type { Browser } from 'playwright-core';
import { layout } from '../../packages/portal/src/messages/en/layout.ts';
import { signIn as words } from '../../packages/portal/src/messages/en/sign-in.ts';
import { passwordAdvice } from '../../packages/portal/src/messages/en/problem-advice.ts';
import { roles } from '../../packages/portal/src/messages/en/roles.ts';
import { stepUp } from '../../packages/portal/src/messages/en/step-up.ts';
import { changeDatabase } from './change-database.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { openDemonstration } from './demo-account.ts';

describe('the demonstration', { skip: skipWithoutBrowser }, () => {
  let running: RunningService;
  let browser: Browser;
  let visitor: Visitor;

  before(async () => {
    const { origin, ...opened } = await openDemonstration();
    ({ running } = opened);
    browser = await openBrowser();
    visitor = await visit(browser, origin);
  });

  after(async () => {
    await browser?.close();
    await running?.close();
  });

  it('asks nobody for a password that nobody has seen', async () => {
    const { page, complaints } = visitor;
    await page.goto('/portal/sign-in');
    await page.getByRole('button', { name: words.demonstrationAction }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await changeDatabase(running, (database) =>
      database.exec('UPDATE person_sessions SET password_proved_at_ms = 0, factor_proved_at_ms = 0'),
    );
    await page.goto('/portal/settings/roles');
    await page.getByRole('button', { name: roles.addRole }).click();
    const editor = page.getByRole('dialog', { name: /role/i });
    await editor.getByLabel('Name').fill('lookers');
    await editor.getByRole('checkbox').first().check();
    await editor.locator('button[type=submit]').click();
    const proof = page.getByRole('dialog', { name: layout.confirmIdentity });
    const field = proof.getByLabel(stepUp.password, { exact: true });
    await proof.getByText(stepUp.demoPassword).waitFor();
    assert.notEqual(await field.inputValue(), '');
    // A wrong one is reported differently from an email address, which the page does not ask for here.
    const rightPassword = await field.inputValue();
    await field.fill('something else');
    await proof.getByRole('button', { name: stepUp.confirm, exact: true }).click();
    await proof.getByText(passwordAdvice.credentials_invalid.title).waitFor();
    await field.fill(rightPassword);
    await proof.getByRole('button', { name: stepUp.confirm, exact: true }).click();
    await proof.waitFor({ state: 'detached' });
    await editor.waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });
});
