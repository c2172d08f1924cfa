import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSigner, type Signer } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import type { Browser, Page } from 'playwright-core';
import { findingTitles } from '../../packages/portal/src/messages/en/finding-titles.ts';
import { requests } from '../../packages/portal/src/messages/en/requests.ts';
import { skipWithoutBrowser } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalService } from './scene.ts';
import { resize } from './showing.ts';

const sent = 80;
const json = { 'Content-Type': 'application/json' };

describe('the list of requests while many arrive', { skip: skipWithoutBrowser }, () => {
  const { publicKey, privateKey } = makeKeyPair();
  let service: PortalService;
  let browser: Browser;
  let page: Page;
  let signer: Signer;

  before(async () => {
    const northwind = await openNorthwind();
    ({ service, browser, page } = northwind);
    const { clientId } = await northwind.owner.send<{ clientId: string }>('POST', '/v1/clients', {
      name: 'Payment service',
      networkWhitelist: [{ entry: '0.0.0.0' }],
      roles: ['payments-operator'],
      publicKey,
    });
    signer = createSigner({ keyid: clientId, privateKey });
    await resize(page, 1440);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  async function send(from: number): Promise<void> {
    await Promise.all(
      Array.from({ length: sent }, async (_, index) => {
        const url = `${service.origin}/v1/signature-test?count=${from + index}`;
        const { headers } = signer.sign({ method: 'GET', url });
        assert.equal((await fetch(url, { headers })).status, 200);
      }),
    );
  }

  /** Counts how often the part of the page changes that the selector finds. */
  async function countChanges(selector: string): Promise<() => Promise<number>> {
    await page.evaluate((found) => {
      const counted = globalThis as unknown as { changes: number };
      counted.changes = 0;
      const texts = (): string => [...document.querySelectorAll(found)].map((one) => one.textContent).join();
      let last = texts();
      new MutationObserver(() => {
        const now = texts();
        if (now !== last) counted.changes += 1;
        last = now;
      }).observe(document.querySelector('main')!, { subtree: true, childList: true, characterData: true });
    }, selector);
    return () => page.evaluate(() => (globalThis as unknown as { changes: number }).changes);
  }

  it('counts those that come together at once, not one by one', async () => {
    await page.goto('/portal/logs/requests');
    await page.getByText(requests.emptyTitle).waitFor();
    const changes = await countChanges('main button');
    await send(0);
    await page.getByRole('button', { name: requests.newEntries({ count: sent, isMore: false }) }).waitFor();
    assert.ok((await changes()) < sent / 2, `${await changes()} changes for ${sent} requests`);
  });

  it('puts each of them on top of a watched list once', async () => {
    await page.getByRole('button', { name: requests.watch }).click();
    const rows = page.locator('main tbody tr[data-row]');
    await rows.first().waitFor();
    const shown = await rows.count();
    const changes = await countChanges('main tbody tr[data-row]');
    await send(sent);
    await rows.nth(shown + sent - 1).waitFor();
    assert.ok((await changes()) < sent / 2, `${await changes()} changes for ${sent} requests`);
    const ids = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-row') ?? ''));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('names the mistake of one that was rejected, once it is found', async () => {
    const url = `${service.origin}/v1/payments`;
    const body = '{"amount":1200,"currency":"EUR"}';
    const signed = signer.sign({ method: 'POST', url, body });
    const headers = { ...signed.headers, ...json };
    const sentBody = JSON.stringify(JSON.parse(body), undefined, 2);
    const response = await fetch(url, { method: 'POST', headers, body: sentBody });
    assert.equal(response.status, 401, await response.text());
    const row = page.locator('main tbody tr[data-row]').first();
    await row.getByText(findingTitles.get('body_json_whitespace')!).waitFor();
  });
});
