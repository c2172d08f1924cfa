import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Browser, Page } from 'playwright-core';
import { overview } from '../../packages/portal/src/messages/en/overview.ts';
import { ranges } from '../../packages/portal/src/messages/en/ranges.ts';
import { requests } from '../../packages/portal/src/messages/en/requests.ts';
import { changeDatabase } from './change-database.ts';
import { openBrowser, skipWithoutBrowser, visit } from './browser.ts';
import { addCustomer, type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { openOverview, signIn } from './showing.ts';

describe('the lists of the portal', { skip: skipWithoutBrowser }, () => {
  const { publicKey, privateKey } = makeKeyPair();
  const longPath = `/v1/${'payments-of-a-very-long-name/'.repeat(12)}7`;
  let service: PortalService;
  let browser: Browser;
  let page: Page;

  before(async () => {
    service = await startPortalService();
    const person = { name: 'Ada Lindqvist', email: 'ada@northwind.example' };
    const operator = await setUpOperator(service);
    const owner = await addCustomer(service, operator, 'Northwind', person);
    const { clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', {
      name: 'Payment service',
      networkWhitelist: [{ entry: '0.0.0.0' }],
      publicKey,
    });
    const signer = createSigner({ keyid: clientId, privateKey });
    for (const [path, status] of [
      ['/v1/signature-test', 200],
      [longPath, 404],
    ] as const) {
      const { method, url, headers } = signer.sign({ method: 'GET', url: `${service.origin}${path}` });
      assert.equal((await fetch(url, { method, headers })).status, status);
    }
    await bothKept(owner.send.bind(owner));
    // A connection that ends early leaves a request without an address, and an older version recorded such
    // uses of clients.
    await changeDatabase(service, (database) => {
      database
        .prepare('UPDATE request_records SET source_address = ? WHERE url NOT LIKE ?')
        .run('', '/v1/payments%');
      database
        .prepare('UPDATE request_records SET source_address = ? WHERE url LIKE ?')
        .run('198.51.100.171', '/v1/payments%');
    });
    browser = await openBrowser();
    const ada = await visit(browser, service.origin, { width: 1024 });
    ({ page } = ada);
    await signIn(ada, person.email);
    await openOverview(ada);
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Requests are stored some time after their responses. */
  async function bothKept(
    send: (method: string, path: string) => Promise<Record<string, unknown>>,
  ): Promise<void> {
    await waitUntil(async () => {
      const { data } = (await send('GET', '/v1/requests')) as { data: unknown[] };
      return data.length === 2;
    }, 'both requests in the log');
  }

  it('count an ordinary 404 of the API as accepted', async () => {
    const chart = page.getByRole('img', { name: new RegExp(`^${overview.traffic.chart(ranges['24h'])}: `) });
    await chart.waitFor();
    assert.match((await chart.getAttribute('aria-label')) ?? '', /\b2 .*accepted, 0 /);
    await page.getByText(overview.failures.none(ranges['24h'])).waitFor();
  });

  it('have none among the refused requests, and show it as what it is', async () => {
    await page.goto('/portal/logs/requests?outcome=refused');
    await page.getByText(requests.noneTitle).waitFor();
    await page.goto('/portal/logs/requests');
    const row = page.getByRole('row').filter({ hasText: 'payments-of' });
    assert.equal(await row.locator('[data-tone="danger"]').count(), 0);
    await row.locator('[data-tone="neutral"]').waitFor();
  });

  it('keep an address on one line beside a path of any length', async () => {
    const address = page.getByText('198.51.100.171');
    const lines = await address.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
    assert.equal(lines, 1);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1024);
  });

  it('say so where an address is not known', async () => {
    await page
      .getByRole('row')
      .filter({ hasText: 'signature-test' })
      .getByText(requests.unknownAddress)
      .waitFor();
  });

  it('show a sparkline to its last day', async () => {
    await page.setViewportSize({ width: 1440, height: 800 });
    await page.goto('/portal/integrations/api-keys');
    const sparkline = page.locator('main table svg[role="img"]');
    await sparkline.waitFor();
    const cutOff = await sparkline.evaluate((svg) => {
      const { right } = svg.getBoundingClientRect();
      const cell = svg.parentElement!.getBoundingClientRect();
      return right - cell.right;
    });
    assert.ok(cutOff <= 0.5, `${cutOff} px are cut off`);
  });
});
