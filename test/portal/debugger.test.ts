import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser } from 'playwright-core';
import { signatureDebugger as words } from '../../packages/portal/src/messages/en/debugger.ts';
import { brokenRules } from '../../packages/portal/test/axe.ts';
import { openBrowser, skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { signIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';
import { addCustomer, type PortalService, setUpOperator, startPortalService } from './scene.ts';

/** Texts that occur in a pasted request, each in another part of it, and nowhere else. */
const markers = {
  path: 'pathmark7f3a',
  query: 'querymark91bd',
  header: 'headermark44ce',
  body: 'bodymark0d2f',
  claimed: 'claimedmark5e18',
} as const;

describe('the signature debugger, in Chromium', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let owner: Visitor;
  let clientId = '';
  const sent: string[] = [];
  const { privateKey, publicKey } = makeKeyPair();

  before(async () => {
    service = await startPortalService();
    const session = await addCustomer(service, await setUpOperator(service), 'Northwind', {
      name: 'Ada Lindqvist',
      email: 'ada@northwind.example',
    });
    ({ clientId } = await session.send<{ clientId: string }>('POST', '/v1/clients', {
      name: 'Payment service',
      roles: ['payments-operator'],
      networkWhitelist: [{ entry: '0.0.0.0' }],
      publicKey,
    }));
    browser = await openBrowser();
    owner = await visit(browser, service.origin);
    const { page, context } = owner;
    // Includes requests of workers, sent in any way.
    context.on('request', (request) =>
      sent.push(
        [request.url(), JSON.stringify(request.headers()), request.postDataBuffer()?.toString('latin1')].join(
          '\n',
        ),
      ),
    );
    page.on('websocket', (socket) => sent.push(`websocket ${socket.url()}`));
    await signIn(owner, 'ada@northwind.example');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  function signedRequest(): { readonly text: string; readonly signature: string } {
    const body = `{"note":"${markers.body}"}`;
    const path = `/v1/payments/${markers.path}?mark=${markers.query}`;
    const signer = createSigner({ keyid: clientId, privateKey });
    const { headers } = signer.sign({
      method: 'POST',
      url: `${service.origin.replace('http:', 'https:')}${path}`,
      body,
    });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const text = [
      `POST ${path} HTTP/1.1`,
      `Host: ${new URL(service.origin).host}`,
      `X-Mark: ${markers.header}`,
      `Content-Length: ${body.length}`,
      ...lines,
      '',
      body,
    ].join('\n');
    return { text, signature: headers['Signature'].slice(5, 60) };
  }

  /** Checks that nothing pasted went anywhere: the network, the address, the storage of the browser. */
  async function assertNothingLeft(parts: readonly string[]): Promise<void> {
    const { page } = owner;
    const kept = await page.evaluate(() =>
      JSON.stringify([
        location.href,
        history.state,
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        document.cookie,
      ]),
    );
    for (const part of parts) {
      for (const form of [part, encodeURIComponent(part), btoa(part).replaceAll('=', '')]) {
        assert.deepEqual(
          sent.filter((one) => one.includes(form)),
          [],
          part,
        );
        assert.ok(!kept.includes(form), part);
      }
    }
  }

  it('proves a mistake with the keys of the client, and nothing of the request leaves the page', async () => {
    const { page, complaints } = owner;
    const { text, signature } = signedRequest();
    await page.goto('/portal/logs/debugger');
    await page.getByLabel(/^HTTP request, curl command/).fill(text);
    await page.getByRole('combobox', { name: 'Client' }).click();
    await page.getByRole('option', { name: 'Payment service' }).click();
    await page.getByText('1 key of this client').waitFor();
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('heading', { name: 'The URL was signed with the wrong scheme' }).waitFor();
    await page.getByText('Proven', { exact: true }).waitFor();
    await page.getByText('Signed by the client').first().waitFor();
    await page.getByText('Clock, URL and signature base').click();
    await page.getByLabel('Signature base that your application built').fill(`"@method": ${markers.claimed}`);
    await page.getByRole('button', { name: 'Explain' }).press('Enter');
    await page.getByRole('heading', { name: 'The given signature base was not signed' }).waitFor();
    await assertNothingLeft([...Object.values(markers), signature]);
    assert.deepEqual(complaints, []);
  });

  it('shows a header line to send as code, without backticks', async () => {
    const { page } = owner;
    const { text } = signedRequest();
    await page.goto('/portal/logs/debugger');
    await page
      .getByLabel(/^HTTP request, curl command/)
      .fill(text.replace(/^Date: .*$/m, 'Date: 2026-01-31T08:00:00Z'));
    await page.getByRole('button', { name: 'Explain' }).click();
    await page
      .locator('article code')
      .filter({ hasText: /^Date: \w{3}, / })
      .waitFor();
    assert.ok(!(await page.getByRole('article').allInnerTexts()).join().includes('`'));
  });

  it('shows no result of a request that has changed since', async () => {
    const { page } = owner;
    const result = page.getByRole('heading', { name: words.findings });
    const text = page.getByLabel(words.text);
    const pasted = await text.inputValue();
    await text.fill(`${pasted} `);
    await page.getByText(words.staleTitle).waitFor();
    assert.equal(await result.count(), 0);
    await text.fill(pasted);
    await result.waitFor();
    assert.equal(await page.getByText(words.staleTitle).count(), 0);
  });

  it('drops a mistake when the request is given in another way', async () => {
    const { page } = owner;
    await page.goto('/portal/logs/debugger');
    await page.getByRole('button', { name: words.explain }).click();
    await page.locator('a[href="#debug-text"]').waitFor();
    await page.setInputFiles('input[type=file]', {
      name: 'request.http',
      mimeType: 'text/plain',
      buffer: Buffer.from(signedRequest().text),
    });
    await page.locator('a[href="#debug-text"]').waitFor({ state: 'detached' });
  });

  it('does not call a request right whose body it does not know', async () => {
    const { page } = owner;
    const url = `${service.origin}/v1/payments/${markers.path}`;
    const body = '{"amount":1200}';
    const { headers } = createSigner({ keyid: clientId, privateKey }).sign({ method: 'POST', url, body });
    await page.goto('/portal/logs/debugger');
    await page.getByText(words.asFields, { exact: true }).click();
    await page.getByLabel(words.url).fill(url);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    await page.getByLabel(words.headers).fill(lines.join('\n'));
    await page.getByRole('combobox', { name: words.client }).click();
    await page.getByRole('option', { name: 'Payment service' }).click();
    await page.getByText(words.keysFound(1)).waitFor();
    await page.getByRole('button', { name: words.explain }).click();
    await page.getByText(words.verdicts.validWithoutBody).waitFor();
    assert.equal(await page.getByText(words.verdicts.valid).count(), 0);
    await page.getByRole('checkbox', { name: words.hasBody }).check();
    await page.getByLabel(words.body, { exact: true }).fill(body);
    await page.getByRole('button', { name: words.explain }).click();
    await page.getByText(words.verdicts.valid).waitFor();
    assert.equal(await page.getByText(words.verdicts.validWithoutBody).count(), 0);
  });

  it('fields and a pasted key: Enter does not send the form', async () => {
    const { page } = owner;
    await page.goto('/portal/logs/debugger');
    await page.getByText('Fields', { exact: true }).click();
    await page.getByRole('radiogroup', { name: 'Key source' }).getByText('Public key').click();
    await page.getByRole('textbox', { name: 'Public key' }).fill(publicKey);
    await page.getByText('RSA, 2,048 bits').waitFor();
    const url = page.getByLabel('Requested URL');
    await url.fill(`https://api.example.com/${markers.path}?mark=${markers.query}`);
    await page.getByLabel('Headers, one per line').fill(`X-Mark: ${markers.header}`);
    await url.press('Enter');
    await page.getByText(/mistakes? found/).waitFor();
    await assertNothingLeft(Object.values(markers));
    assert.equal(new URL(page.url()).search, '');
  });

  it('compares with the request as it was sent, and says which byte changed on the way', async () => {
    const { page, complaints } = owner;
    const { text } = signedRequest();
    // The URL was signed with https, and the service is called over http in this test.
    const arrived = text.replace(`?mark=${markers.query}`, `?mark=${markers.query.toUpperCase()}`);
    await page.goto('/portal/logs/debugger');
    await page.getByLabel(/^HTTP request, curl command/).fill(arrived);
    await page.getByText(words.compare).click();
    await page.getByLabel(words.sent).fill('hello');
    await page.getByRole('combobox', { name: words.client }).click();
    await page.getByRole('option', { name: 'Payment service' }).click();
    await page.getByText(words.keysFound(1)).waitFor();
    await page.getByText('Clock, URL and signature base').click();
    await page.getByLabel(words.baseUrl).fill(service.origin.replace('http:', 'https:'));
    await page.getByRole('button', { name: words.explain }).click();
    await page.getByText(words.unreadableSent).waitFor();
    await page.getByLabel(words.sent).fill(text);
    await page.getByRole('button', { name: words.explain }).click();
    await page.getByText(words.hopVerdicts.broken).waitFor();
    await page.getByText(words.hopProven).waitFor();
    await page.getByRole('heading', { name: 'The case of the query changed' }).waitFor();
    await page.getByText(words.sideSent, { exact: true }).waitFor();
    // The program signed what it sent, so the page must not advise it to sign something else.
    assert.equal(await page.getByRole('heading', { name: words.findings }).count(), 0);
    assert.equal(await page.getByText(words.baseMended).count(), 0);
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await brokenRules(page), []);
      assert.deepEqual(await stickingOut(page), []);
    }
    await assertNothingLeft([...Object.values(markers), markers.query.toUpperCase()]);
    assert.deepEqual(complaints, []);
  });

  it('a private key that is pasted by mistake is removed, and none of it is sent', async () => {
    const { page } = owner;
    const secret = privateKey.split('\n')[3] ?? '';
    assert.ok(secret.length > 40);
    await page.goto('/portal/logs/debugger');
    await page.getByLabel(/^HTTP request, curl command/).fill(privateKey);
    await page.getByText('Your input contained a private key.').waitFor();
    assert.equal(await page.getByLabel(/^HTTP request, curl command/).inputValue(), '');
    await page.getByRole('radiogroup', { name: 'Key source' }).getByText('Public key').click();
    await page.getByRole('textbox', { name: 'Public key' }).fill(privateKey);
    await page.getByText('Your input contained a private key.').nth(1).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Public key' }).inputValue(), '');
    await assertNothingLeft([secret]);
  });
});
