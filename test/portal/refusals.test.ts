import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { waitFor } from '@countersign/testing/wait-until';
import type { Browser, Page } from 'playwright-core';
import { exporting } from '../../packages/portal/src/messages/en/exporting.ts';
import { explanation } from '../../packages/portal/src/messages/en/explanation.ts';
import { requests } from '../../packages/portal/src/messages/en/requests.ts';
import { skipWithoutBrowser } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';

describe('a rejected request in the portal', { skip: skipWithoutBrowser }, () => {
  let service: PortalService;
  let browser: Browser;
  let page: Page;
  let requestId = '';

  before(async () => {
    const northwind = await openNorthwind();
    const { owner } = northwind;
    ({ service, browser, page } = northwind);
    const { clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', {
      name: 'Payment service',
      networkWhitelist: [{ entry: '0.0.0.0' }],
      publicKey: makeKeyPair().publicKey,
    });
    const signer = createSigner({ keyid: clientId, privateKey: makeKeyPair().privateKey });
    const url = `${service.origin}/v1/whoami`;
    const { headers } = signer.sign({ method: 'GET', url });
    assert.equal((await fetch(url, { headers })).status, 401);
    // Requests are stored some time after their responses.
    requestId = await waitFor(async () => {
      const { data } = await owner.send<{ data: { requestId: string }[] }>('GET', '/v1/requests');
      return data[0]?.requestId;
    }, 'a request in the log');
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('has its reason once', async () => {
    await page.goto(`/portal/logs/requests?request=${requestId}`);
    const detail = page.getByRole('region', { name: requests.detail, exact: true });
    await detail.getByText(requests.trueReason).waitFor();
    await detail.getByText(requests.receivedAt).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    const title = (await detail.getByText(new RegExp(`^${requests.trueReason}: `)).textContent()) ?? '';
    const reason = title.slice(title.indexOf(': ') + 2);
    assert.ok(reason.length > 5, title);
    assert.equal(((await detail.textContent()) ?? '').split(reason).length - 1, 1);
  });

  it('says so where there is no explanation, or not all of it', async () => {
    const answers = `**/v1/requests/${requestId}/explanation`;
    const detail = page.getByRole('region', { name: requests.detail, exact: true });
    await page.route(answers, (route) =>
      route.fulfill({
        status: 404,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'not_found', title: 'Not found', detail: 'None', status: 404 }),
      }),
    );
    await page.reload();
    await detail.getByText(explanation.notSearched).waitFor();
    await page.unroute(answers);
    const kept = { verdict: 'invalid', checks: [], findings: [] };
    await page.route(answers, async (route) => {
      const response = await route.fetch();
      const known = response.ok() ? ((await response.json()) as object) : {};
      await route.fulfill({
        status: 200,
        json: { ...kept, ...known, isComplete: false, withheldFindings: 2 },
      });
    });
    await page.reload();
    await detail.getByText(explanation.incomplete).waitFor();
    await detail.getByText(explanation.withheld(2)).waitFor();
    await page.unroute(answers);
    const nothing = { verdict: 'invalid', checks: [], findings: [], isComplete: true, withheldFindings: 0 };
    await page.route(answers, (route) => route.fulfill({ status: 200, json: nothing }));
    await page.reload();
    await detail.getByText(explanation.foundNoneInSignature).waitFor();
    await page.unroute(answers);
  });

  it('that named no client is found by its ID, in a search too', async () => {
    const { headers } = await fetch(`${service.origin}/v1/whoami`);
    const strangerId = headers.get('request-id') ?? '';
    const told = page.getByText(requests.unattributed);
    await waitFor(async () => {
      await page.goto(`/portal/logs/requests?request=${strangerId}`);
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      return (await told.count()) > 0 ? true : undefined;
    }, 'the request');
    await page.goto(`/portal/logs/requests?search=${strangerId}`);
    await told.waitFor();
    await page.getByText('signature_missing').waitFor();
  });

  it('and what else happened are exported in cells that people can read', async () => {
    for (const path of ['logs/requests', 'settings/audit-log']) {
      await page.goto(`/portal/${path}`);
      await page.getByRole('button', { name: exporting.export, exact: true }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: exporting.asCsv }).click();
      const text = await readFile(await (await saved).path(), 'utf8');
      assert.ok(text.split('\r\n').length > 2, path);
      assert.doesNotMatch(text, /[{[]""|\[object/, path);
    }
  });
});
