import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import {
  defineProfile,
  messageProfiles as library,
  signingKey,
  signMessage,
} from '@countersign/signature/messages/node';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { makeKeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFaults } from '../../packages/portal/test/axe.ts';
import { apiKeys } from '../../packages/portal/src/messages/en/api-keys.ts';
import { keyInput } from '../../packages/portal/src/messages/en/key-input.ts';
import { messageProfiles as t } from '../../packages/portal/src/messages/en/message-profiles.ts';
import { tryIt } from '../../packages/portal/src/messages/en/try-it.ts';
import { skipWithoutBrowser } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import type { PortalService } from './scene.ts';
import { resize, showIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

const list = '/portal/integrations/api-keys';
const curlTitle = library.curl822.title;

describe('clients with other profiles', { skip: skipWithoutBrowser }, () => {
  const keys = makeKeyPairFor('ed25519');
  const agentKeys = makeKeyPairFor('ed25519');
  let service: PortalService;
  let browser: Browser;
  let owner: PortalSession;
  let page: Page;
  let curlClient = '';
  let agentClient = '';
  let lostClient = '';

  before(async () => {
    const settings = { COUNTERSIGN_PROFILES: 'curl-8.22,web-bot-auth-01,agent-payments-2025' };
    ({ service, owner, browser, page } = await openNorthwind(settings));
    const networkWhitelist = [{ entry: '127.0.0.1' }, { entry: '::1' }];
    const agent = { name: 'Agent', profile: 'web-bot-auth-01', publicKey: agentKeys.publicKey };
    ({ clientId: agentClient } = await owner.send<{ clientId: string }>('POST', '/v1/clients', {
      ...agent,
      networkWhitelist,
    }));
    // The operator's settings may have changed since.
    const registry = await openLocalRegistry({ dataFolder: service.dataFolder });
    ({ clientId: lostClient } = await registry.addClient({
      name: 'Lost',
      accountId: owner.accountId,
      network: ['127.0.0.1'],
      roles: [],
      profile: 'gnap-rfc9635',
    }));
    await registry.close();
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const profileOf = async (clientId: string): Promise<string> =>
    (await owner.send<{ profile: string }>('GET', `/v1/clients/${clientId}`)).profile;
  const option = (name: string): Locator => page.getByRole('radio', { name, exact: false });
  const name = (): Locator => page.getByRole('textbox', { name: 'Name', exact: true });
  const update = (): Promise<void> => page.getByRole('button', { name: 'Update', exact: true }).click();
  const faults = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const width of [1440, 390]) {
      await resize(page, width);
      found.push(...(await stickingOut(page)), ...(await accessibilityFaults(page)));
      await showIn(page, 'dark');
      found.push(...(await accessibilityFaults(page, { isColoursOnly: true })));
      await showIn(page, 'light');
    }
    await resize(page, 1440);
    return found;
  };

  it('keep a profile that the service does not accept any more, and say so', async () => {
    await page.goto(`${list}/${lostClient}`);
    await page.getByText(t.notAcceptedTitle).waitFor();
    await page.goto(`${list}/${lostClient}/edit`);
    await page.getByText(t.notAcceptedText('gnap-rfc9635')).waitFor();
    assert.equal(await option('gnap-rfc9635').getAttribute('aria-checked'), 'true');
    await name().fill('Lost and found');
    await update();
    await page.getByRole('heading', { level: 1, name: 'Lost and found' }).waitFor();
    assert.equal(await profileOf(lostClient), 'gnap-rfc9635');
  });

  it('show beside the profiles that the service rejects the chosen one', async () => {
    await page.goto(`${list}/${lostClient}/edit`);
    await option('web-bot-auth-01').click();
    const detail = 'This service does not accept the profile web-bot-auth-01.';
    await page.route(`**/v1/clients/${lostClient}`, (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({
            status: 400,
            contentType: 'application/problem+json',
            json: {
              code: 'body_invalid',
              status: 400,
              title: 'Invalid',
              detail,
              errors: [{ pointer: '/profile', detail }],
            },
          })
        : route.continue(),
    );
    await update();
    await page.locator('a[href="#client-profile"]').click();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'client-profile');
    await page.unroute(`**/v1/clients/${lostClient}`);
  });

  it('are added with a choice of profiles, which warns of what one leaves open', async () => {
    await page.goto(`${list}/new`);
    await page.getByRole('radiogroup', { name: t.title }).waitFor();
    assert.equal(await page.getByRole('radio').count(), 5);
    assert.equal(await page.getByRole('checkbox', { name: apiKeys.form.mayOmitDate }).count(), 0);
    assert.equal(await option(', countersign').first().getAttribute('aria-checked'), 'true');
    await page.getByText('Binds the method, authority, path and query.').waitFor();
    await page.getByText('Does not bind the body.').waitFor();
    await page.getByText('Signs with ed25519.', { exact: true }).first().waitFor();
    await page.getByText('Does not bind the method, path, query and body.').waitFor();
    assert.equal(await page.getByText(t.openText(['body'])).count(), 0);
    await option('curl-8.22').click();
    await page.getByText(t.openTitle(['body'])).waitFor();
    await page.getByText('Someone on the way could change it,').waitFor();
    assert.deepEqual(await faults(), []);
    await name().fill('Cron');
    for (const entry of ['127.0.0.1', '::1']) {
      await page.getByLabel('Address or network').fill(entry);
      await page.keyboard.press('Enter');
    }
    await page.getByRole('textbox', { name: 'Public key' }).fill(keys.publicKey);
    await page.getByRole('button', { name: 'Copy Fingerprint' }).waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: apiKeys.result.title('Cron') }).waitFor();
    curlClient = new URL(page.url()).searchParams.get('added') ?? '';
    assert.equal(await profileOf(curlClient), 'curl-8.22');
  });

  it('get curl’s own command instead of programs that they cannot use', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-curl-'));
    context.after(() => rm(folder, { recursive: true, force: true }));
    await page.getByText(curlTitle).first().waitFor();
    assert.equal(await page.getByRole('tab', { name: 'Python' }).count(), 0);
    const convert = await page.getByRole('region', { name: t.curl.convertCommand }).textContent();
    await writeFile(join(folder, 'private.pem'), keys.privateKey);
    await promisify(execFile)('sh', ['-c', convert ?? ''], { cwd: folder });
    const { d = '' } = createPrivateKey(keys.privateKey).export({ format: 'jwk' });
    const digits = join(folder, 'private.hex');
    assert.equal(await readFile(digits, 'utf8'), Buffer.from(d, 'base64url').toString('hex'));
    assert.equal((await stat(digits)).mode & 0o777, 0o600);
    const command = await page.getByRole('region', { name: t.curl.sendCommand }).textContent();
    assert.equal(
      command?.replaceAll(/\s*\\\n\s*/g, ' '),
      `curl --httpsig-algo ed25519 --httpsig-key private.hex --httpsig-keyid ${curlClient} ${service.origin}/v1/signature-test`,
    );
    assert.deepEqual(await faults(), []);

    // The curl of this machine may be older: the library signs what it would.
    const targetUri = `${service.origin}/v1/signature-test`;
    const signed = await signMessage(
      { method: 'GET', targetUri, headers: [] },
      { profile: defineProfile(library.curl822), keyid: curlClient, key: signingKey(keys.privateKey) },
    );
    const answer = await fetch(targetUri, { headers: { ...signed.headers } });
    assert.equal(answer.status, 200, await answer.text());
    await page.getByText(apiKeys.firstRequest.accepted).waitFor();
  });

  it('say on their page which profile they have, and what it leaves open', async () => {
    await page.goto(`${list}/${curlClient}`);
    await page.getByText(curlTitle).waitFor();
    await page.getByText('Does not bind the body').waitFor();
    assert.deepEqual(await faults(), []);
    await page.goto(list);
    await page.getByRole('table').getByText('curl-8.22').waitFor();
    await page.getByRole('table').getByText('web-bot-auth-01').waitFor();
    assert.deepEqual(await faults(), []);
  });

  it('are shown the thumbprint of their key, which their signatures may name', async () => {
    await page.goto(`${list}/${agentClient}?tab=snippets`);
    const { x, crv, kty } = createPublicKey(agentKeys.publicKey).export({ format: 'jwk' });
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
    await page.getByText(thumbprint).waitFor();
    await page.getByRole('link', { name: t.signing.rules }).click();
    await page.waitForURL('**/docs/message-profiles#web-bot-auth-01');
    await page.getByRole('heading', { name: 'web-bot-auth-01' }).waitFor();
  });

  it('keep their profile when something else is changed, and change it when it is', async () => {
    await page.goto(`${list}/${curlClient}/edit`);
    await page.getByText(t.openTitle(['body'])).waitFor();
    await name().fill('Cron at night');
    await update();
    await page.getByRole('heading', { level: 1, name: 'Cron at night' }).waitFor();
    assert.equal(await profileOf(curlClient), 'curl-8.22');
    await page.goto(`${list}/${agentClient}/edit`);
    await option('curl-8.22').click();
    await update();
    await page.getByRole('heading', { level: 1, name: 'Agent' }).waitFor();
    assert.equal(await profileOf(agentClient), 'curl-8.22');
    await page.goto(`${list}/${agentClient}?tab=history`);
    await page.getByText('signature profile is now').waitFor();
  });

  it('say what an RSA key is for, if their profile signs with several algorithms of RSA', async () => {
    const { publicKey } = makeKeyPair();
    const purpose = (): Locator => page.getByRole('combobox', { name: keyInput.algorithm.label });
    await page.goto(`${list}/new`);
    await name().fill('Payments');
    await page.getByLabel('Address or network').fill('127.0.0.1');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Public key' }).fill(publicKey);
    await page.getByRole('button', { name: 'Copy Fingerprint' }).waitFor();
    assert.equal(await purpose().count(), 0, 'the closed profile leaves no choice');
    await option('curl-8.22').click();
    await page.getByText(keyInput.algorithm.notInProfile).waitFor();
    await option('agent-payments-2025').click();
    await purpose().selectOption('PS256');
    assert.deepEqual(await faults(), []);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: apiKeys.result.title('Payments') }).waitFor();
    const added = new URL(page.url()).searchParams.get('added') ?? '';
    const client = await owner.send<{ keys: { algorithm: string }[] }>('GET', `/v1/clients/${added}`);
    assert.deepEqual(
      client.keys.map(({ algorithm }) => algorithm),
      ['PS256'],
    );
  });

  it('are not asked to sign on a page that signs only by the closed profile', async () => {
    const choose = async (): Promise<void> => {
      await page.getByRole('combobox', { name: 'Client' }).click();
      await page.getByRole('option', { name: 'Agent', exact: true }).click();
    };
    await page.goto('/portal/try-it');
    await choose();
    await page.getByText(tryIt.otherProfile('curl-8.22')).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Sign and send' }).count(), 0);
    assert.equal(await page.getByText('Allow signatures without “date”').count(), 0);
    assert.deepEqual(await faults(), []);
  });
});
