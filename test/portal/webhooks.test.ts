import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, describe, it } from 'node:test';
import type { Webhook } from '@countersign/contract';
import { waitFor } from '@countersign/testing/wait-until';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityFaults, brokenRules } from '../../packages/portal/test/axe.ts';
import { webhooks as t } from '../../packages/portal/src/messages/en/webhooks.ts';
import { answerWith, openReceiver, type Receiver } from '../../packages/server/test/webhooks/receiver.ts';
import { skipWithoutBrowser, visit, type Visitor } from './browser.ts';
import { payloads } from './hostile-texts.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import { invite, type PortalService } from './scene.ts';
import { resize, signIn } from './showing.ts';
import { stickingOut } from './sticking-out.ts';

describe('webhooks in the portal', { skip: skipWithoutBrowser }, () => {
  let receiver: Receiver;
  let service: PortalService;
  let browser: Browser;
  let owner: PortalSession;
  let ada: Visitor;
  let page: Page;
  let secret = '';
  let webhookId = '';

  before(async () => {
    receiver = await openReceiver();
    const northwind = await openNorthwind({ COUNTERSIGN_WEBHOOK_ORIGINS: receiver.origin });
    ({ service, browser, owner, ada, page } = northwind);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
    await receiver?.close();
  });

  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const heading = (name: string): Locator => page.getByRole('heading', { level: 1, name });
  const drawer = (): Locator => page.getByRole('dialog', { name: t.delivery.title });
  const onPage = async (): Promise<void> => {
    await page.goto(`/portal/integrations/webhooks/${webhookId}`);
    await heading('Ledger').waitFor();
  };
  /** Turns status 500, then waits until a test event has been answered with it. */
  const failOnce = async (): Promise<void> => {
    receiver.answer = answerWith(500, { 'Content-Type': 'text/html' }, payloads.image);
    await button(t.test.send).click();
    await page.getByText(t.test.failed).waitFor();
  };

  it('are explained while there are none', async () => {
    await page.goto('/portal/integrations/webhooks');
    await page.getByText(t.empty.title).waitFor();
    assert.deepEqual(await brokenRules(page), []);
    await page.getByRole('link', { name: t.add }).click();
    await heading(t.form.addTitle).waitFor();
  });

  it('need a URL and a type, and a URL that the service allows', async () => {
    await page.getByText(t.form.some, { exact: true }).click();
    await button(t.form.add).click();
    await page.getByText(t.form.urlMissing).first().waitFor();
    await page.getByText(t.form.typesMissing).first().waitFor();
    const groups = await page.locator('summary').allTextContents();
    assert.ok(groups.some((group) => group.startsWith(t.groups.account)));
    assert.ok(!groups.some((group) => group.startsWith(t.groups.streams)), "the operator's own");
    await page.locator('summary').first().click();
    await page.getByRole('checkbox', { name: 'client.added' }).check();
    await page.getByLabel(t.form.url, { exact: true }).fill('http://10.0.0.1/hook');
    await button(t.form.add).click();
    await page
      .getByText(/^The URL must begin with https:\/\/\. The operator can allow/)
      .first()
      .waitFor();
    assert.deepEqual(await brokenRules(page), []);
  });

  it('show their secret once, with code that verifies what arrives', async () => {
    await page.getByLabel(t.form.url, { exact: true }).fill(`${receiver.origin}/ledger`);
    await page.getByLabel(t.form.description).fill('Ledger');
    await button(t.form.add).click();
    await heading(t.added.title).waitFor();
    secret = (await page.getByText(/^whsec_/).textContent()) ?? '';
    webhookId = new URL(page.url()).searchParams.get('added') ?? '';
    assert.deepEqual(await brokenRules(page), []);
    await button(t.test.send).click();
    await page.getByText(/Delivered: the receiver answered with status 204/).waitFor();
    const code =
      (await page.getByRole('region', { name: t.added.program('JavaScript') }).textContent()) ?? '';
    const [event] = receiver.at('/ledger');
    assert.deepEqual(await verifyWith(code, secret, event!.headers, event!.body), [true, false]);
  });

  it('ask before the page with the secret is left, and never show it again', async () => {
    await page.getByRole('link', { name: t.added.open }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay on this page' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: t.added.stored }).check();
    await page.getByRole('link', { name: t.added.open }).click();
    await heading('Ledger').waitFor();
    await page.goto(`/portal/integrations/webhooks/new?added=${webhookId}`);
    await heading('Ledger').waitFor();
    assert.equal(await page.getByText(secret).count(), 0);
  });

  it('show a failure in place, with what to do, and the answer as text', async () => {
    await failOnce();
    await page.getByText(t.advice.server_error).first().waitFor();
    await page.getByText(payloads.image).first().waitFor();
    await page.getByRole('link', { name: t.test.open }).click();
    await drawer().getByText(t.delivery.whatToDo).waitFor();
    await drawer().getByText('Status 500', { exact: true }).waitFor();
    await drawer().getByText(payloads.image).waitFor();
    await drawer().getByText(t.delivery.request).click();
    await drawer()
      .getByText(/webhook-signature: v1,/)
      .waitFor();
    assert.deepEqual(await brokenRules(page), []);
    assert.equal(await page.evaluate(() => 'hasRun' in globalThis), false);
    assert.equal(await page.locator('img[src="x"]').count(), 0);
  });

  it('send it again, and see it arrive', async () => {
    receiver.answer = answerWith(200, {}, 'thanks');
    await drawer().getByRole('button', { name: t.delivery.resend }).click();
    await drawer().getByText(t.deliveries.states.delivered, { exact: true }).waitFor();
    await drawer().getByText('Status 200', { exact: true }).waitFor();
    await drawer().getByText('thanks').waitFor();
    await page.keyboard.press('Escape');
    await drawer().waitFor({ state: 'detached' });
  });

  it('find deliveries by state, in an address that can be shared', async () => {
    await page.getByRole('combobox', { name: t.deliveries.state }).click();
    await page.getByRole('option', { name: t.deliveries.states.failed }).click();
    await page.getByText(t.deliveries.noneTitle).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('state'), 'failed');
    await page.reload();
    await page.getByText(t.deliveries.noneTitle).waitFor();
    await button('Clear filters').click();
    await page.getByRole('link', { name: 'webhook.test' }).first().waitFor();
  });

  it('get a new secret, shown once, and sign with both for a while', async () => {
    await onPage();
    await button(t.page.more).click();
    await page.getByRole('menuitem', { name: t.page.rotate }).click();
    const question = page.getByRole('dialog', { name: t.rotating.title });
    await question.getByRole('radio', { name: t.rotating.week }).check();
    await question.getByRole('button', { name: t.rotating.confirm }).click();
    const shown = page.getByRole('dialog', { name: t.rotating.shownTitle });
    const next = (await shown.getByText(/^whsec_/).textContent()) ?? '';
    assert.notEqual(next, secret);
    assert.deepEqual(await brokenRules(page), []);
    await page.keyboard.press('Escape');
    assert.ok(await shown.getByRole('button', { name: t.rotating.done }).isDisabled());
    await shown.getByRole('checkbox', { name: t.added.stored }).check();
    await shown.getByRole('button', { name: t.rotating.done }).click();
    await shown.waitFor({ state: 'detached' });
    await page.getByText(t.page.previousSecret).waitFor();
    const { length } = receiver.at('/ledger');
    await button(t.test.send).click();
    await waitFor(async () => receiver.at('/ledger')[length], 'the test event');
    const signatures = String(receiver.at('/ledger')[length]!.headers['webhook-signature']).split(' ');
    assert.equal(signatures.length, 2);
    await onPage();
  });

  it('are paused, and their events wait until they are resumed', async () => {
    await button(t.page.pause).click();
    await page.getByText(t.notices.pausedTitle).waitFor();
    assert.ok(await button(t.test.send).isDisabled());
    await owner.send('POST', '/v1/clients', { name: 'Waits', networkWhitelist: [{ entry: '0.0.0.0' }] });
    await page
      .getByRole('row', { name: /client\.added/ })
      .getByText(t.deliveries.states.waiting)
      .waitFor();
    await button(t.page.resume).click();
    await page
      .getByRole('row', { name: /client\.added/ })
      .getByText(t.deliveries.states.delivered)
      .waitFor();
  });

  it('say that the receiver is gone, and resend what failed meanwhile', async () => {
    receiver.answer = answerWith(410);
    await button(t.test.send).click();
    await page.getByText(t.notices.disabledTitle).waitFor();
    await page.getByText(t.advice.gone).waitFor();
    await owner.send('POST', '/v1/clients', { name: 'Missed', networkWhitelist: [{ entry: '0.0.0.0' }] });
    receiver.answer = answerWith(204);
    await button(t.page.resume).click();
    await button(t.page.pause).waitFor();
    await button(t.page.more).click();
    await page.getByRole('menuitem', { name: t.page.recover }).click();
    await page.getByRole('dialog').getByRole('button', { name: t.recovering.confirm }).click();
    await page.getByText(/sent again$/).waitFor();
    await waitFor(
      async () => receiver.received.filter(({ type }) => type === 'client.added')[1],
      'the event',
    );
  });

  it('send custom headers, whose values are shown nowhere, and keep to a limit', async () => {
    const value = 'gateway-key-of-ledger';
    await onPage();
    await page.getByRole('link', { name: t.page.update }).click();
    await button(t.form.addHeader).click();
    const name = page.getByRole('textbox', { name: t.form.headerOf(t.form.headerName, 1) });
    const secretField = page.getByLabel(t.form.headerOf(t.form.headerValue, 1));
    await name.fill('Host');
    await secretField.fill(value);
    await page.getByLabel(t.form.attemptsPerMinute).fill('many');
    await button(t.form.update).click();
    await page
      .getByText(/Host: Leave this header out/)
      .first()
      .waitFor();
    await page.getByText(t.form.attemptsPerMinuteWrong(6000)).first().waitFor();
    assert.deepEqual(await brokenRules(page), []);
    await name.fill('X-Api-Key');
    await page.getByLabel(t.form.attemptsPerMinute).fill('600');
    await button(t.form.update).click();
    await heading('Ledger').waitFor();
    await page.getByText('x-api-key', { exact: true }).waitFor();
    await page.getByText('600', { exact: true }).waitFor();
    const { length } = receiver.at('/ledger');
    await button(t.test.send).click();
    await page.getByText(/Delivered: the receiver answered with status 204/).waitFor();
    assert.equal(receiver.at('/ledger')[length]!.headers['x-api-key'], value);
    await page.getByRole('link', { name: t.test.open }).click();
    await drawer().getByText(t.delivery.request).click();
    await drawer()
      .getByText(/x-api-key: \(hidden\)/)
      .waitFor();
    await page.goto(`/portal/integrations/webhooks/${webhookId}/edit`);
    assert.equal(await secretField.inputValue(), '');
    assert.equal(await page.getByText(value).count(), 0);
    // At another server, it must be entered again.
    await page.getByLabel(t.form.url, { exact: true }).fill('https://hooks.example.com/ledger');
    await button(t.form.update).click();
    await page.getByText(t.form.headerElsewhere('x-api-key')).first().waitFor();
    assert.deepEqual(await brokenRules(page), []);
    await page.getByLabel(t.form.url, { exact: true }).fill(`${receiver.origin}/ledger`);
    await button(t.form.removeHeader('x-api-key', 1)).click();
    await page.getByLabel(t.form.attemptsPerMinute).fill('');
    await button(t.form.update).click();
    await heading('Ledger').waitFor();
    await page.getByText(t.page.noHeaders, { exact: true }).waitFor();
    await page.getByText(t.page.unlimited, { exact: true }).waitFor();
  });

  it('resend what was delivered, too, of some types only', async () => {
    const earlier = receiver.received.length;
    await button(t.page.more).click();
    await page.getByRole('menuitem', { name: t.page.recover }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(t.recovering.includes.all).click();
    await dialog.getByLabel(t.recovering.types).fill('client.added');
    await page.getByRole('option', { name: 'client.added' }).click();
    await dialog.getByRole('button', { name: t.recovering.confirm }).click();
    await page.getByText(/events are sent again$/).waitFor();
    const again = await waitFor(async () => {
      const some = receiver.received.slice(earlier);
      return some.length >= 2 ? some : undefined;
    }, 'the events');
    assert.deepEqual([...new Set(again.map(({ type }) => type))], ['client.added']);
  });

  it('are found by their URL, and linked from the audit log', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search the portal' }).fill('/ledger');
    await page.getByRole('option', { name: /Ledger/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto('/portal/settings/audit-log');
    await page
      .getByRole('link', { name: `${receiver.origin}/ledger` })
      .first()
      .waitFor();
  });

  it('compare both versions when someone else was faster', async () => {
    await page.goto(`/portal/integrations/webhooks/${webhookId}/edit`);
    await page.getByLabel(t.form.description).fill('Ledger of Ada');
    const path = `/v1/webhooks/${webhookId}`;
    await owner.send('PATCH', path, { description: 'Ledger of Ben' }, { 'If-Match': '*' });
    await button(t.form.update).click();
    const dialog = page.getByRole('dialog', { name: 'Someone else changed this' });
    await dialog.getByText('Ledger of Ben').waitFor();
    await dialog.getByRole('button', { name: 'Discard my changes' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel(t.form.description).inputValue(), 'Ledger of Ben');
    await page.getByLabel(t.form.description).fill('Ledger');
    await button(t.form.update).click();
    await heading('Ledger').waitFor();
    assert.equal((await owner.send<Webhook>('GET', path)).description, 'Ledger');
  });

  it('can be read without the permission to change them', async () => {
    const person = { name: 'Vera Viewer', email: 'vera@northwind.example', role: 'viewer' } as const;
    await invite(service, owner, person);
    const vera = await visit(browser, service.origin);
    await signIn(vera, person.email);
    await vera.page.goto('/portal/integrations/webhooks');
    await vera.page.getByRole('link', { name: /Ledger/ }).waitFor();
    assert.equal(await vera.page.getByRole('link', { name: t.add }).count(), 0);
    await vera.page.goto(`/portal/integrations/webhooks/${webhookId}`);
    await vera.page.getByRole('link', { name: 'webhook.test' }).first().click();
    const detail = vera.page.getByRole('dialog', { name: t.delivery.title });
    assert.ok(await detail.getByRole('button', { name: t.delivery.resend }).isDisabled());
    await vera.page.goto(`/portal/integrations/webhooks/${webhookId}/edit`);
    await vera.page.getByText(t.form.mayNotTitle).waitFor();
    assert.deepEqual(await brokenRules(vera.page), []);
    assert.deepEqual(vera.complaints, []);
    await vera.context.close();
  });

  it('fit a phone of 320 px, with long and hostile texts', async () => {
    const url = `${receiver.origin}/${'w'.repeat(300)}?${encodeURIComponent(payloads.vector)}`;
    const description = `${payloads.image} ${payloads.long}`;
    const body = { url, description, eventTypes: ['client.added', 'client.address_refused'] };
    const added = await owner.send<Webhook>('POST', '/v1/webhooks', body);
    receiver.answer = answerWith(400, {}, `${payloads.vector}\u202e${'W'.repeat(3000)}`);
    await owner.send('POST', `/v1/webhooks/${added.webhookId}/test`);
    await page.goto(`/portal/integrations/webhooks/${added.webhookId}`);
    await page
      .getByRole('row', { name: /webhook\.test/ })
      .getByText(t.deliveries.retrying)
      .waitFor();
    await resize(page, 320);
    const looks = ['', `/${added.webhookId}`, `/${added.webhookId}/edit`, '/new'];
    for (const path of looks) {
      await page.goto(`/portal/integrations/webhooks${path}`);
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      assert.deepEqual(await stickingOut(page), [], path);
      assert.deepEqual(await accessibilityFaults(page), [], path);
    }
    await page.goto(`/portal/integrations/webhooks/${added.webhookId}`);
    await page.getByRole('link', { name: 'webhook.test' }).first().click();
    await page.getByText(t.advice.client_error).waitFor();
    assert.deepEqual(await stickingOut(page), []);
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.equal(await page.evaluate(() => 'hasRun' in globalThis), false);
    await resize(page, 1280);
  });

  it('are deleted after a question', async () => {
    await onPage();
    await button(t.page.more).click();
    await page.getByRole('menuitem', { name: t.page.remove }).click();
    await page.getByRole('dialog').getByRole('button', { name: t.page.remove }).click();
    await heading(t.title).waitFor();
    await page.getByRole('link', { name: /Ledger/ }).waitFor({ state: 'detached' });
    await page.goto(`/portal/integrations/webhooks/${webhookId}`);
    await page.getByText(t.page.goneTitle).waitFor();
    assert.deepEqual(ada.complaints, []);
  });
});

/** Runs the code that a page shows, on an event as it came and on one that was changed. */
async function verifyWith(
  code: string,
  secret: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<readonly boolean[]> {
  const source = code.replace('process.env.WEBHOOK_SECRET', JSON.stringify(secret));
  const { verifyWebhook } = (await import(
    `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`
  )) as { verifyWebhook: (headers: unknown, body: Buffer) => boolean };
  return [body, `${body} `].map((text) => verifyWebhook(headers, Buffer.from(text)));
}
