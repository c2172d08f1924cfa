import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { runProgram } from '../../packages/cli/test/run.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { type PortalService, password, startPortalService } from './scene.ts';
import { totpCode } from './totp.ts';

/*
 * The path of everyone who uses the portal, in one story: each step continues where the previous one
 * ended, as people do.
 */
describe('the whole way through the portal, in Chromium', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let operator: Visitor;
  let owner: Visitor;
  let viewer: Visitor;
  let manager: Visitor;
  let clientId = '';

  before(async () => {
    service = await startPortalService({ COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR: 'no' });
    browser = await openBrowser();
    [operator, owner, viewer, manager] = (await Promise.all(
      Array.from({ length: 4 }, () => visit(browser, service.origin)),
    )) as [Visitor, Visitor, Visitor, Visitor];
  });

  let brokenBy: string | undefined;

  /** A part of the story. After a failed part the others cannot run. */
  function step(name: string, run: () => Promise<void> | void): void {
    it(name, async () => {
      assert.equal(brokenBy, undefined, 'an earlier part of the story has failed');
      brokenBy = name;
      await run();
      brokenBy = undefined;
    });
  }

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Calls the API with the command line, as the integrator does. */
  async function call(key: string, ...words: string[]): Promise<{ code: number; text: string }> {
    const { code, out, errors } = await runProgram(
      ['request', ...words, '--client-id', clientId, '--key', join(service.dataFolder, key)],
      { folder: service.dataFolder },
    );
    return { code, text: out + errors };
  }

  step('the link of the console makes the first person', async () => {
    const { page } = operator;
    await page.goto(service.setUpLink());
    await page.getByLabel('Your name').fill('Olga Operator');
    await page.getByLabel('Email').fill('olga@provider.example');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('heading', { level: 1, name: 'Secure your sign-in first' }).waitFor();
    await page.goto('/portal/operator/accounts');
    await page.getByRole('heading', { level: 1, name: 'Secure your sign-in first' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Add account' }).count(), 0);
  });

  step('the link works once', async () => {
    const { page } = viewer;
    await page.goto(service.setUpLink());
    await page.getByRole('alert').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Set up' }).count(), 0);
  });

  step('the operator secures the sign-in with an authenticator app, and is asked for it', async () => {
    const { page } = operator;
    const recoveryCode = await secureSignIn(page);
    await page.getByRole('button', { name: /your menu/ }).click();
    // The portal goes to the sign-in by itself, which would end another navigation.
    const left = page.waitForEvent('load');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await left;
    await page.getByLabel('Email').waitFor();
    await signIn(page, 'olga@provider.example');
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(recoveryCode);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  step('the operator adds an account, and invites its owner while acting for it', async () => {
    const { page } = operator;
    await page.goto('/portal/operator/accounts');
    await page.getByRole('button', { name: 'Add account' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Northwind Payments');
    await dialog.getByRole('button', { name: /^(?:Add|Save)/ }).click();
    await actFor(page, 'Northwind Payments', 'The contract is signed: inviting the owner');
    await inviteFromTeam(page, 'ada@northwind.example', 'Owner');
    await page.getByRole('button', { name: 'Stop acting' }).click();
    await page.getByText('You are acting for').waitFor({ state: 'detached' });
  });

  step('the owner follows the link of the mail', async () => {
    await accept(owner.page, 'ada@northwind.example', 'Ada Owner');
  });

  step('the owner adds a client with a key pair that the page generates', async () => {
    const { page } = owner;
    await page.goto('/portal/settings/clients');
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    assert.match(page.url(), /\/portal\/integrations\/api-keys$/);
    await page.getByRole('link', { name: 'Add client' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Payment service');
    await page.getByRole('button', { name: /Add this browser/ }).click();
    await page.getByRole('tab', { name: 'Generate here' }).click();
    await page.getByRole('button', { name: 'Generate key pair' }).click();
    await page.getByRole('checkbox', { name: /payments-operator/ }).check();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download / }).click();
    await (await download).saveAs(join(service.dataFolder, 'first.pem'));
    await page.getByLabel('I have saved the private key').check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Waiting for the first signed request').first().waitFor();
    clientId = /client_[0-9a-z]{26}/.exec((await page.locator('main').textContent()) ?? '')?.[0] ?? '';
    assert.notEqual(clientId, '');
    assertNothingSent(owner, await privateParts(join(service.dataFolder, 'first.pem')));
  });

  step('the panel turns green when that key signs a request of the command line', async () => {
    const { code, text } = await call('first.pem', 'GET', `${service.origin}/v1/payments`);
    assert.equal(code, 0, text);
    await owner.page.getByText('The first signed request has arrived').first().waitFor();
  });

  step('a pasted private key is refused in the page, and nothing of it is sent', async () => {
    await keygen('second');
    const { page } = owner;
    await page.clock.install();
    await page.goto('/portal/integrations/api-keys/new');
    const pem = await readFile(join(service.dataFolder, 'second.pem'), 'utf8');
    const box = page.getByRole('textbox', { name: 'Public key' });
    await box.fill(pem);
    await page.getByText('That was a private key').first().waitFor();
    assert.equal(await box.inputValue(), '');
    // Long enough for anything that is sent some time after typing; the last request's response shows that
    // everything before it was sent.
    await page.clock.runFor(1_500);
    await page.evaluate(async () => (await fetch('/portal/auth/state')).text());
    assertNothingSent(owner, [Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64')]);
  });

  step(
    'a request that fails appears in the log by itself, with the reason that the caller was not told',
    async () => {
      const { page } = owner;
      await page.goto('/portal/logs/requests');
      await page.getByText('Accepted').first().waitFor();
      const { code, text } = await call('second.pem', 'GET', `${service.origin}/v1/payments?limit=7`);
      assert.notEqual(code, 0, text);
      assert.match(text, /signature_invalid/);
      await page.getByRole('button', { name: /new/ }).first().click();
      await page
        .getByRole('link', { name: /v1\/payments\?limit/ })
        .first()
        .click();
      await page
        .getByText(/the caller was not told/i)
        .first()
        .waitFor();
    },
  );

  step('the owner rotates the key, watches its first use, and retires the old one', async () => {
    const { page } = owner;
    await page.goto(`/portal/integrations/api-keys/${clientId}/rotate`);
    await page.getByRole('button', { name: 'Continue' }).click();
    const publicKey = await readFile(join(service.dataFolder, 'second.pub'), 'utf8');
    await page.getByRole('textbox', { name: /public key/i }).fill(publicKey);
    await page.getByRole('button', { name: 'Add new key' }).click();
    await page.getByText('Waiting for the first request with the new key').first().waitFor();
    const old = await call('first.pem', 'GET', `${service.origin}/v1/payments?limit=2`);
    assert.equal(old.code, 0, old.text);
    const fresh = await call('second.pem', 'GET', `${service.origin}/v1/payments?limit=3`);
    assert.equal(fresh.code, 0, fresh.text);
    await page.getByText('The new key is in use').first().waitFor();
    await page.getByRole('button', { name: 'Retire the old key now' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Retire|Revoke/ })
      .last()
      .click();
    await page.getByText('Rotation complete').first().waitFor();
    const late = await call('first.pem', 'GET', `${service.origin}/v1/payments?limit=4`);
    assert.match(late.text, /signature_invalid/);
  });

  step('the owner revokes a key that is compromised', async () => {
    const { page } = owner;
    await page.goto(`/portal/integrations/api-keys/${clientId}/rotate`);
    await page
      .getByRole('button', { name: /compromised/ })
      .or(page.getByRole('link', { name: /compromised/ }))
      .first()
      .click();
    await page.getByRole('button', { name: 'Revoke this key now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('revoke');
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { text } = await call('second.pem', 'GET', `${service.origin}/v1/payments?limit=5`);
    assert.match(text, /signature_invalid/);
  });

  step('the owner invites a viewer, who may look and not change', async () => {
    await inviteFromTeam(owner.page, 'vera@northwind.example', 'Viewer');
    const { page } = viewer;
    await accept(page, 'vera@northwind.example', 'Vera Viewer');
    await page.goto('/portal/integrations/api-keys');
    await page.getByText('Payment service').first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Add client' }).count(), 0);
    const status = await page.evaluate(async (id) => {
      const state = await (await fetch('/portal/auth/state')).json();
      const headers = { 'Countersign-Account': state.accounts[0].accountId, 'Countersign-CSRF': '1' };
      return (await fetch(`/v1/clients/${id}/disable`, { method: 'POST', headers })).status;
    }, clientId);
    assert.equal(status, 403);
  });

  step('an account manager acts for the customer, who reads who, what and why in the audit log', async () => {
    await inviteFromTeam(operator.page, 'max@provider.example', 'Account manager');
    const { page } = manager;
    await accept(page, 'max@provider.example', 'Max Manager', 'Secure your sign-in first');
    await secureSignIn(page);
    await page.goto('/portal/operator/accounts');
    await actFor(page, 'Northwind Payments', 'Ticket 4711: the client is to be stopped');
    await page.goto(`/portal/integrations/api-keys/${clientId}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable client' }).click();
    await page.getByText('This client is disabled').first().waitFor();
    await owner.page.goto('/portal/settings/audit-log');
    await owner.page.getByText('Ticket 4711').first().waitFor();
    await owner.page.getByText('Max Manager').first().waitFor();
  });

  step('no page has complained, and nobody else was asked for anything', () => {
    for (const { complaints, sent } of [operator, owner, viewer, manager]) {
      assert.deepEqual(complaints, []);
      assert.deepEqual(
        sent.filter((text) => !text.includes(` ${service.origin}/`) && !/^GET (?:blob|data):/.test(text)),
        [],
      );
    }
  });

  async function keygen(name: string): Promise<void> {
    const [key, publicKey] = [`${name}.pem`, `${name}.pub`].map((file) => join(service.dataFolder, file));
    const words = ['keygen', '--bits', '2048', '--out', key!, '--public-out', publicKey!];
    const { code, errors } = await runProgram(words, { folder: service.dataFolder });
    assert.equal(code, 0, errors);
  }

  /** Follows the link of an invitation. */
  async function accept(page: Page, email: string, name: string, heading = 'Overview'): Promise<void> {
    await page.goto(await service.mailedLink(email));
    await page.getByLabel('Your name').fill(name);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
});

/** Adds the authenticator app that the portal requires of the operator's people; returns a recovery code. */
async function secureSignIn(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Set it up now' }).click();
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const dialog = page.getByRole('dialog');
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByLabel('Code shown in the app').fill(totpCode(secret));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const codes = page.getByRole('dialog', { name: 'Save your recovery codes' });
  await codes.getByRole('listitem').first().waitFor();
  const recoveryCode = (await codes.getByRole('listitem').first().textContent()) ?? '';
  await codes.getByRole('button', { name: /Copy/ }).click();
  await codes.getByLabel('I have saved these codes').check();
  await codes.getByRole('button', { name: 'Done' }).click();
  return recoveryCode;
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/portal/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function actFor(page: Page, account: string, reason: string): Promise<void> {
  await page
    .getByRole('button', { name: `Act for ${account}` })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: 'Start session' }).click();
  await page.getByText(`You are acting for ${account}`).first().waitFor();
}

async function inviteFromTeam(page: Page, email: string, role: string): Promise<void> {
  await page.goto('/portal/settings/team');
  await page.getByRole('button', { name: 'Invite' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email address').fill(email);
  await dialog.getByRole('radio', { name: new RegExp(`^${role}`) }).check();
  await dialog.getByRole('button', { name: /invitation$/ }).click();
  // Mail is not set up, so the page also shows the link.
  await dialog.getByText('#token=').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText(email).first().waitFor();
}

/** Parts that only a private key has: exponent, primes and the numbers derived from them. */
async function privateParts(file: string): Promise<readonly Buffer[]> {
  const jwk = createPrivateKey(await readFile(file)).export({ format: 'jwk' });
  return [jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi].map((part) => Buffer.from(part ?? '', 'base64url'));
}

/** No request contains 18 consecutive bytes of these, as Base64 of either alphabet or as hexadecimal. */
function assertNothingSent({ sent }: Visitor, secrets: readonly Buffer[]): void {
  const pieces = secrets.flatMap((secret) => [
    ...piecesOf(secret.toString('hex'), 36),
    ...[0, 1, 2].flatMap((skipped) => piecesOf(secret.subarray(skipped).toString('base64'), 24)),
  ]);
  assert.ok(pieces.length > 100);
  for (const text of sent) {
    const plain = text
      .replaceAll(/%2B/gi, '+')
      .replaceAll(/%2F/gi, '/')
      .replaceAll(/\s|\\n|%0A|%0D/gi, '');
    const readings = [plain, plain.replaceAll('-', '+').replaceAll('_', '/')];
    const leaked = pieces.some((piece) => readings.some((reading) => reading.includes(piece)));
    assert.ok(!leaked, `A piece of a private key was sent: ${text.slice(0, 80)}`);
  }
}

function piecesOf(text: string, length: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start + length <= text.length; start += length / 2)
    pieces.push(text.slice(start, start + length));
  return pieces;
}
