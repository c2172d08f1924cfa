import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Page } from 'playwright-core';
import { apiKeys } from '../../packages/portal/src/messages/en/api-keys.ts';
import { client as clientWords } from '../../packages/portal/src/messages/en/client.ts';
import { keyInput } from '../../packages/portal/src/messages/en/key-input.ts';
import { localProblems } from '../../packages/portal/src/messages/en/problem-advice.ts';
import { signIn } from '../../packages/portal/src/messages/en/sign-in.ts';
import { skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import type { PortalService } from './scene.ts';

/* Checks that the portal's statements are true. */

describe('the portal', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let ada: Visitor;
  let owner: PortalSession;
  let page: Page;

  before(async () => {
    ({ service, browser, ada, owner, page } = await openNorthwind());
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const xml = `<RSAKeyValue><Modulus>${base64(rsa.n)}</Modulus><Exponent>AQAB</Exponent><P>${base64(rsa.p)}</P><D>${base64(rsa.d)}</D></RSAKeyValue>`;
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const otherKind = keyInput.privateKey.otherKind('dsa');

  it('does not say of a private key in a JWK or in XML that it is of a kind that is not supported', async () => {
    await page.goto('/portal/integrations/api-keys/new');
    const field = page.getByRole('textbox', { name: keyInput.fieldLabel });
    for (const [text, title] of [
      [JSON.stringify(rsa), /private key \(JWK\)/],
      [JSON.stringify(elliptic), /private key \(JWK\)/],
      [xml, /private key \(XML\)/],
    ] as const) {
      await field.fill(text);
      await page.getByText(title).waitFor();
      await page.getByText(keyInput.privateKey.publicHalf).waitFor();
      assert.equal(await page.getByText(otherKind).count(), 0);
    }
    await field.fill('-----BEGIN DSA PRIVATE KEY-----\nMIIBugIBAAKBgQ==\n-----END DSA PRIVATE KEY-----');
    await page.getByText(/DSA private key/).waitFor();
    await page.getByText(otherKind).waitFor();
  });

  it('shows the warning about a private key where it is seen, above the buttons at the edge', async () => {
    for (const size of [
      { width: 1440, height: 900 },
      { width: 1024, height: 600 },
    ]) {
      await page.setViewportSize(size);
      await page.goto('/portal/integrations/api-keys/new');
      const field = page.getByRole('textbox', { name: keyInput.fieldLabel });
      await field.scrollIntoViewIfNeeded();
      await field.fill(makeKeyPair().privateKey);
      const words = page.getByText(keyInput.privateKey.notSent);
      await words.waitFor();
      const isOnTop = await words.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const seen = document.elementFromPoint(left + width / 2, top + height / 2);
        return seen !== null && (element.contains(seen) || seen.contains(element));
      });
      assert.ok(isOnTop, JSON.stringify(size));
    }
  });

  it('names the file of a key that was made elsewhere as its documents do, and a saved one as it was saved', async () => {
    await page.goto('/portal/integrations/api-keys/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Pasted');
    await page.getByRole('button', { name: /Add this browser/ }).click();
    await page.getByRole('textbox', { name: keyInput.fieldLabel }).fill(makeKeyPair().publicKey);
    await page.getByText(/Public key: RSA, /).waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const file = page.getByRole('textbox', { name: 'Private key file' });
    assert.equal(await file.inputValue(), 'private.pem');

    await page.goto('/portal/integrations/api-keys/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Generated');
    await page.getByRole('button', { name: /Add this browser/ }).click();
    await page.getByRole('tab', { name: keyInput.ways.generate }).click();
    await page.getByRole('button', { name: keyInput.generate.action }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: keyInput.generated.download }).click();
    const saved = (await downloading).suggestedFilename();
    await page.getByLabel(keyInput.generated.confirm).check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await file.waitFor();
    assert.equal(await file.inputValue(), saved);
  });

  it('calls a client without a key neither active nor ready for its first request', async () => {
    const { clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', {
      name: 'Keyless',
      networkWhitelist: [{ entry: '192.0.2.1' }],
    });
    await page.goto('/portal/integrations/api-keys?search=Keyless');
    const row = page.getByRole('row').filter({ hasText: 'Keyless' });
    await row.getByText(clientWords.withoutKey, { exact: true }).waitFor();
    assert.equal(await row.getByText(clientWords.statuses.active, { exact: true }).count(), 0);
    await page.goto(`/portal/integrations/api-keys/new?added=${clientId}`);
    await page.getByText(apiKeys.result.descriptionWithoutKey).waitFor();
    assert.equal(await page.getByText(apiKeys.firstRequest.waiting).count(), 0);
  });

  it('promises no email that it cannot send, and says how long the link works', async () => {
    const guest = await visit(browser, service.origin);
    await guest.page.goto('/portal/forgot-password');
    await guest.page.getByText(signIn.forgotTextNoMail).waitFor();
    await guest.page.getByRole('textbox', { name: signIn.email }).fill('ada@northwind.example');
    await guest.page.getByRole('button', { name: signIn.forgotActionNoMail }).click();
    await guest.page.getByText(signIn.forgotDoneNoMailText('ada@northwind.example', 30)).waitFor();
    assert.equal(await guest.page.getByText(signIn.forgotDoneTitle).count(), 0);
    await guest.context.close();
  });

  it('speaks of a lost change only where something was to be changed, and does not announce one that failed', async () => {
    const { clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', {
      name: 'Offline',
      networkWhitelist: [{ entry: '192.0.2.1' }],
    });
    await page.goto(`/portal/integrations/api-keys/${clientId}/edit`);
    await page.getByText('192.0.2.1').first().waitFor();
    await page.getByRole('textbox', { name: apiKeys.form.name, exact: true }).fill('Offline, renamed');
    await ada.context.setOffline(true);
    await page.getByRole('button', { name: apiKeys.form.update, exact: true }).click();
    await page.getByText(localProblems.serviceUnreachable.detail).first().waitFor();
    assert.equal(await page.getByText(apiKeys.form.updated('Offline, renamed')).count(), 0);
    await page.getByRole('link', { name: 'Audit log', exact: true }).click();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    const notice = page.getByText(localProblems.notShown.detail).first();
    await notice.waitFor();
    await ada.context.setOffline(false);
    await notice.waitFor({ state: 'detached' });
  });
});

/** Base64 as XML has it, of the Base64url that a JWK has. */
function base64(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64url').toString('base64');
}
